// Sliders from the engine's own schema.
import { make, shown } from './dom';
import type { Field, Kind } from './engine';

/** What an instrument has no use for: how a run advances and what it writes. */
const elsewhere = new Set(['', 'run', 'output', 'sound']);

function slider(field: Field, key: string, now: number, changed: (key: string, value: number) => void): HTMLElement {
  const { low, high, logarithmic } = field.slider!;
  const whole = field.type === 'whole_number';
  const log = logarithmic && low > 0;
  const bottom = Math.min(low, now), top = Math.max(high, now);
  const to = (value: number) => (log ? Math.log(value / bottom) / Math.log(top / bottom) : (value - bottom) / (top - bottom));
  const from = (place: number) => {
    const value = log ? bottom * (top / bottom) ** place : bottom + place * (top - bottom);
    return whole ? Math.round(value) : Number(value.toPrecision(4));
  };
  const unit = field.unit ? ` ${field.unit}` : '';
  const output = make('output', {}, shown(now) + unit);
  const input = make('input', {
    type: 'range', min: '0', max: '1', step: '0.001', 'data-key': key,
    'aria-label': `${key}: ${field.help}`,
    'aria-valuetext': shown(now) + unit,
    oninput: () => {
      const value = from(Number(input.value));
      output.textContent = shown(value) + unit;
      input.setAttribute('aria-valuetext', shown(value) + unit);
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
        .filter((field) => field.slider && typeof row[field.name] === 'number')
        .map((field) => slider(field, `${prefix}.${field.name}`, row[field.name] as number, changed));
      if (!all.length) return;
      const first = form.childElementCount === 0;
      form.append(make('details', { open: first }, make('summary', {}, make('b', {}, prefix.replace('.', ' '))), ...all));
    });
  }
  return form;
}
