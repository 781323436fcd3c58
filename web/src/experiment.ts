// The tab Experiment: any scenario in an editor, run in a worker, with plots, films and downloads.
import { download, make, quantity, shown } from './dom';
import { kinds, presets, quick, Refusal, slow, Stopped, type Answer, type Problem, type Said } from './engine';
import { bodyFilm, curveFilm, motionFilm } from './film';
import { linkOf, textOf } from './link';
import { plot } from './plots';
import { wavFile } from './wav';

const files: Record<string, Uint8Array> = {};

/** A text field with the numbers of its lines; lines with problems are marked. */
class Editor {
  readonly text = make('textarea', { spellcheck: 'false', 'aria-label': 'Scenario in TOML', 'aria-describedby': 'problems', autocapitalize: 'off' });
  private numbers = make('pre', { 'aria-hidden': 'true' });
  readonly box = make('div.editor', {}, this.numbers, this.text);
  private problems: Problem[] = [];
  onedit = () => {};

  constructor() {
    this.text.addEventListener('input', () => {
      this.mark(this.problems);
      this.onedit();
    });
    this.text.addEventListener('scroll', () => (this.numbers.scrollTop = this.text.scrollTop));
  }
  get value() {
    return this.text.value;
  }
  set value(text: string) {
    this.text.value = text;
    this.mark([]);
  }
  mark(problems: Problem[]) {
    this.problems = problems;
    const wrong = new Map(problems.map((one) => [one.line, one.message]));
    this.numbers.replaceChildren(...this.text.value.split('\n').flatMap((_, i) => {
      const message = wrong.get(i + 1);
      return [message ? make('span.wrong', { title: message }, String(i + 1)) : String(i + 1), '\n'];
    }));
    this.text.setAttribute('aria-invalid', String(problems.length > 0));
  }
  go(line: number, column: number) {
    const lines = this.text.value.split('\n');
    const at = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0) + column - 1;
    this.text.focus();
    this.text.setSelectionRange(at, at);
    this.text.scrollTop = Math.max(0, (line - 6) * 20);
  }
}

export async function open(panel: HTMLElement) {
  panel.append(make('p.soft', {}, 'The engine is loading…'));
  const all = await presets();
  await kinds();
  const editor = new Editor();
  const list = make('ul.problems', { id: 'problems', role: 'status', 'aria-live': 'polite' });
  const advice = make('div.small', { id: 'advice' });
  const results = make('div.stack', { id: 'results', 'aria-live': 'polite' });
  const bar = make('i');
  const progress = make('div.bar', { hidden: true, role: 'progressbar', 'aria-label': 'Progress of the run' }, bar);
  const choice = make('select', { 'aria-label': 'Scenario to start from', onchange: () => set(all[Number(choice.value)].text) },
    make('option', { value: '', disabled: true, selected: true }, 'Start from…'),
    ...all.map((one, i) => make('option', { value: String(i) }, `${one.kind}: ${one.name}`)));
  const run = make('button.main', { type: 'button', id: 'run', onclick: () => void compute() }, 'Run');
  const stop = make('button', { type: 'button', disabled: true, onclick: () => slow.stop() }, 'Stop');
  const said = make('span.small', { role: 'status' });
  const link = make('button', { type: 'button', onclick: async () => {
    const address = await linkOf(editor.value);
    history.replaceState(null, '', address);
    try {
      await navigator.clipboard.writeText(address);
      said.textContent = `Link copied, ${address.length} characters.`;
    } catch {
      said.textContent = 'The link is in the address line.';
    }
  } }, 'Link');
  const add = make('input', { type: 'file', multiple: true, 'aria-label': 'Files that the scenario names', onchange: async () => {
    for (const file of add.files ?? []) files[file.name] = new Uint8Array(await file.arrayBuffer());
    said.textContent = `Files: ${Object.keys(files).join(', ')}`;
    void check();
  } });
  panel.replaceChildren(make('div.split.even', {},
    make('div.card', {}, make('div.row', {}, choice, run, stop, link), progress, said, editor.box, list, advice,
      make('details', {}, make('summary', {}, 'Files that the scenario names'), add)),
    results));

  let timer = 0, turn = 0;
  editor.onedit = () => {
    clearTimeout(timer);
    timer = window.setTimeout(() => void check(), 250);
  };

  function tell(error: Refusal) {
    const problems = error.problems ?? [];
    editor.mark(problems);
    list.replaceChildren(...(problems.length ? problems : [{ line: 0, column: 0, message: error.message }]).map((one) =>
      make('li', {}, make('button', { type: 'button', onclick: () => one.line && editor.go(one.line, one.column) },
        one.line ? `Line ${one.line}: ${one.message}` : one.message))));
    advice.replaceChildren();
  }

  /** While typing: what is wrong, and what would be better. */
  async function check() {
    const mine = ++turn;
    try {
      const answer = await quick.ask({ do: 'check', text: editor.value }, files);
      if (mine !== turn) return;
      editor.mark([]);
      list.replaceChildren();
      advice.replaceChildren(...answer.said.advice.map((one: Said) => make('p', { class: one.verdict, style: 'margin: .2rem 0' },
        make('b', {}, `${one.topic}: `), one.message, ...(one.proposal ? [make('code', {}, ` ${one.proposal}`)] : []))));
    } catch (error) {
      if (mine === turn) tell(error as Refusal);
    }
  }

  function set(text: string) {
    editor.value = text;
    results.replaceChildren(make('p.soft', {}, 'Press “Run”: results, plots and sound appear here.'));
    void check();
  }

  async function compute() {
    run.disabled = true;
    stop.disabled = progress.hidden = false;
    const begin = performance.now();
    said.textContent = 'Running…';
    try {
      const answer = await slow.ask({ do: 'run', text: editor.value }, files, (share) => {
        bar.style.width = `${100 * share}%`;
        progress.setAttribute('aria-valuenow', String(Math.round(100 * share)));
      });
      said.textContent = `Done in ${quantity((performance.now() - begin) / 1e3, 's')}.`;
      results.replaceChildren(...shownResults(answer));
    } catch (error) {
      said.textContent = error instanceof Stopped ? 'Stopped.' : 'Not run.';
      if (error instanceof Refusal) tell(error);
      else if (!(error instanceof Stopped)) tell(new Refusal((error as Error).message));
    }
    run.disabled = false;
    stop.disabled = progress.hidden = true;
  }

  /** What the address carries, else the example. */
  async function follow(otherwise?: string) {
    try {
      const text = (await textOf(location.hash)) ?? otherwise;
      if (text !== undefined) set(text);
    } catch (error) {
      editor.value = '';
      results.replaceChildren();
      tell(new Refusal((error as Error).message));
    }
  }
  addEventListener('hashchange', () => void follow());
  await follow(all.find((one) => one.name === 'ball on bell')?.text ?? all[0].text);
}

function csvOf(signals: Said[], columns: Float64Array[]): string[] {
  const data = signals.map((one) => columns[one.column]);
  const lines = [`${signals.map((one) => one.name).join(',')}\n`];
  for (let row = 0; row < data[0].length; ++row) lines.push(`${data.map((column) => column[row]).join(',')}\n`);
  return lines;
}

function shownResults({ said, columns }: Answer): HTMLElement[] {
  const { summary, signals, energy } = said;
  const time = columns[signals[0].column];
  const out: HTMLElement[] = [];
  const numbers = said.key_numbers.map((one: Said) => make('div.meter', {}, make('span', {}, one.label), make('b', {}, quantity(one.value, one.unit)),
    ...(one.note ? [make('span', {}, one.note)] : [])));
  const save = make('div.row', {},
    make('button', { type: 'button', onclick: () => download('scenario.toml', [said.toml], 'application/toml') }, 'TOML'),
    make('button', { type: 'button', onclick: () => download('signals.csv', csvOf(signals, columns), 'text/csv') }, 'CSV'),
    make('button', { type: 'button', onclick: () => download('summary.json', [JSON.stringify(summary, null, 2)], 'application/json') }, 'Summary'));
  const head = make('div.card', {},
    make('h2', { class: said.passed ? 'good' : 'poor', id: 'status' }, summary.status === 'done' ? 'Done' : summary.status),
    make('p', {}, summary.energy.verdict), ...said.warnings.map((text: string) => make('p.note', {}, text)),
    make('div.meters', {}, ...numbers), make('p.small.soft', {}, `${summary.law.name}, ${summary.method}; ${quantity(summary.timing.cpu_seconds, 's')} of computing for ${quantity(summary.timing.simulated_seconds, 's')}.`), save);
  out.push(head);
  if (said.sound) {
    const { rate, channels, bits, gain, peak, column } = said.sound;
    const file = wavFile(columns[column], rate, channels, bits);
    const sound = make('audio', { controls: true, id: 'sound', src: URL.createObjectURL(new Blob([file], { type: 'audio/wav' })), style: 'width: 100%' });
    save.append(make('button', { type: 'button', onclick: () => download('sound.wav', [file], 'audio/wav') }, 'WAV'));
    head.append(sound, make('p.small.soft', {}, `${channels === 2 ? 'Stereo' : 'Mono'}, ${bits} bits at ${rate} Hz; gain ${shown(gain)}, peak ${shown(20 * Math.log10(peak))} dBFS.`));
  }
  for (const film of said.films) out.push(curveFilm(film, columns));
  for (const film of said.body_films) out.push(bodyFilm(film, columns));
  const motion = said.motion ? motionFilm(said.motion, signals, columns) : undefined;
  if (motion) out.push(motion.film);
  if (time.length > 1) {
    for (const signal of signals.slice(1)) {
      out.push(make('div.card', {}, plot(signal.name.replaceAll('_', ' '), { label: 'time', unit: 's', values: time }, [{ label: signal.help, unit: signal.unit, values: columns[signal.column] }], 220, motion?.look)));
    }
  }
  if (columns[energy.time].length > 1) {
    const names = ['kinetic', 'elastic', 'dissipated', 'injected'].filter((name) => columns[energy[name]].some((value) => value !== 0));
    if (names.length) out.push(make('div.card', {}, plot('Energy', { label: 'time', unit: 's', values: columns[energy.time] }, names.map((name) => ({ label: name, unit: 'J', values: columns[energy[name]] })))));
  }
  out.push(make('div.card', {}, make('details', {}, make('summary', {}, 'Results'), make('pre.code', { id: 'json' }, JSON.stringify(summary.results, null, 2)))));
  return out;
}
