// carom.wasm behind messages: one request at a time, answers with columns of numbers.
import { start, type Instance } from './wasm';
import wasm from '../../build/wasm/carom.wasm?url';

export interface Call {
  id: number;
  request: object;
  files: Record<string, Uint8Array>;
}

let engine: Promise<Instance> | undefined;

async function load(): Promise<Instance> {
  const module = await WebAssembly.compileStreaming(fetch(wasm));
  return start(module, (fraction) => postMessage({ progress: fraction }));
}

function put(instance: Instance, bytes: Uint8Array): number {
  const at = instance.exports.carom_take(bytes.length || 1);
  new Uint8Array(instance.memory.buffer, at, bytes.length).set(bytes);
  return at;
}

function answer(instance: Instance, call: Call) {
  const { exports, memory } = instance;
  const encoder = new TextEncoder();
  exports.carom_forget_files();
  for (const [name, bytes] of Object.entries(call.files)) {
    const label = encoder.encode(name);
    const [first, second] = [put(instance, label), put(instance, bytes)];
    exports.carom_file(first, label.length, second, bytes.length);
    exports.carom_free(first);
    exports.carom_free(second);
  }
  const text = encoder.encode(JSON.stringify(call.request));
  const at = put(instance, text);
  const size = exports.carom_request(at, text.length);
  exports.carom_free(at);
  const said = JSON.parse(new TextDecoder().decode(new Uint8Array(memory.buffer, exports.carom_answer(), size)));
  const columns: Float64Array[] = [];
  for (let i = 0; i < exports.carom_column_count(); ++i) {
    columns.push(new Float64Array(memory.buffer, exports.carom_column(i), exports.carom_column_size(i)).slice());
  }
  return { said, columns };
}

addEventListener('message', async ({ data }: MessageEvent<Call>) => {
  try {
    engine ??= load();
    const { said, columns } = answer(await engine, data);
    postMessage({ id: data.id, said, columns }, { transfer: columns.map((column) => column.buffer) });
  } catch (error) {
    engine = undefined; // whatever state it was in
    postMessage({ id: data.id, said: { error: String(error) }, columns: [] });
  }
});
