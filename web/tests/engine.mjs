// The modules of the engine in node, by the loader of the page itself.
import { readFileSync } from 'node:fs';
import { transformSync } from 'esbuild';

const file = (path) => new URL(path, import.meta.url);
/** The loader as JavaScript: also for pages, which get it as text. */
export const loader = transformSync(readFileSync(file('../src/wasm.ts'), 'utf8'), { loader: 'ts', format: 'esm' }).code;
const { start } = await import(`data:text/javascript,${encodeURIComponent(loader)}`);

export const bytes = (name) => readFileSync(file(`../../build/wasm/${name}.wasm`));
export const open = (name) => start(new WebAssembly.Module(bytes(name)));

/** carom.wasm: one request, as in engine.worker.ts. */
export function ask({ exports, memory }, request) {
  const text = new TextEncoder().encode(JSON.stringify(request));
  const at = exports.carom_take(text.length);
  new Uint8Array(memory.buffer, at, text.length).set(text);
  const size = exports.carom_request(at, text.length);
  exports.carom_free(at);
  const said = JSON.parse(new TextDecoder().decode(new Uint8Array(memory.buffer, exports.carom_answer(), size)));
  const columns = [];
  for (let i = 0; i < exports.carom_column_count(); ++i) columns.push(new Float64Array(memory.buffer, exports.carom_column(i), exports.carom_column_size(i)).slice());
  return { said, columns };
}
