// Sliders from the engine's own schema.
import { make, quantity } from './dom';
import type { Field, Kind, Slider } from './engine';

/** What an instrument has no use for: how a run advances and what it writes. */
const elsewhere = new Set(['', 'run', 'output', 'sound']);

/** The ends of a slider; where the schema has none, a decade and a half about the value. */
function endsOf(field: Field, value: unknown): Slider | undefined {
  if (typeof value !== 'number' || !['number', 'whole_number'].includes(field.type)) return undefined;
  if (field.slider) return field.slider;
  if (!(value > 0)) return undefined;
  return { low: Math.max(value / 30, field.lowest ?? 0), high: Math.min(value * 30, field.highest ?? Infinity), logarithmic: true };
}

function slider(field: Field, { low, high, logarithmic }: Slider, key: string, now: number, changed: (key: string, value: number) => void): HTMLElement {
  const whole = field.type === 'whole_number';
  const log = logarithmic && low > 0;
  const bottom = Math.min(low, now), top = Math.max(high, now);
  const to = (value: number) => (log ? Math.log(value / bottom) / Math.log(top / bottom) : (value - bottom) / (top - bottom));
  const from = (place: number) => {
    const value = log ? bottom * (top / bottom) ** place : bottom + place * (top - bottom);
    return whole ? Math.round(value) : Number(value.toPrecision(4));
  };
  const output = make('output', {}, quantity(now, field.unit));
  const input = make('input', {
    type: 'range', min: '0', max: '1', step: '0.001', 'data-key': key,
    'aria-label': `${key}: ${field.help}`,
    'aria-valuetext': quantity(now, field.unit),
    oninput: () => {
      const value = from(Number(input.value));
      output.textContent = quantity(value, field.unit);
      input.setAttribute('aria-valuetext', output.textContent);
      changed(key, value);
    },
  });
  input.value = String(to(now));
  return make('label.slider', { title: field.help }, make('span', {}, key.split('.').slice(1).join(' ')), output, input);
}

/** One slider for each number of the scenario that has a range, grouped by tables. */
export function sliders(kind: Kind, values: Record<string, unknown>, changed: (key: string, value: number) => void): HTMLElement {
  const form = make('div');
  for (const table of kind.tables) {
    if (elsewhere.has(table.name)) continue;
    const found = values[table.name];
    const rows = Array.isArray(found) ? found.slice(0, 3) : found ? [found] : [];
    rows.forEach((row: Record<string, unknown>, index) => {
      const prefix = table.repeated ? `${table.name}.${index + 1}` : table.name;
      const all = table.fields
        .flatMap((field) => {
          const ends = endsOf(field, row[field.name]);
          return ends ? [slider(field, ends, `${prefix}.${field.name}`, row[field.name] as number, changed)] : [];
        });
      if (!all.length) return;
      const first = form.childElementCount === 0;
      form.append(make('details', { open: first }, make('summary', {}, make('b', {}, prefix.replace('.', ' '))), ...all));
    });
  }
  return form;
}
