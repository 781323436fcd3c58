// Films of a run: a curve over its obstacles, or bodies in front of axes; slowed down as far as wanted.
import { colour, fitted, make, quantity } from './dom';
import type { Said } from './engine';

type Painter = (context: CanvasRenderingContext2D, frame: number, width: number, height: number) => void;

function player(title: string, caption: string, times: Float64Array, paint: Painter): HTMLElement {
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
  });
}
