// Starts a module of the engine where there is no disk and no terminal: window, worker, audio thread
// and node alike. The modules ask for a handful of functions of the outside; what has no meaning here
// answers that it is not there.

export interface Instance {
  exports: Record<string, (...numbers: number[]) => number>;
  memory: WebAssembly.Memory;
}

const notSupported = 52; // of WASI: ENOSYS

export function start(module: WebAssembly.Module, progress: (fraction: number) => void = () => {}): Instance {
  let memory: WebAssembly.Memory;
  const write64 = (at: number, value: bigint) => new DataView(memory.buffer).setBigUint64(at, value, true);
  const write32 = (at: number, value: number) => new DataView(memory.buffer).setUint32(at, value, true);
  const known: Record<string, (...numbers: never[]) => unknown> = {
    carom_progress: progress as never,
    emscripten_notify_memory_growth: () => {},
    // [ns]; the audio thread has no finer clock than this.
    clock_time_get: ((_clock: number, _precision: bigint, at: number) => {
      const now = typeof performance === 'undefined' ? Date.now() : performance.timeOrigin + performance.now();
      write64(at, BigInt(Math.round(now * 1e3)) * 1000n);
      return 0;
    }) as never,
    environ_sizes_get: ((count: number, size: number) => (write32(count, 0), write32(size, 0), 0)) as never,
    environ_get: () => 0,
    proc_exit: ((code: number) => {
      throw new Error(`the engine has ended with ${code}`);
    }) as never,
    __syscall_getcwd: ((at: number) => (new Uint8Array(memory.buffer).set([47, 0], at), 2)) as never,
  };
  const imports: WebAssembly.Imports = {};
  for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
    if (kind !== 'function') continue;
    imports[from] ??= {};
    imports[from][name] = (known[name] as never) ?? (() => (from === 'env' ? -notSupported : notSupported));
  }
  const instance = new WebAssembly.Instance(module, imports);
  memory = instance.exports.memory as WebAssembly.Memory;
  const exports = instance.exports as Instance['exports'];
  exports._initialize?.();
  return { exports, memory };
}
