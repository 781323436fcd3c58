// An instrument that sounds: tables from the worker, the audio thread that plays them.
import { quick, type Said } from './engine';
import type { Event, LiveOptions, News, Opening } from './worklet';
import workletUrl from './worklet.ts?worker&url';
import wasm from '../../build/wasm/live.wasm?url';

/** What the engine says about the body that is played. */
export interface Body {
  kind: string;
  values: Record<string, unknown>;
  toml: string;
  notes: number;
  lowest: number;
  pitch: number;
  modes: number;
  string: number;
  places: number[];
  heights: number[];
  hammer: number;
  obstacle: number;
  finger: number;
  pluck_height: number;
  pluck_place: number;
  strike_speed: number;
  strike_place: number;
}

let compiled: Promise<WebAssembly.Module> | undefined;
export function liveModule(): Promise<WebAssembly.Module> {
  compiled ??= WebAssembly.compileStreaming(fetch(wasm));
  return compiled;
}

export async function tablesOf(text: string, overrides: string[], rate: number): Promise<{ body: Body; numbers: Float64Array }> {
  const { said, columns } = await quick.ask({ do: 'tables', text, overrides, rate });
  return { body: said as Said as Body, numbers: columns[said.numbers] };
}

export function strongest(body: Body): Event {
  const note = -body.lowest;
  return body.string > 0
    ? { gesture: 'pluck', note, amount: body.pluck_height, place: body.pluck_place }
    : { gesture: 'strike', note, amount: body.strike_speed, place: -1 };
}

export function openingOf(body: Body, numbers: Float64Array, gain?: number): Opening {
  return { numbers, voices: 6, oversampling: 4, strong: gain ?? strongest(body), contact: body.obstacle };
}

/** The audio node; events may be given beforehand, for rendering without a player. */
export async function liveNode(context: BaseAudioContext, options: Omit<LiveOptions, 'module'>): Promise<AudioWorkletNode> {
  const [module] = await Promise.all([liveModule(), context.audioWorklet.addModule(workletUrl)]);
  return new AudioWorkletNode(context, 'carom-live', {
    numberOfInputs: 0,
    outputChannelCount: [2],
    processorOptions: { module, ...options } satisfies LiveOptions,
  });
}

/** So many seconds of a passage, without a player: what the audio thread would have given. */
export async function render(text: string, events: Event[], seconds: number, { rate = 44100, voices = 6, gain }: { rate?: number; voices?: number; gain?: number } = {}): Promise<Float32Array> {
  const { body, numbers } = await tablesOf(text, [], rate);
  const context = new OfflineAudioContext(1, Math.round(seconds * rate), rate);
  const opening = { ...openingOf(body, numbers, gain), voices };
  const node = await liveNode(context, { opening, events });
  node.connect(context.destination);
  return (await context.startRendering()).getChannelData(0);
}

export class Instrument {
  body!: Body;
  gain = 0;
  /** How many notes can sound at once on this machine. */
  voices = 6;
  readonly analyser: AnalyserNode;
  onnews: (news: News) => void = () => {};
  private opened?: (error?: string) => void;

  private constructor(readonly context: AudioContext, private node: AudioWorkletNode) {
    this.analyser = new AnalyserNode(context, { fftSize: 4096, smoothingTimeConstant: 0.5 });
    // Chords are louder than the note by which the gain was set.
    const limiter = new DynamicsCompressorNode(context, { threshold: -3, knee: 0, ratio: 20, attack: 0.002, release: 0.1 });
    node.connect(this.analyser).connect(limiter).connect(context.destination);
    node.port.onmessage = ({ data }: MessageEvent<News>) => {
      if (data.opened) ({ gain: this.gain, voices: this.voices } = data.opened);
      if (data.opened || data.failed !== undefined) this.opened?.(data.failed);
      this.onnews(data);
    };
  }

  static async start(): Promise<Instrument> {
    const context = new AudioContext({ latencyHint: 'interactive' });
    const node = await liveNode(context, {});
    return new Instrument(context, node);
  }

  /** Another body; what sounds ends. */
  async open(text: string, overrides: string[]): Promise<Body> {
    const { body, numbers } = await tablesOf(text, overrides, this.context.sampleRate);
    this.body = body;
    // It is made on the audio thread, which misses blocks meanwhile: none are asked for.
    await this.context.suspend();
    await new Promise<void>((resolve, reject) => {
      this.opened = (error) => (error === undefined ? resolve() : reject(new Error(error)));
      this.node.port.postMessage({ open: { ...openingOf(body, numbers), fits: true } });
    });
    await this.context.resume();
    return body;
  }

  /** The same body with other numbers; strings follow while they sound, where only the modes differ. */
  async change(text: string, overrides: string[], key: string): Promise<Body> {
    const glides = /^string\.(tension|linear_density|inharmonicity|diameter|viscoelastic|thermoelastic)$/.test(key);
    const { body, numbers } = await tablesOf(text, overrides, this.context.sampleRate);
    const same = body.modes === this.body.modes && body.notes === this.body.notes;
    this.body = body;
    this.node.port.postMessage(glides && same ? { retune: numbers } : { open: { ...openingOf(body, numbers, this.gain), voices: this.voices } });
    return body;
  }

  play(event: Event) {
    this.node.port.postMessage({ event });
  }
}
