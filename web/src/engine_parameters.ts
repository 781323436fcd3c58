// A fitted law as the parameters of a physics engine, and what that engine will make of them.
import { download, make, quantity, shown, table } from './dom';
import { quick, type Said } from './engine';

export function engineParameters(found: Said): HTMLElement {
  const choice = make('select', { 'aria-label': 'Physics engine', onchange: () => arrange() });
  const about = make('p.small.soft', {});
  const field = (label: string, value: number | null | undefined) => {
    const input = make('input', { type: 'number', step: 'any', min: '0', style: 'width: 8rem', 'data-key': `engine ${label}` });
    input.value = typeof value === 'number' ? String(Number(value.toPrecision(6))) : '';
    return { input, label: make('label.row', {}, label, input) };
  };
  const mass = field('mass [kg]', found.reference?.mass), speed = field('speed [m/s]', found.reference?.speed ?? 1);
  const step = field('time step [s]', 0.001), radius = field('radius [m]', undefined);
  const out = make('div', { role: 'status', id: 'engine-parameters' });
  const given = ({ input }: { input: HTMLInputElement }) => (input.value === '' ? undefined : Number(input.value));
  const ask = make('button', { type: 'button', onclick: async () => {
    try {
      const { said } = await quick.ask({ do: 'export', document: found, engine: choice.value, mass: given(mass), speed: given(speed), timestep: given(step), radius: given(radius) });
      out.replaceChildren(...shownEngine(said));
    } catch (error) {
      out.replaceChildren(make('p.error', {}, (error as Error).message));
    }
  } }, 'Show parameters');
  let engines: Said[] = [];
  const arrange = () => {
    const one = engines.find((engine) => engine.name === choice.value);
    about.textContent = `Takes ${one.takes}. Checked ${one.checked === 'run' ? 'by running' : 'by the source of'} ${one.title} ${one.version}.`;
    out.replaceChildren();
  };
  void quick.ask({ do: 'engines' }).then(({ said }) => {
    engines = said;
    choice.replaceChildren(...said.map((one: Said) => make('option', { value: one.name }, one.title)));
    arrange();
  });
  return make('details', { id: 'engines' }, make('summary', {}, 'Parameters for a physics engine'),
    make('div.row', {}, choice, mass.label, speed.label, step.label, radius.label, ask), about, out);
}

function shownEngine(said: Said): HTMLElement[] {
  const { expected, naive } = said;
  const [low, high] = expected.restitution_range;
  const row = (name: string, key: string, unit?: string) =>
    [name, ...[expected[`wanted_${key}`], expected[key], ...(naive ? [naive[key]] : [])].map((value) => quantity(value, unit))];
  const save = make('button', { type: 'button', onclick: () => download(`${said.engine}.json`, [JSON.stringify(said, null, 2)], 'application/json') }, `Save ${said.engine}.json`);
  return [
    make('pre.code', {}, said.snippet),
    table(['', 'wanted', 'the engine gives', ...(naive ? ['usual setting'] : [])], [row('restitution', 'restitution'), row('contact time', 'contact_time', 's')]),
    make('p.small', {}, `Over the phases of a time step the restitution is ${shown(low)} to ${shown(high)}.`),
    make('p.small', {}, `Kept: ${said.kept}. Lost: ${said.lost}.`),
    ...said.warnings.map((text: string) => make('p.small.note', {}, text)),
    make('div.row', {}, save),
  ];
}
