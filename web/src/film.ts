// Films of a run: a curve over its obstacles, bodies, or what the signals say of a kind's own picture; slowed
// down as far as wanted.
import { colour, fitted, make, quantity, shown } from './dom';
import type { Said } from './engine';

type Painter = (context: CanvasRenderingContext2D, frame: number, width: number, height: number) => void;

function player(title: string, caption: string, times: { readonly length: number; [frame: number]: number }, paint: Painter): HTMLElement {
  const canvas = make('canvas', { role: 'img', 'aria-label': title, style: 'height: 14rem' });
  const label = make('output', {});
  const slider = make('input', { type: 'range', min: '0', max: String(times.length - 1), step: '1', 'aria-label': `Moment of the film: ${title}`, style: 'flex: 1' });
  slider.value = '0';
  const draw = () => {
    const context = fitted(canvas);
    const frame = Number(slider.value);
    context.clearRect(0, 0, canvas.clientWidth, canvas.clientHeight);
    context.font = '12px system-ui, sans-serif';
    paint(context, frame, canvas.clientWidth, canvas.clientHeight);
    label.textContent = quantity(times[frame], 's');
  };
  let timer = 0;
  const play = make('button', { type: 'button', onclick: () => {
    if (timer) {
      clearInterval(timer);
      timer = 0;
    } else timer = window.setInterval(() => {
      if (!canvas.isConnected) clearInterval(timer);
      slider.value = String((Number(slider.value) + 1) % times.length);
      draw();
    }, 50);
    play.textContent = timer ? 'Pause' : 'Film';
  } }, 'Film');
  slider.addEventListener('input', draw);
  addEventListener('themechange', draw);
  new ResizeObserver(draw).observe(canvas);
  return make('div.card', { 'data-film': title }, make('h2', {}, title), canvas, make('div.row', {}, play, slider, label), make('p.small.soft', {}, caption));
}

const range = (lists: ArrayLike<number>[]): [number, number] => {
  let low = Infinity, high = -Infinity;
  for (const list of lists) for (let i = 0; i < list.length; ++i) {
    low = Math.min(low, list[i]);
    high = Math.max(high, list[i]);
  }
  const more = Math.max(1e-12, (high - low) * 0.08);
  return [low - more, high + more];
};

const edge = (value: number) => shown(Number(value.toPrecision(2)));

export function curveFilm(film: Said, columns: Float64Array[]): HTMLElement {
  const x = columns[film.x], frames: Float64Array[] = film.frames.map((index: number) => columns[index]);
  const [left, right] = range([x]);
  const [low, high] = range([...frames, film.mark_y]);
  return player(film.title, film.caption, columns[film.times], (context, frame, width, height) => {
    const px = (value: number) => ((value - left) / (right - left)) * width;
    const py = (value: number) => height - ((value - low) / (high - low)) * height;
    context.fillStyle = colour('c2');
    film.mark_x.forEach((place: number, i: number) => {
      context.beginPath();
      context.arc(px(place), py(film.mark_y[i]), 4, 0, 2 * Math.PI);
      context.fill();
    });
    context.strokeStyle = colour('c1');
    context.lineWidth = 2;
    context.beginPath();
    frames[frame].forEach((y, i) => context.lineTo(px(x[i]), py(y)));
    context.stroke();
    // How large it is: the edges of the picture.
    context.fillStyle = colour('soft');
    context.textAlign = 'left';
    context.fillText(`${film.y_label}: ${edge(low)} to ${edge(high)}`, 6, 14);
    context.textAlign = 'right';
    context.fillText(`${film.x_label}: ${edge(left)} to ${edge(right)}`, width - 6, height - 6);
    if (film.ball_y !== null) {
      context.fillStyle = colour('c3');
      context.beginPath();
      context.arc(px(film.ball_x), py(columns[film.ball_y][frame]) - 8, 8, 0, 2 * Math.PI);
      context.fill();
    }
  });
}

export function bodyFilm(film: Said, columns: Float64Array[]): HTMLElement {
  interface Body { label: string; shape: string; width: number; height: number; x: Float64Array; y: Float64Array; angle: Float64Array }
  const bodies: Body[] = film.bodies.map((body: Said) => ({ ...body, x: columns[body.x], y: columns[body.y], angle: columns[body.angle] }));
  const size = (body: Body) => Math.max(body.width, body.height) / 2;
  const moving = bodies.filter((body) => body.shape !== 'wall');
  const ends = (axis: 'x' | 'y') => range(moving.flatMap((body) => [body[axis].map((v) => v - size(body)), body[axis].map((v) => v + size(body))]));
  const [left, right] = ends('x');
  const [low, high] = film.line ? [-1, 1] : ends('y');
  return player(film.title, film.caption, columns[film.times], (context, frame, width, height) => {
    const scale = film.line ? width / (right - left) : Math.min(width / (right - left), height / (high - low));
    context.translate(width / 2, height / 2);
    bodies.forEach((body, i) => {
      const at = Math.min(frame, body.x.length - 1);
      context.save();
      context.translate((body.x[at] - (left + right) / 2) * scale, -(body.y[at] - (low + high) / 2) * (film.line ? 0 : scale));
      context.rotate(-(body.angle[at] ?? 0));
      const w = Math.max(4, body.width * scale), h = Math.max(4, (body.height || body.width) * scale);
      context.fillStyle = context.strokeStyle = body.shape === 'wall' || body.shape === 'plate' ? colour('soft') : colour(`c${(i % 5) + 1}`);
      if (body.shape === 'disc') {
        context.globalAlpha = 0.85;
        context.beginPath();
        context.arc(0, 0, Math.max(4, w / 2), 0, 2 * Math.PI);
        context.fill();
        context.strokeStyle = colour('card');
        context.beginPath();
        context.moveTo(0, 0);
        context.lineTo(w / 2, 0);
        context.stroke();
      } else if (body.shape === 'rod') {
        context.lineWidth = 4;
        context.beginPath();
        context.moveTo(-w / 2, 0);
        context.lineTo(w / 2, 0);
        context.stroke();
      } else context.fillRect(-w / 2, -h / 2, w, h);
      context.restore();
    });
    context.translate(-width / 2, -height / 2);
    scaleBar(context, scale, width, height);
  });
}

/** Lengths are drawn to a scale: a bar of 1, 2 or 5 with its unit, below on the right. */
function scaleBar(context: CanvasRenderingContext2D, perMetre: number, width: number, height: number) {
  const rough = Math.min(120, width / 4) / perMetre, power = 10 ** Math.floor(Math.log10(rough));
  const length = power * [5, 2, 1].find((factor) => factor * power <= rough)!;
  context.strokeStyle = context.fillStyle = colour('soft');
  context.lineWidth = 2;
  context.beginPath();
  context.moveTo(width - 12 - length * perMetre, height - 10);
  context.lineTo(width - 12, height - 10);
  context.stroke();
  context.textAlign = 'right';
  context.fillText(quantity(length, 'm'), width - 12, height - 16);
}

/** What the signals say of a picture that the kind has (motion_of of the engine); `look` sets the stretch that is
    played. */
export function motionFilm(motion: Said, signals: Said[], columns: Float64Array[]): { film: HTMLElement; look: (from: number, to: number) => void } | undefined {
  const time = columns[signals[0].column], last = time.length - 1, frames = 240;
  const signal: Record<string, Float64Array> = Object.fromEntries(signals.map((one) => [one.name, columns[one.column]]));
  const names: string[] = [...motion.signals, ...(motion.surface ? [motion.surface] : [])];
  if (last < 1 || names.some((name) => !signal[name])) return undefined;
  let [from, to] = [time[0], time[last]];
  const row = (t: number) => { // the last one at or before t
    let [a, b] = [0, last];
    while (a < b) {
      const middle = (a + b + 1) >> 1;
      if (time[middle] <= t) a = middle;
      else b = middle - 1;
    }
    return a;
  };
  const sign = motion.down ? -1 : 1;
  const at = (name: string, t: number) => {
    const i = row(t), j = Math.min(i + 1, last), part = j > i ? Math.min(1, Math.max(0, (t - time[i]) / (time[j] - time[i]))) : 0;
    return sign * (signal[name][i] + part * (signal[name][j] - signal[name][i]));
  };
  const ends = (...of: string[]) => {
    let low = Infinity, high = -Infinity;
    for (let k = row(from); k <= row(to); ++k) for (const name of of) {
      low = Math.min(low, sign * signal[name][k]);
      high = Math.max(high, sign * signal[name][k]);
    }
    return [low, high];
  };
  const times = new Proxy({ length: frames } as { length: number; [frame: number]: number }, {
    get: (target, key) => (key === 'length' ? target.length : from + (Number(key) / (frames - 1)) * (to - from)),
  });
  const disc = (context: CanvasRenderingContext2D, x: number, y: number, radius: number, name: string) => {
    context.fillStyle = colour(name);
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.fill();
  };
  const rod = (context: CanvasRenderingContext2D, x: number, y: number, angle: number, length: number, name: string) => {
    context.strokeStyle = colour(name);
    context.lineWidth = 7;
    context.lineCap = 'round';
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(x + length * Math.sin(angle), y + length * Math.cos(angle));
    context.stroke();
  };
  const [first, second] = motion.signals as string[];
  const painters: Record<string, Painter> = {
    line: (context, frame, width, height) => { // surfaces on a line; a wall gives way where the body presses
      const t = times[frame], [least, most] = ends(...motion.signals), y = height / 2, radius = 34, margin = 90;
      const low = motion.wall ? Math.min(least, 0) : least, size = Math.max(most - low, 1e-300);
      const x = (value: number) => margin + ((value - low) / size) * (width - 2 * margin);
      if (motion.wall) {
        const dent = Math.max(0, x(at(first, t)) - x(0));
        context.fillStyle = colour('soft');
        context.beginPath();
        context.moveTo(width, 20);
        for (let v = 20; v <= height - 30; v += 4) context.lineTo(x(0) + dent * Math.exp(-(((v - y) / 48) ** 2)), v);
        context.lineTo(width, height - 30);
        context.fill();
      }
      context.globalAlpha = 0.85;
      disc(context, x(at(first, t)) - radius, y, radius, 'c1');
      if (second) disc(context, x(at(second, t)) + radius, y, radius, 'c2');
      context.globalAlpha = 1;
      scaleBar(context, (width - 2 * margin) / size, width, height);
    },
    drop: (context, frame, width, height) => { // a ball over a floor, or over a surface that moves
      const t = times[frame], [least, most] = ends(...names), top = 58, base = height - 48, radius = 22;
      const low = Math.min(least, 0), size = Math.max(Math.max(most, 0) - low, 1e-300);
      const y = (value: number) => base - ((value - low) / size) * (base - top);
      const pressed = motion.surface ? y(at(motion.surface, t)) - y(0) : 0;
      const foot = y(at(first, t)), dent = Math.max(0, foot - y(0) - pressed); // as far as the contact is compressed
      const bump = (x: number, size: number) => Math.exp(-(((x - width / 2) / size) ** 2));
      context.strokeStyle = colour('soft');
      context.lineWidth = 3;
      context.beginPath();
      for (let x = 0; x <= width; x += 4) context.lineTo(x, y(0) + pressed * bump(x, 0.16 * width) + dent * bump(x, 1.5 * radius));
      context.stroke();
      disc(context, width / 2, foot - radius, radius, 'c1');
      scaleBar(context, (base - top) / size, width, height);
    },
    pendulums: (context, frame, width, height) => {
      const t = times[frame], degree = Math.PI / 180;
      context.fillStyle = colour('soft');
      context.fillRect(width / 2 - 90, 18, 180, 6);
      rod(context, width / 2 - 14, 24, at(first, t) * degree, height - 60, 'c1');
      rod(context, width / 2 + 14, 24, at(second, t) * degree, height - 60, 'c2');
    },
    bar: (context, frame, width, height) => { // it falls on its tip
      const t = times[frame], [least, most] = ends(first), low = Math.min(least, 0), size = Math.max(most - low, 1e-300), base = height - 34;
      context.strokeStyle = colour('soft');
      context.lineWidth = 3;
      context.beginPath();
      context.moveTo(0, base);
      context.lineTo(width, base);
      context.stroke();
      rod(context, width / 2, base - ((at(first, t) - low) / size) * 60, Math.PI / 2 + at(second, t), 120, 'c1');
      scaleBar(context, 60 / size, width, height);
    },
  };
  const film = player('In motion', `${motion.caption} It plays what a plot shows that was zoomed: zoom into a contact to see it slowed down.`, times, painters[motion.type]);
  return { film, look: (low, high) => {
    [from, to] = [low, high];
    film.querySelector('input')!.dispatchEvent(new Event('input'));
  } };
}
