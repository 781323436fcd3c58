// Plots that can be zoomed and moved: by dragging and the wheel, or by buttons, which fingers and
// keyboards reach too.
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { colour, make, shown, unitFor } from './dom';

export interface Curve {
  label: string;
  unit?: string;
  values: ArrayLike<number>;
}

/** Curves of one unit in the unit that fits the largest of them, with its name. */
function inUnit(curves: Curve[]): { curves: Curve[]; unit: string; factor: number } {
  let most = 0;
  for (const { values } of curves) for (let i = 0; i < values.length; ++i) most = Math.max(most, Math.abs(values[i]));
  const { factor, name } = unitFor(most, curves[0].unit);
  const scaled = factor === 1 ? curves : curves.map((one) => ({ ...one, values: Float64Array.from(one.values, (value) => value / factor) }));
  return { curves: scaled, unit: name && name !== '1' ? ` [${name}]` : '', factor };
}

/** The marks of an axis, with the digits that tell one from the next. */
function marks(values: number[], step: number): string[] {
  let digits = 0;
  while (digits < 12 && Math.abs(step * 10 ** digits - Math.round(step * 10 ** digits)) > 1e-6) ++digits;
  const plain = values.every((value) => Math.abs(value) < 1e5) && step >= 1e-9;
  return values.map((value) => (plain ? value.toFixed(digits) : shown(value)));
}

const mostPoints = 4000;

/** At most a few thousand points that keep every peak: lowest and highest of each stretch. */
function thinned(time: ArrayLike<number>, values: ArrayLike<number>, from: number, to: number): [number[], number[]] {
  let first = 0, last = time.length - 1;
  while (first < last && time[first + 1] < from) ++first;
  while (last > first && time[last - 1] > to) --last;
  const stretch = Math.max(1, Math.ceil((last - first + 1) / (mostPoints / 2)));
  const x: number[] = [], y: number[] = [];
  for (let i = first; i <= last; i += stretch) {
    let low = i, high = i;
    for (let k = i; k <= Math.min(last, i + stretch - 1); ++k) {
      if (values[k] < values[low]) low = k;
      if (values[k] > values[high]) high = k;
    }
    for (const k of low < high ? [low, high] : low > high ? [high, low] : [low]) {
      x.push(time[k]);
      y.push(values[k]);
    }
  }
  return [x, y];
}

/** A plot of one or more curves over one axis; curves of one unit belong together. `looks` hears which stretch of
    the axis is looked at. */
export function plot(title: string, over: Curve, all: Curve[], height = 220, looks?: (from: number, to: number) => void): HTMLElement {
  const { curves: [{ values: time }], unit: xUnit, factor } = inUnit([over]), { curves, unit } = inUnit(all);
  const xLabel = over.label + xUnit;
  const box = make('div', { 'data-plot': title });
  const whole: [number, number] = [time[0], time[time.length - 1]];
  const tell = () => looks?.(low * factor, high * factor);
  /** Another stretch of the axis: `size` times as long, moved by `way` of its length, about `centre` of it. */
  const look = (size: number, way: number, centre = 0.5) => {
    const length = Math.min((high - low) * size, whole[1] - whole[0]);
    const from = low + centre * (high - low - length) + way * (high - low);
    low = Math.min(Math.max(from, whole[0]), whole[1] - length);
    high = low + length;
    draw();
    tell();
  };
  const key = (label: string, sign: string, act: () => void) =>
    make('button.small', { type: 'button', 'aria-label': `${title}: ${label}`, title: label, onclick: act }, sign);
  const back = key('show all', 'all', () => {
    [low, high] = whole;
    draw();
    tell();
  });
  const about = curves.length === 1 && curves[0].label !== title ? make('span.small.soft', {}, ` ${curves[0].label}`) : '';
  const heading = make('div.row', {}, make('h2', { style: 'flex: 1' }, title, about), make('div.row.tight', {},
    key('earlier', '◀', () => look(1, -0.4)), key('later', '▶', () => look(1, 0.4)),
    key('zoom out', '−', () => look(2.5, 0)), key('zoom in', '+', () => look(0.4, 0)), back));
  let drawn: uPlot | undefined;
  let [low, high] = whole;
  const data = (): uPlot.AlignedData => {
    if (curves.length === 1) return thinned(time, curves[0].values, low, high) as unknown as uPlot.AlignedData;
    const tables = curves.map((curve) => thinned(time, curve.values, low, high));
    return uPlot.join(tables.map(([x, y]) => [x, y]) as uPlot.AlignedData[]);
  };
  const draw = () => {
    drawn?.destroy();
    const axis = (label: string): uPlot.Axis => ({
      label, stroke: colour('soft'), grid: { stroke: colour('line') }, ticks: { stroke: colour('line') }, size: 64,
      values: (_, values, _axis, _space, step) => marks(values, step),
    });
    drawn = new uPlot({
      width: Math.max(200, box.clientWidth), height,
      cursor: { drag: { x: true, y: false } },
      scales: { x: { time: false } },
      legend: { show: curves.length > 1 },
      axes: [{ ...axis(xLabel), size: 44 }, axis(unit.trim())],
      series: [{ label: xLabel, value: (_, value) => shown(value) }, ...curves.map((curve, i) => ({
        label: curve.label, stroke: colour(`c${(i % 5) + 1}`), width: 1.5, spanGaps: true,
        value: (_: uPlot, value: number | null) => (value === null ? '' : shown(value)),
      }))],
      hooks: {
        // Zoomed in, the same number of points shows more of the truth.
        setScale: [(self, key) => {
          const { min, max } = self.scales[key];
          if (key !== 'x' || min === undefined || max === undefined || min === null || max === null || (min === low && max === high)) return;
          [low, high] = [min, max];
          tell();
          self.setData(data(), false);
          self.redraw();
        }],
      },
    }, data(), target);
    drawn.setScale('x', { min: low, max: high });
  };
  const target = make('div', { role: 'img', 'aria-label': `${title} over ${xLabel}` });
  target.addEventListener('dblclick', () => back.click());
  target.addEventListener('wheel', (event) => {
    if (!drawn || !(event.ctrlKey || event.shiftKey)) return; // alone it scrolls the page
    event.preventDefault();
    const { left, width } = drawn.over.getBoundingClientRect();
    const turned = event.deltaY || event.deltaX; // with shift some systems turn it sideways
    look(Math.exp(turned / 300), 0, Math.min(1, Math.max(0, (event.clientX - left) / width)));
  }, { passive: false });
  box.append(heading, target);
  new ResizeObserver(() => {
    if (box.clientWidth > 0 && Math.abs((drawn?.width ?? 0) - box.clientWidth) > 2) draw();
  }).observe(box);
  addEventListener('themechange', () => drawn && draw());
  return box;
}
