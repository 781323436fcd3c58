// The engine as the window sees it: questions, and answers that come later.
import type { Call } from './engine.worker';

export interface Problem {
  line: number;
  column: number;
  message: string;
}

/** What the engine refuses, in its own words. */
export class Refusal extends Error {
  constructor(message: string, readonly problems: Problem[] = []) {
    super(message);
  }
}

export class Stopped extends Error {}

export interface Slider {
  low: number;
  high: number;
  logarithmic: boolean;
}
export interface Field {
  name: string;
  type: string;
  help: string;
  unit?: string;
  default?: unknown;
  example?: unknown;
  choices?: string[];
  lowest?: number;
  highest?: number;
  slider?: Slider;
}
export interface Table {
  name: string;
  help: string;
  optional: boolean;
  repeated: boolean;
  fields: Field[];
}
export interface Kind {
  name: string;
  summary: string;
  playable: boolean;
  template: string;
  examples: { name: string; summary: string; text: string }[];
  tables: Table[];
}

// What comes back is as large and varied as the engine's own documents.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Said = any;
export interface Answer {
  said: Said;
  columns: Float64Array[];
}

type Waiting = { resolve: (answer: Answer) => void; reject: (error: Error) => void; progress?: (share: number) => void };

/** A worker with the engine in it. */
export class Engine {
  private worker?: Worker;
  private waiting = new Map<number, Waiting>();
  private count = 0;

  ask(request: object, files: Record<string, Uint8Array> = {}, progress?: (share: number) => void): Promise<Answer> {
    this.worker ??= this.begin();
    const call: Call = { id: ++this.count, request, files };
    return new Promise((resolve, reject) => {
      this.waiting.set(call.id, { resolve, reject, progress });
      this.worker!.postMessage(call);
    });
  }

  /** Gives up what is under way; the next question starts a new worker. */
  stop() {
    this.worker?.terminate();
    this.worker = undefined;
    for (const { reject } of this.waiting.values()) reject(new Stopped('stopped'));
    this.waiting.clear();
  }

  private begin(): Worker {
    const worker = new Worker(new URL('./engine.worker.ts', import.meta.url), { type: 'module' });
    worker.addEventListener('message', ({ data }) => {
      if (data.progress !== undefined) {
        for (const one of this.waiting.values()) one.progress?.(data.progress);
        return;
      }
      const one = this.waiting.get(data.id);
      this.waiting.delete(data.id);
      if (data.said.error !== undefined) one?.reject(new Refusal(data.said.error, data.said.problems));
      else one?.resolve({ said: data.said.ok, columns: data.columns });
    });
    worker.addEventListener('error', (event) => {
      for (const { reject } of this.waiting.values()) reject(new Error(event.message || 'the engine could not start'));
      this.waiting.clear();
      this.worker = undefined;
    });
    return worker;
  }
}

/** For what the page shows at once, and for what may take long. */
export const quick = new Engine();
export const slow = new Engine();

let schema: Promise<Kind[]> | undefined;
export function kinds(): Promise<Kind[]> {
  schema ??= quick.ask({ do: 'schema' }).then(({ said }) => said.kinds);
  return schema;
}

export interface Preset {
  name: string;
  kind: string;
  summary: string;
  text: string;
}

type Files = Record<string, string>;
const examples: Files = import.meta.glob('../../examples/*.toml', { query: '?raw', import: 'default', eager: true });
const sounds: Files = import.meta.glob('../../presets/*.toml', { query: '?raw', import: 'default', eager: true });

/** Everything to start from: the examples of the repository, the sounds of `carom new --presets`, and what the
    engine has by itself. */
export async function presets(): Promise<Preset[]> {
  const all: Preset[] = [];
  const known = await kinds();
  const add = (files: Files, summaryOf: (text: string) => string | undefined, nameOf: (file: string) => string) => {
    for (const [path, text] of Object.entries(files)) {
      const kind = /^kind\s*=\s*"([^"]*)"/m.exec(text)?.[1];
      if (!kind || !known.some((one) => one.name === kind)) continue;
      all.push({ name: nameOf(path.split('/').pop()!.replace('.toml', '')), kind, summary: summaryOf(text) ?? '', text });
    }
  };
  add(examples, (text) => /^title\s*=\s*"([^"]*)"/m.exec(text)?.[1], (file) => file.replaceAll('_', ' '));
  add(sounds, (text) => /^# (.*)/.exec(text)?.[1], (file) => file);
  for (const kind of known) {
    for (const one of kind.examples) all.push({ ...one, kind: kind.name });
    all.push({ name: `new ${kind.name}`, kind: kind.name, summary: kind.summary, text: kind.template });
  }
  return all;
}
