#pragma once

#include <string_view>

namespace carom {

/// Draws the plots of a report from the data in the page: zoom and pan by mouse, touch and
/// keyboard, values under the pointer, and what moves at the moment that is shown.
inline constexpr std::string_view report_script = R"js((() => {
const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const bytes = text => Uint8Array.from(atob(text), c => c.charCodeAt(0));
// Blocks of 256 values: the lowest and highest of each as floats, then 16 bits for every value.
const unpack = (text, n) => {
  const raw = bytes(text).buffer, blocks = Math.ceil(n / 256);
  const ends = new Float32Array(raw, 0, 2 * blocks), steps = new Uint16Array(raw, 8 * blocks, n);
  const out = new Float64Array(n);
  for (let i = 0; i < n; ++i) {
    const b = i >> 8, low = ends[2 * b], high = ends[2 * b + 1];
    out[i] = low + (high - low) * steps[i] / 65535;
  }
  return out;
};
const prefixes = [[1e9, 'G'], [1e6, 'M'], [1e3, 'k'], [1, ''], [1e-3, 'm'], [1e-6, 'µ'], [1e-9, 'n'], [1e-12, 'p']];
const scaled = (size, unit) => {
  if (!['s', 'm', 'N', 'J', 'Hz', 'N s', 'm/s'].includes(unit) || !(size > 0)) return [1, unit];
  for (const [factor, sign] of prefixes) {
    if ((unit === 'm' || unit === 'm/s') && factor > 1) continue;
    if (size >= 0.9995 * factor) return [factor, sign + unit];
  }
  return [1, unit];
};
const ticks = (low, high, most) => {
  const rough = (high - low) / most, power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find(f => rough <= f * power) || 10), all = [];
  for (let i = Math.ceil(low / step); i * step <= high; ++i) all.push(i * step);
  return [all, step];
};
const written = (value, step) => {
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  return digits > 6 || Math.abs(value) >= 1e6 ? value.toPrecision(4) : value.toFixed(digits);
};
// Drawing sets heights; only another width asks for drawing again.
const widths = (box, draw) => {
  let last = box.clientWidth;
  new ResizeObserver(() => {
    if (box.clientWidth === last) return;
    last = box.clientWidth; requestAnimationFrame(draw);
  }).observe(box);
};
const plots = {};
class Plot {
  constructor(box) {
    const spec = JSON.parse(box.querySelector('script').textContent);
    this.box = box; this.spec = spec; this.moment = null;
    for (const panel of spec.panels) for (const s of panel.series) {
      s.low = unpack(s.low, s.n); s.high = s.high ? unpack(s.high, s.n) : s.low;
      if (s.x) { const raw = bytes(s.x); s.at = new Float64Array(raw.buffer, 0, s.n); }
    }
    this.x = (s, i) => s.at ? s.at[i] : s.x0 + i * s.dx;
    this.whole = [spec.from, spec.to]; this.view = [...this.whole];
    this.canvas = document.createElement('canvas');
    this.canvas.tabIndex = 0; this.canvas.setAttribute('role', 'img');
    this.canvas.setAttribute('aria-label', spec.label + '; arrow keys move, plus and minus zoom, 0 shows all');
    this.bar = document.createElement('p'); this.bar.className = 'controls plotbar';
    const button = (text, title, act) => {
      const b = document.createElement('button'); b.type = 'button'; b.textContent = text; b.title = title;
      b.setAttribute('aria-label', title); b.onclick = act; this.bar.append(b);
    };
    button('+', 'zoom in', () => this.zoom(0.5));
    button('−', 'zoom out', () => this.zoom(2));
    button('‹', 'earlier', () => this.pan(-0.3));
    button('›', 'later', () => this.pan(0.3));
    button('All', 'show everything', () => { this.view = [...this.whole]; this.draw(); });
    this.said = document.createElement('output'); this.bar.append(this.said);
    box.append(this.canvas, this.bar);
    this.listen();
    widths(box, () => this.draw());
    this.draw();
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.draw());
  }
  set(from, to) {
    const [a, b] = this.whole, least = (b - a) * 1e-7;
    let span = Math.min(Math.max(to - from, least), b - a), start = (from + to - span) / 2;
    start = Math.min(Math.max(start, a), b - span);
    this.view = [start, start + span]; this.draw();
  }
  zoom(factor, at = 0.5) {
    const [a, b] = this.view, centre = a + at * (b - a), span = (b - a) * factor;
    this.set(centre - at * span, centre + (1 - at) * span);
  }
  pan(part) { const [a, b] = this.view, d = part * (b - a); this.set(a + d, b + d); }
  part(event) {
    const r = this.canvas.getBoundingClientRect();
    return (event.clientX - r.left - this.left) / (r.width - this.left - this.right);
  }
  listen() {
    const c = this.canvas, held = new Map();
    let from = null, distance = 0;
    c.addEventListener('wheel', e => { e.preventDefault(); this.zoom(1.0015 ** e.deltaY, Math.min(1, Math.max(0, this.part(e)))); }, { passive: false });
    c.addEventListener('pointerdown', e => {
      held.set(e.pointerId, this.part(e));
      from = [...this.view];
      const [p, q] = [...held.values()]; distance = held.size > 1 ? Math.abs(p - q) : 0;
      c.setPointerCapture(e.pointerId); this.start = new Map(held);
    });
    c.addEventListener('pointermove', e => {
      const part = this.part(e), span = from ? from[1] - from[0] : 0;
      if (!held.has(e.pointerId)) { this.point(part); return; }
      held.set(e.pointerId, part);
      if (held.size === 1) {
        const d = (this.start.get(e.pointerId) - part) * span;
        this.set(from[0] + d, from[1] + d); this.point(part);
      } else if (distance > 0) {
        const [p, q] = [...held.values()], [p0, q0] = [...this.start.values()];
        const wide = span * distance / Math.max(0.02, Math.abs(p - q));
        const fixed = from[0] + span * (p0 + q0) / 2;
        this.set(fixed - wide * (p + q) / 2, fixed + wide * (1 - (p + q) / 2));
      }
    });
    const end = e => { held.delete(e.pointerId); from = [...this.view]; this.start = new Map(held); };
    c.addEventListener('pointerup', end); c.addEventListener('pointercancel', end);
    c.addEventListener('pointerleave', () => { if (!held.size) this.point(null); });
    c.addEventListener('dblclick', () => { this.view = [...this.whole]; this.draw(); });
    c.addEventListener('keydown', e => {
      const act = { ArrowLeft: () => this.pan(-0.15), ArrowRight: () => this.pan(0.15), '+': () => this.zoom(0.6), '=': () => this.zoom(0.6),
        '-': () => this.zoom(1 / 0.6), '0': () => this.set(...this.whole), Home: () => this.set(...this.whole) }[e.key];
      if (act) { act(); e.preventDefault(); }
    });
  }
  index(s, t) {  // the last point at or before t
    if (!s.at) return Math.min(s.n - 1, Math.max(0, Math.floor((t - s.x0) / s.dx + 1e-9)));
    let a = 0, b = s.n - 1;
    while (a < b) { const m = (a + b + 1) >> 1; if (s.at[m] <= t) a = m; else b = m - 1; }
    return a;
  }
  value(s, t) {
    const i = this.index(s, t), j = Math.min(i + 1, s.n - 1), mid = k => (s.low[k] + s.high[k]) / 2;
    const x0 = this.x(s, i), x1 = this.x(s, j);
    return x1 > x0 ? mid(i) + (mid(j) - mid(i)) * Math.min(1, Math.max(0, (t - x0) / (x1 - x0))) : mid(i);
  }
  point(part) {
    this.moment = part === null || part < 0 || part > 1 ? null : this.view[0] + part * (this.view[1] - this.view[0]);
    this.draw();
  }
  range(all, area) {  // of these series in what the plot shows
    let low = area ? 0 : Infinity, high = -Infinity;
    for (const s of all) {
      const i = this.index(s, this.view[0]), j = Math.min(s.n - 1, this.index(s, this.view[1]) + 1);
      for (let k = i; k <= j; ++k) { if (s.low[k] < low) low = s.low[k]; if (s.high[k] > high) high = s.high[k]; }
    }
    return [low, high];
  }
  draw() {
    const spec = this.spec, width = this.box.clientWidth, ratio = devicePixelRatio || 1, narrow = width < 560;
    if (width < 50) return;
    this.left = narrow ? 54 : 66; this.right = 10;
    const each = spec.panels.length > 2 ? (narrow ? 120 : 150) : 260, bottom = 40, apart = 14, row = 16;
    const c = this.canvas, g = c.getContext('2d'), ink = css('--ink'), soft = css('--soft'), line = css('--line');
    const font = '13px system-ui, sans-serif', [a, b] = this.view;
    const ranges = spec.panels.map(panel => this.range(panel.series, panel.area));
    const units = spec.panels.map((panel, p) => scaled(Math.max(...ranges[p].map(Math.abs)), panel.unit));
    const titles = spec.panels.map((panel, p) => panel.title + (units[p][1] ? ' [' + units[p][1] + ']' : ''));
    g.font = font;
    // Titles and names of several curves, in as many rows as they need: [place, row, colour, text].
    const names = spec.panels.map((panel, p) => {
      if (panel.series.length < 2) return [];
      const words = [[ink, titles[p]], ...panel.series.map(s => [css('--curve-' + s.colour), (s.dashed ? '┄ ' : '■ ') + s.label])];
      const wide = words.map(w => g.measureText(w[1]).width + apart), sum = wide.reduce((a, b) => a + b) - apart;
      const edge = sum > width - this.left - this.right ? 2 : this.left;
      let place = edge, r = 0;
      return words.map(([colour, text], i) => {
        if (place > edge && place + wide[i] - apart > width) { place = edge; ++r; }
        place += wide[i];
        return [place - wide[i], r, colour, text];
      });
    });
    const heads = names.map(all => all.length ? all.at(-1)[1] : 0);  // rows beyond the first
    const height = spec.panels.length * (each + 30) + row * heads.reduce((a, b) => a + b, 0) + bottom;
    c.style.height = height + 'px'; c.width = width * ratio; c.height = height * ratio;
    g.scale(ratio, ratio); g.clearRect(0, 0, width, height);
    g.font = font; g.lineJoin = 'round';
    const inner = width - this.left - this.right;
    const X = t => this.left + (t - a) / (b - a) * inner;
    const [unit, unitName] = scaled(Math.max(Math.abs(a), Math.abs(b)), spec.unit);
    const [marks, step] = ticks(a / unit, b / unit, narrow ? 4 : 8);
    const heard = [];
    let end = 0;
    spec.panels.forEach((panel, p) => {
      const top = end + 22 + row * heads[p], floor = top + each - 4;
      end = floor + 12;
      let [low, high] = ranges[p];
      const size = Math.max(Math.abs(low), Math.abs(high)), level = high > low ? null : low;
      if (level !== null) { low -= 0.5 * (size || 1); high += 0.5 * (size || 1); }
      const margin = 0.05 * (high - low); low -= panel.area ? 0 : margin; high += margin;
      const Y = v => floor - (v - low) / (high - low) * (floor - top);
      const [factor, name] = units[p];
      const [rows, rise] = level === null ? ticks(low / factor, high / factor, narrow ? 3 : 4) : [[level / factor], size / factor / 1e3 || 1];
      g.fillStyle = soft; g.strokeStyle = line; g.lineWidth = 1; g.textBaseline = 'middle'; g.textAlign = 'right';
      for (const v of rows) { g.beginPath(); g.moveTo(this.left, Y(v * factor)); g.lineTo(width - this.right, Y(v * factor)); g.stroke(); g.fillText(written(v, rise), this.left - 6, Y(v * factor)); }
      for (const t of marks) { g.beginPath(); g.moveTo(X(t * unit), top); g.lineTo(X(t * unit), floor); g.stroke(); }
      g.textAlign = 'left'; g.textBaseline = 'alphabetic'; g.fillStyle = ink;
      const many = panel.series.length > 1;
      let title = titles[p];
      while (g.measureText(title).width > inner && title.length > 8) title = panel.title.slice(0, Math.max(0, title.length - (name.length + 6))) + '…' + (name ? ' [' + name + ']' : '');
      if (!many) g.fillText(title, this.left, top - 7);
      g.save(); g.beginPath(); g.rect(this.left, top - 2, inner, floor - top + 4); g.clip();
      for (const s of panel.series) {
        const colour = css('--curve-' + s.colour);
        g.strokeStyle = g.fillStyle = colour; g.lineWidth = s.dashed ? 1.5 : 1.6; g.setLineDash(s.dashed ? [6, 5] : []);
        const i = Math.max(0, this.index(s, a) - 1), j = Math.min(s.n - 1, this.index(s, b) + 2);
        g.beginPath();
        if (j - i > 2 * inner) {  // a column of pixels holds several points: its lowest and highest
          let column = -1e9, least = 0, most = 0, last = 0;
          for (let k = i; k <= j; ++k) {
            const x = Math.round(X(this.x(s, k)));
            if (x !== column) {
              if (column > -1e9) { g.lineTo(column, Y(least)); g.lineTo(column, Y(most)); g.lineTo(column, Y(last)); }
              column = x; least = s.low[k]; most = s.high[k];
            }
            if (s.low[k] < least) least = s.low[k];
            if (s.high[k] > most) most = s.high[k];
            last = s.high[k];
          }
          g.lineTo(column, Y(least)); g.lineTo(column, Y(most));
        } else {
          for (let k = i; k <= j; ++k) { g.lineTo(X(this.x(s, k)), Y(s.low[k])); if (s.high[k] !== s.low[k]) g.lineTo(X(this.x(s, k)), Y(s.high[k])); }
        }
        if (panel.area && !s.dashed) {
          g.lineTo(X(this.x(s, j)), Y(0)); g.lineTo(X(this.x(s, i)), Y(0)); g.closePath(); g.fill();
        } else g.stroke();
        if (!panel.area && j - i < inner / 8) for (let k = i; k <= j; ++k) { g.beginPath(); g.arc(X(this.x(s, k)), Y(s.low[k]), 2, 0, 7); g.fill(); }
      }
      g.restore(); g.setLineDash([]);
      for (const [place, r, colour, text] of names[p]) { g.fillStyle = colour; g.fillText(text, place, top - 7 + row * (r - heads[p])); }
      if (this.moment !== null) {
        g.strokeStyle = soft; g.beginPath(); g.moveTo(X(this.moment), top); g.lineTo(X(this.moment), floor); g.stroke();
        for (const s of panel.series) heard.push((many ? s.label : panel.title.split(',')[0]) + ' ' + (this.value(s, this.moment) / factor).toPrecision(5) + ' ' + name);
      }
      if (p === spec.panels.length - 1) {
        g.fillStyle = soft; g.textBaseline = 'top'; g.textAlign = 'center';
        for (const t of marks) g.fillText(written(t, step), Math.min(X(t * unit), width - 16), floor + 6);
        g.fillText(spec.x_label + ' [' + unitName + ']', this.left + inner / 2, floor + 22);
      }
    });
    const t = this.moment;
    this.said.textContent = t === null ? '' : spec.x_label + ' ' + (t / unit).toPrecision(6) + ' ' + unitName + (narrow ? '' : ': ' + heard.slice(0, 4).join(', '));
    if (this.follower) this.follower(this);
  }
}
for (const box of document.querySelectorAll('.plot')) plots[box.id] = new Plot(box);
const motion = document.getElementById('motion');
if (motion && plots.signals) {
  const plot = plots.signals, spec = JSON.parse(motion.querySelector('script').textContent);
  const canvas = motion.querySelector('canvas'), [button, slider, clock] = motion.querySelectorAll('button, input, output');
  const all = plot.spec.panels.flatMap(p => p.series.map(s => [s.name, s])), signal = Object.fromEntries(all);
  let playing = false, begun = 0, place = 0;
  const range = (...names) => {
    const [low, high] = plot.range(names.map(name => signal[name]), false);
    return spec.down ? [-high, -low] : [low, high];
  };
  const show = () => {
    const ratio = devicePixelRatio || 1, w = motion.clientWidth, h = 220, g = canvas.getContext('2d');
    if (w < 50) return;
    canvas.style.height = h + 'px'; canvas.width = w * ratio; canvas.height = h * ratio; g.scale(ratio, ratio);
    const t = plot.view[0] + place * (plot.view[1] - plot.view[0]), at = name => (spec.down ? -1 : 1) * plot.value(signal[name], t);
    const ink = css('--ink'), soft = css('--soft'), one = css('--curve-0'), two = css('--curve-1');
    g.font = '13px system-ui, sans-serif';
    const disc = (x, y, r, colour) => { g.fillStyle = colour; g.beginPath(); g.arc(x, y, r, 0, 7); g.fill(); };
    const scale = (size, pixels) => {  // a length people know
      const [f, name] = scaled(size, 'm'), [, step] = ticks(0, size / f, 3), long = step * f / size * pixels;
      g.strokeStyle = soft; g.lineWidth = 2; g.beginPath(); g.moveTo(w - 12 - long, h - 12); g.lineTo(w - 12, h - 12); g.stroke();
      g.fillStyle = soft; g.textAlign = 'right'; g.fillText(written(step, step) + ' ' + name, w - 12, h - 18);
    };
    const rod = (x, y, angle, long, colour) => {  // from its upper end
      g.strokeStyle = colour; g.lineWidth = 7; g.lineCap = 'round'; g.beginPath(); g.moveTo(x, y);
      g.lineTo(x + long * Math.sin(angle), y + long * Math.cos(angle)); g.stroke();
    };
    if (spec.type === 'pendulums') {
      const long = 160, d = Math.PI / 180;
      g.fillStyle = soft; g.fillRect(w / 2 - 90, 18, 180, 6);
      rod(w / 2 - 14, 24, at(spec.signals[0]) * d, long, one); rod(w / 2 + 14, 24, at(spec.signals[1]) * d, long, two);
    } else if (spec.type === 'line') {  // surfaces on a line; what is soft deforms where they overlap
      const [low, high] = range(...spec.signals), a = Math.min(low, spec.wall ? 0 : low), b = Math.max(high, spec.wall ? 0 : high);
      const size = Math.max(b - a, 1e-300), m = 90, X = v => m + (v - a) / size * (w - 2 * m), r = 34, y = 100;
      if (spec.wall) {  // it gives way where the body presses
        const dent = Math.max(0, X(at(spec.signals[0])) - X(0));
        g.fillStyle = soft; g.beginPath(); g.moveTo(w, 20);
        for (let v = 20; v <= 180; v += 4) g.lineTo(X(0) + dent * Math.exp(-(((v - y) / 48) ** 2)), v);
        g.lineTo(w, 180); g.closePath(); g.fill();
      }
      g.globalAlpha = 0.85; disc(X(at(spec.signals[0])) - r, y, r, one);
      if (spec.signals.length > 1) disc(X(at(spec.signals[1])) + r, y, r, two);
      g.globalAlpha = 1; scale(size, w - 2 * m);
    } else if (spec.type === 'drop') {  // a ball over a floor, or over a surface that moves
      const names = spec.surface ? [...spec.signals, spec.surface] : spec.signals;
      let [low, high] = range(...names); low = Math.min(low, 0); high = Math.max(high, 0);
      const size = Math.max(high - low, 1e-300), top = 58, base = h - 52, Y = v => base - (v - low) / size * (base - top), r = 22;
      const u = spec.surface ? Y(at(spec.surface)) : Y(0), foot = Y(at(spec.signals[0])), dent = Math.max(0, foot - u);
      const bump = (x, size) => Math.exp(-(((x - w / 2) / size) ** 2));  // the contact is compressed by the dent
      g.strokeStyle = soft; g.lineWidth = 3; g.beginPath();
      for (let x = 0; x <= w; x += 4) g.lineTo(x, Y(0) + (u - Y(0)) * bump(x, 0.16 * w) + dent * bump(x, 1.5 * r));
      g.stroke(); disc(w / 2, foot - r, r, one); scale(size, base - top);
    } else {  // a bar that falls on its tip
      const [low, high] = range(spec.signals[0]), size = Math.max(high - Math.min(low, 0), 1e-300), base = h - 30;
      g.strokeStyle = soft; g.lineWidth = 3; g.beginPath(); g.moveTo(0, base); g.lineTo(w, base); g.stroke();
      const y = base - (at(spec.signals[0]) - Math.min(low, 0)) / size * 60, long = 130;
      rod(w / 2, y, Math.PI / 2 + at(spec.signals[1]), long, one); scale(size, 60);
    }
    g.textAlign = 'left'; g.fillStyle = ink;
    const [f, name] = scaled(Math.max(t, 1e-12), 's'); clock.textContent = (t / f).toPrecision(5) + ' ' + name;
    slider.value = 1000 * place;
  };
  const turn = now => {
    if (!playing) return;
    place = Math.max(0, now - begun) / 8000 % 1; show(); requestAnimationFrame(turn);
  };
  const set = on => {
    playing = on; button.textContent = on ? 'Pause' : 'Play';
    if (on) { begun = performance.now() - 8000 * place; requestAnimationFrame(turn); }
  };
  button.onclick = () => set(!playing);
  slider.oninput = () => { set(false); place = slider.value / 1000; show(); };
  plot.follower = p => { if (p.moment !== null && !playing) place = (p.moment - p.view[0]) / (p.view[1] - p.view[0]); if (!playing) show(); };
  widths(motion, show);
  show(); set(!matchMedia('(prefers-reduced-motion: reduce)').matches);
}
})();)js";

}  // namespace carom
