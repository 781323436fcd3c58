// Plots that can be zoomed: drag to zoom in, double click (or the button) to see all.
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { colour, make, shown } from './dom';

export interface Curve {
  label: string;
  unit?: string;
  values: ArrayLike<number>;
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

/** A plot of one or more curves over one axis; curves of one unit belong together. */
export function plot(title: string, xLabel: string, time: ArrayLike<number>, curves: Curve[], height = 220): HTMLElement {
  const box = make('div', { 'data-plot': title });
  const all = make('button', { type: 'button', class: 'small' }, 'show all');
  const heading = make('div.row', {}, make('h2', { style: 'flex: 1' }, title), all);
  const unit = curves[0].unit ? ` [${curves[0].unit}]` : '';
  let drawn: uPlot | undefined;
  let [low, high] = [time[0], time[time.length - 1]];
  const data = (): uPlot.AlignedData => {
    if (curves.length === 1) return thinned(time, curves[0].values, low, high) as unknown as uPlot.AlignedData;
    const tables = curves.map((curve) => thinned(time, curve.values, low, high));
    return uPlot.join(tables.map(([x, y]) => [x, y]) as uPlot.AlignedData[]);
  };
  const draw = () => {
    drawn?.destroy();
    const axis = (label: string): uPlot.Axis => ({
      label, stroke: colour('soft'), grid: { stroke: colour('line') }, ticks: { stroke: colour('line') }, size: 64,
      values: (_, values) => values.map((value) => shown(value)),
    });
    drawn = new uPlot({
      width: Math.max(200, box.clientWidth), height,
      cursor: { drag: { x: true, y: false } },
      scales: { x: { time: false } },
      legend: { show: curves.length > 1 },
      axes: [{ ...axis(xLabel), size: 44 }, axis((curves.length === 1 ? curves[0].label : '') + unit)],
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
          self.setData(data(), false);
          self.redraw();
        }],
      },
    }, data(), target);
  };
  const target = make('div', { role: 'img', 'aria-label': `${title} over ${xLabel}` });
  all.addEventListener('click', () => {
    [low, high] = [time[0], time[time.length - 1]];
    draw();
  });
  target.addEventListener('dblclick', () => all.click());
  box.append(heading, target);
  new ResizeObserver(() => {
    if (box.clientWidth > 0 && Math.abs((drawn?.width ?? 0) - box.clientWidth) > 2) draw();
  }).observe(box);
  addEventListener('themechange', () => drawn && draw());
  return box;
}
