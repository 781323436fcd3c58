// The tab Identify: a recording or a table of measurements becomes a law, with a verdict.
import { tablesIn } from './archive';
import { download, make, shown, table, unitFor } from './dom';
import { quick, slow, type Answer, type Said } from './engine';
import { engineParameters } from './engine_parameters';
import { plot } from './plots';

interface Source {
  name: string;
  bytes: Uint8Array;
  rate?: number; // samples that are decoded already
}

const compressed = /\.(flac|ogg|oga|opus|mp3|m4a|aac|webm)$/i;

/** WAV and text go to the engine as they are; what it cannot read is decoded here. An archive has several. */
async function sourcesOf(file: File): Promise<Source[]> {
  const bytes = await file.arrayBuffer();
  if (!compressed.test(file.name)) return (await tablesIn(new Uint8Array(bytes))) ?? [{ name: file.name, bytes: new Uint8Array(bytes) }];
  const context = new OfflineAudioContext(1, 1, 48000);
  return [decoded(file.name, await context.decodeAudioData(bytes))];
}

function decoded(name: string, sound: AudioBuffer): Source {
  const samples = new Float64Array(sound.length);
  for (let c = 0; c < sound.numberOfChannels; ++c) {
    sound.getChannelData(c).forEach((value, i) => (samples[i] += value / sound.numberOfChannels));
  }
  return { name, bytes: new Uint8Array(samples.buffer), rate: sound.sampleRate };
}

/** What the microphone hears until it is stopped, without what phones do to speech. */
class Recorder {
  private recorder?: MediaRecorder;
  async start() {
    const stream = await navigator.mediaDevices.getUserMedia({ audio: { echoCancellation: false, noiseSuppression: false, autoGainControl: false } });
    this.recorder = new MediaRecorder(stream);
    this.recorder.start();
  }
  get running() {
    return this.recorder?.state === 'recording';
  }
  stop(): Promise<Source> {
    const recorder = this.recorder!;
    return new Promise((resolve, reject) => {
      recorder.ondataavailable = async ({ data }) => {
        recorder.stream.getTracks().forEach((track) => track.stop());
        try {
          const context = new OfflineAudioContext(1, 1, 48000);
          resolve(decoded('microphone', await context.decodeAudioData(await data.arrayBuffer())));
        } catch (error) {
          reject(error);
        }
      };
      recorder.stop();
    });
  }
}

const examples: Record<string, { text: string; mass: string }> = {
  'bounces of a ball (times)': { text: `time (s)\n${bounces(0.9, 0.62).join('\n')}\n`, mass: '' },
  // Of 10 g under Hunt and Crossley's law (k = 2e7, mu = 0.12), with a scatter of 0.3, 0.6 and 1 %.
  'impacts at several speeds': {
    text: 'speed,restitution,contact_time,max_force\n0.25,0.981,8.160e-4,11.14\n0.5,0.964,7.055e-4,25.51\n1,0.931,6.183e-4,57.66\n2,0.864,5.461e-4,128.9\n3,0.807,5.017e-4,205.4\n4,0.755,4.770e-4,283.8\n6,0.669,4.513e-4,464.9\n8,0.603,4.353e-4,652\n',
    mass: '0.01',
  },
};
/** Times of a ball that keeps a constant share of its speed. */
function bounces(restitution: number, first: number): string[] {
  const times = [0];
  for (let flight = first; flight > 0.05 && times.length < 24; flight *= restitution) times.push(times[times.length - 1] + flight);
  return times.map((time) => time.toFixed(4));
}

export function open(panel: HTMLElement) {
  const number = (label: string, unit: string) => {
    const input = make('input', { type: 'number', min: '0', step: 'any', placeholder: 'not given', style: 'width: 9rem', 'data-key': label });
    return { input, row: make('label.row', {}, make('span', { style: 'width: 9rem' }, `${label} [${unit}]`), input) };
  };
  const mass = number('mass', 'kg'), speed = number('speed', 'm/s');
  const names = (label: string, example: string) => {
    const input = make('input', { type: 'text', placeholder: example, style: 'width: 9rem', autocapitalize: 'off', spellcheck: 'false', 'data-key': label });
    return { input, row: make('label.row', {}, make('span', { style: 'width: 9rem' }, label), input) };
  };
  const columns = names('columns', 'time,force'), units = names('units', 'ms,N');
  const law = make('select', { 'aria-label': 'Law' }, make('option', { value: '' }, 'whichever fits best'),
    ...['hunt-crossley', 'hertz-damper', 'kelvin-voigt', 'power-law', 'tsuji', 'kuwabara-kono'].map((name) => make('option', { value: name }, name)));
  const status = make('p', { role: 'status', 'aria-live': 'polite' });
  const results = make('div.stack', { id: 'found' });
  const input = make('input', { type: 'file', id: 'data', 'aria-label': 'Recording or table of measurements', onchange: () => {
    if (input.files?.[0]) void take(sourcesOf(input.files[0]));
  } });
  const recorder = new Recorder();
  const record = make('button', { type: 'button', onclick: async () => {
    try {
      if (recorder.running) {
        record.textContent = 'Record';
        return void take(recorder.stop().then((one) => [one]));
      }
      await recorder.start();
      record.textContent = 'Stop recording';
      status.textContent = 'Recording: let the ball bounce to rest, then stop.';
    } catch {
      status.textContent = 'There is no microphone that this page may use.';
    }
  } }, 'Record');
  const drop = make('div.drop', {
    ondragover: (event: DragEvent) => (event.preventDefault(), drop.classList.add('over')),
    ondragleave: () => drop.classList.remove('over'),
    ondrop: (event: DragEvent) => {
      event.preventDefault();
      drop.classList.remove('over');
      const file = event.dataTransfer?.files[0];
      if (file) void take(sourcesOf(file));
    },
  }, make('p', {}, 'Drop a recording of bounces (WAV, FLAC, MP3), a table (CSV, LVM) or a phyphox export here, or'), make('div.row', { style: 'justify-content: center' }, input, record));
  const tries = make('div.row', {}, make('span.small', {}, 'or try:'), ...Object.entries(examples).map(([name, one]) =>
    make('button', { type: 'button', class: 'small', onclick: () => {
      mass.input.value = one.mass;
      void take(Promise.resolve([{ name: `${name}.csv`, bytes: new TextEncoder().encode(one.text) }]));
    } }, name)));
  panel.replaceChildren(make('div.split', {}, make('div.stack', {}, make('div.card', {}, drop, tries, status), results),
    make('div.card', {}, make('h2', {}, 'What you know besides'), mass.row, speed.row, make('label.row', {}, make('span', { style: 'width: 9rem' }, 'law'), law),
      columns.row, units.row,
      make('p.small.soft', {}, 'The mass turns accelerations into forces and gives a stiffness; times of bounces need neither. Columns and units are for tables whose titles do not say.'))));

  // What is known better is applied to what is there.
  let latest: Promise<Source[]> | undefined, turn = 0;
  for (const one of [mass.input, speed.input, law, columns.input, units.input]) one.addEventListener('change', () => latest && void take(latest));

  async function take(coming: Promise<Source[]>) {
    latest = coming;
    const mine = ++turn;
    results.replaceChildren();
    status.className = '';
    status.textContent = 'Reading…';
    const told: string[] = [], found: HTMLElement[] = [];
    try {
      const sources = await coming;
      const given = (one: HTMLInputElement) => (one.value === '' ? undefined : Number(one.value));
      const list = (one: HTMLInputElement) => one.value.split(',').map((part) => part.trim()).filter(Boolean);
      for (const { name, bytes, rate } of sources) {
        if (mine !== turn) return;
        status.textContent = `${name}: identifying…`;
        try {
          const answer = await slow.ask({ do: 'identify', file: name, rate, law: law.value, mass: given(mass.input), speed: given(speed.input), columns: list(columns.input), units: list(units.input) }, { [name]: bytes });
          told.push(`${name}: ${answer.said.runs.length === 1 ? 'one run' : `${answer.said.runs.length} runs`}`);
          found.push(...answer.said.runs.map((run: Said) => shownRun(run, answer)));
        } catch (error) {
          told.push((error as Error).message);
        }
      }
    } catch (error) {
      told.push((error as Error).message);
    }
    if (mine !== turn) return;
    status.className = found.length ? '' : 'error';
    status.textContent = told.join('\n');
    results.replaceChildren(...found);
  }
}

/** Of what an impact comes to. */
const predicted: Record<string, string> = {
  rebound_speed: 'm/s', max_compression: 'm', separation_compression: 'm', equilibrium_compression: 'm', max_force: 'N',
  contact_time: 's', max_compression_time: 's', max_force_time: 's', energy_in: 'J', energy_lost: 'J',
};
/** Of what a law is given as besides its own parameters. */
const moreUnits: Record<string, string> = { mu: 's/m', lambda: 'N s/m^(n+1)' };
const withUnit = (name: string, unit?: string) => (unit ? `${name} [${unit}]` : name);

const tone: Record<string, string> = { accepted: 'good', rejected: 'poor', undetermined: 'note' };

function shownRun(run: Said, { columns }: Answer): HTMLElement {
  const { document: found } = run;
  const numbers = Object.entries(found.law).filter(([name, value]) => name !== 'name' && typeof value === 'number')
    .map(([name, value]) => [withUnit(name.replaceAll('_', ' '), run.units[name] ?? moreUnits[name]), shown(value as number), shown(found.uncertainty?.[name])]);
  const parts: HTMLElement[] = [];
  const events = found.read.events;
  const read = [found.read.format, found.read.run, ...(found.read.columns ?? []).map((one: Said) => `${one.quantity} from “${one.title}” in ${one.unit}`),
    Array.isArray(events) ? `${events.length} events` : events !== undefined ? `${events} events` : '', found.read.bounces ? `${found.read.bounces} bounces used` : ''].filter(Boolean).join('; ');
  parts.push(make('p.small.soft', {}, `Read: ${read}.`));
  parts.push(make('h2', { class: tone[found.verdict], 'data-verdict': found.verdict }, `${found.law.name}: ${found.verdict}`));
  for (const reason of found.reasons ?? []) parts.push(make('p.small', {}, `because ${reason}`));
  if (numbers.length) parts.push(table(['', 'value', '95 % half width'], numbers));
  if (found.undetermined?.length) parts.push(make('p.note', {}, `Not determined: ${found.undetermined.join(', ')}.`));
  if (found.advice?.length) parts.push(make('p.small', {}, `What would help: ${found.advice.join(', ')}.`));
  if (run.sound !== undefined) {
    const sound = columns[run.sound];
    const times = Float64Array.from(sound, (_, i) => i / run.rate);
    parts.push(plot('Recording', { label: 'time', unit: 's', values: times }, [{ label: 'sound', values: sound }], 160));
  }
  if (run.values !== undefined) parts.push(plot('Measured', { label: 'time', unit: 's', values: columns[run.time] }, [{ label: 'measured', unit: found.read.unit ?? 'N', values: columns[run.values] }], 180));
  const hits = found.data.bounces ?? found.data.impacts;
  if (hits?.length > 1 && hits[0].restitution !== undefined) {
    const sorted = [...hits].sort((a: Said, b: Said) => (a.speed_in ?? a.speed) - (b.speed_in ?? b.speed));
    parts.push(plot('Restitution over speed', { label: 'speed', unit: 'm/s', values: sorted.map((one: Said) => one.speed_in ?? one.speed) }, [
      { label: 'measured', values: sorted.map((one: Said) => one.restitution) },
      { label: `by ${found.law.name}`, values: sorted.map((one: Said) => one.fitted_restitution) }], 200));
  }
  parts.push(make('details', {}, make('summary', {}, 'All candidates, best first'), table(['law', 'misfit', 'criterion', 'verdict'],
    found.candidates.map((one: Said) => [one.law.name, shown(one.misfit), shown(one.criterion), one.verdict]))));
  parts.push(prediction(found), engineParameters(found));
  parts.push(make('div.row', {}, make('button', { type: 'button', onclick: () => download('fit.json', [JSON.stringify(found, null, 1)], 'application/json') }, 'Save fit.json')));
  return make('div.card', {}, ...parts);
}

/** What an impact at another speed would do, with how sure that is. */
function prediction(found: Said): HTMLElement {
  const mass = make('input', { type: 'number', step: 'any', 'aria-label': 'mass in kg', style: 'width: 8rem' });
  const speed = make('input', { type: 'number', step: 'any', 'aria-label': 'speed in m/s', style: 'width: 8rem' });
  mass.value = '0.01';
  speed.value = '1';
  const out = make('div', { role: 'status' });
  const ask = make('button', { type: 'button', onclick: async () => {
    try {
      const { said } = await quick.ask({ do: 'predict', document: found, mass: Number(mass.value), speed: Number(speed.value) });
      out.replaceChildren(table(['', 'value', '95 % interval'], Object.entries(said.result).filter(([, value]) => typeof value === 'number').map(([name, value]) => {
        const { factor, name: unit } = unitFor(value as number, predicted[name]);
        const [low, high] = said.interval[name]?.map((end: number | null) => shown(end === null ? end : end / factor)) ?? [];
        return [withUnit(name.replaceAll('_', ' '), unit), shown((value as number) / factor), low === undefined ? '' : `${low} to ${high}`];
      })));
    } catch (error) {
      out.replaceChildren(make('p.error', {}, (error as Error).message));
    }
  } }, 'Predict');
  return make('details', { open: true }, make('summary', {}, 'Predict an impact under this law'), make('div.row', {}, 'mass [kg]', mass, 'speed [m/s]', speed, ask), out);
}
