// Small helpers for making elements.
type Attributes = Record<string, string | boolean | ((event: never) => void)>;

/** make('button.main', { onclick, 'aria-label': '...' }, 'text', child, ...) */
export function make<K extends keyof HTMLElementTagNameMap>(
  what: K | `${K}.${string}`,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const [tag, ...classes] = what.split('.');
  const element = document.createElement(tag) as HTMLElementTagNameMap[K];
  if (classes.length) element.className = classes.join(' ');
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), value as EventListener);
    else if (value !== false) element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children);
  return element;
}

/** A number for people: four digits, never 0 for what is not. */
export function shown(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e5)) return value.toExponential(3).replace(/\.?0+e/, 'e').replace('e+', 'e');
  return String(Number(value.toPrecision(4)));
}

const prefixes: [number, string][] = [[1e9, 'G'], [1e6, 'M'], [1e3, 'k'], [1, ''], [1e-3, 'm'], [1e-6, 'µ'], [1e-9, 'n'], [1e-12, 'p']];

/** The unit that people use for values of this size, as in the report of a run: 0.000123 s is 123 µs. */
export function unitFor(size: number, unit = ''): { factor: number; name: string } {
  if (!['s', 'm', 'N', 'J', 'Hz', 'N s'].includes(unit)) return { factor: 1, name: unit };
  const found = prefixes.find(([factor]) => Math.abs(size) >= factor * 0.9995 && !(unit === 'm' && factor > 1));
  return found ? { factor: found[0], name: found[1] + unit } : { factor: 1, name: unit };
}

/** A value with its unit. */
export function quantity(value: number | null | undefined, unit?: string): string {
  if (value === null || value === undefined) return shown(value);
  const { factor, name } = unitFor(value, unit);
  return `${shown(value / factor)} ${name}`.trimEnd();
}

export function table(head: string[], rows: string[][]): HTMLElement {
  return make('div.scroll', {}, make('table', {}, make('thead', {}, make('tr', {}, ...head.map((one) => make('th', { scope: 'col' }, one)))),
    make('tbody', {}, ...rows.map((row) => make('tr', {}, ...row.map((cell) => make('td', {}, cell)))))));
}

export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/** A canvas with as many dots as the screen has. */
export function fitted(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
  const ratio = devicePixelRatio || 1;
  const width = Math.round(canvas.clientWidth * ratio);
  const height = Math.round(canvas.clientHeight * ratio);
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
  }
  const context = canvas.getContext('2d')!;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}

export function download(name: string, parts: BlobPart[], type: string) {
  const link = make('a', { href: URL.createObjectURL(new Blob(parts, { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
