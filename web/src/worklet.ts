// live.wasm on the audio thread: numbers in, blocks of sound out.
import { start, type Instance } from './wasm';

declare class AudioWorkletProcessor {
  readonly port: MessagePort;
}
declare function registerProcessor(name: string, processor: unknown): void;
declare const sampleRate: number;
declare const currentTime: number;

export const gestures = { pluck: 0, strike: 1, damp: 2, damp_all: 3, obstacle: 4, listen: 5 } as const;

/** What a player does; `at` [s, of the context]: not before. */
export interface Event {
  gesture: keyof typeof gestures;
  note?: number;
  index?: number;
  amount?: number;
  place?: number;
  at?: number;
}
export interface Opening {
  numbers: Float64Array;
  voices: number;
  /** Fewer voices where this machine would not keep up with all of them. */
  fits?: boolean;
  oversampling: number;
  /** A strong gesture, by which the loudness is set; a gain: as given. */
  strong: Event | number;
  contact: number;
}
export interface LiveOptions {
  module: WebAssembly.Module;
  opening?: Opening;
  events?: Event[];
}
export interface News {
  opened?: { gain: number; milliseconds: number; voices: number };
  failed?: string;
  picture?: Float32Array;
  energy?: Float64Array;
  load?: number;
}

const pictureSize = 128;
const blocksPerPicture = 12; // about thirty pictures a second

class Live extends AudioWorkletProcessor {
  private live: Instance;
  private gain = 0;
  private contact = -1;
  private events: Event[] = [];
  private blocks = 0;
  private busy = 0;
  private since = Date.now();

  constructor(options: { processorOptions: LiveOptions }) {
    super();
    const given = options.processorOptions;
    this.live = start(given.module);
    if (given.opening) this.open(given.opening);
    for (const event of given.events ?? []) this.take(event);
    this.port.onmessage = ({ data }) => {
      if (data.open) this.open(data.open);
      if (data.retune) this.retune(data.retune);
      if (data.event) this.take(data.event);
    };
  }

  private put(numbers: Float64Array): number {
    const at = this.live.exports.live_take(numbers.byteLength);
    new Float64Array(this.live.memory.buffer, at, numbers.length).set(numbers);
    return at;
  }

  private open(opening: Opening) {
    const { exports } = this.live;
    const begin = Date.now();
    const at = this.put(opening.numbers);
    let voices = opening.voices;
    const make = () => exports.live_open(at, opening.numbers.length, sampleRate, opening.oversampling, voices);
    let made = make();
    if (made && typeof opening.strong !== 'number') {
      // A throw-away performance: how loud it is, and how long a block takes once the compiler has done its best.
      this.post(opening.strong, 0);
      let peak = 0, warm = begin;
      const blocks = Math.ceil((0.5 * sampleRate) / 128), last = blocks >> 2;
      for (let block = 0; block < blocks; ++block) {
        if (block === blocks - last) warm = Date.now();
        for (const sample of this.block(128)) peak = Math.max(peak, Math.abs(sample));
      }
      const load = (Date.now() - warm) / ((1000 * last * 128) / sampleRate);
      if (opening.fits) voices = Math.max(3, Math.min(voices, Math.floor(0.7 / Math.max(load, 0.01))));
      this.gain = peak > 0 ? 0.35 / peak : 0;
      made = make();
    } else if (made) {
      this.gain = opening.strong as number;
    }
    exports.live_free(at);
    this.contact = opening.contact;
    const news: News = made ? { opened: { gain: this.gain, milliseconds: Date.now() - begin, voices } } : { failed: this.message() };
    this.port.postMessage(news);
  }

  private message(): string {
    const bytes = new Uint8Array(this.live.memory.buffer, this.live.exports.live_message());
    let text = '';
    for (let i = 0; bytes[i]; ++i) text += String.fromCharCode(bytes[i]);
    return text;
  }

  private retune(numbers: Float64Array) {
    const at = this.put(numbers);
    if (!this.live.exports.live_retune(at, numbers.length)) this.port.postMessage({ failed: this.message() });
    this.live.exports.live_free(at);
  }

  private take(event: Event) {
    const at = event.at ?? 0;
    const place = this.events.findIndex((other) => (other.at ?? 0) > at);
    this.events.splice(place < 0 ? this.events.length : place, 0, event);
  }

  private post(event: Event, offset: number) {
    this.live.exports.live_post(offset, gestures[event.gesture], event.note ?? 0, event.index ?? 0, event.amount ?? 0, event.place ?? 0);
  }

  private block(frames: number): Float64Array {
    const at = this.live.exports.live_process(frames);
    return new Float64Array(this.live.memory.buffer, at, frames); // anew each time: memory may have grown
  }

  process(_: Float32Array[][], outputs: Float32Array[][]): boolean {
    const begin = Date.now();
    const frames = outputs[0][0].length;
    while (this.events.length) {
      const offset = Math.round(((this.events[0].at ?? 0) - currentTime) * sampleRate);
      if (offset >= frames) break;
      this.post(this.events.shift()!, Math.max(0, offset));
    }
    const heard = this.block(frames);
    for (const channel of outputs[0]) for (let i = 0; i < frames; ++i) channel[i] = this.gain * heard[i];
    // The clock has milliseconds only, but the mean over many blocks is right.
    this.busy += Date.now() - begin;
    if (++this.blocks % blocksPerPicture === 0) this.report();
    return true;
  }

  private report() {
    const { exports, memory } = this.live;
    const news: News = {
      picture: new Float32Array(new Float64Array(memory.buffer, exports.live_picture(pictureSize), pictureSize)),
      energy: new Float64Array(memory.buffer, exports.live_energy(this.contact), 8).slice(),
    };
    const now = Date.now();
    if (now - this.since >= 1000) {
      news.load = this.busy / (now - this.since);
      this.busy = 0;
      this.since = now;
    }
    this.port.postMessage(news);
  }
}

registerProcessor('carom-live', Live);
