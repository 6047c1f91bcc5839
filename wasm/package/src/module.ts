// SPDX-License-Identifier: Apache-2.0
// From a URL, bytes or a compiled module to a running instance: choice of the relaxed-SIMD build,
// streaming compilation with progress, and errors that say what the server really sent.
import { TernError } from './errors.js';
import type { HostFunctions } from './functions.js';

/**
 * Where the WebAssembly comes from. By default the file beside this package that fits the engine.
 */
export type WasmSource = string | URL | ArrayBuffer | Uint8Array | WebAssembly.Module;

export interface Progress {
  phase: 'fetch' | 'compile' | 'ready';
  /** Bytes so far, of `total` where the server said how many. */
  loaded: number;
  total?: number;
  /** 0 to 1 over all phases, never falling. */
  fraction: number;
}

export interface ModuleOptions {
  wasm?: WasmSource;
  /**
   * What compiles, assembles and lists programs, a part of the module in a file of its own. `true`
   * fetches it at once. Without, the first call that needs it does, which then waits for it: pages
   * had better await `prepareCompiler` before. A URL, bytes or a compiled module say where it is,
   * in place of the file beside this package.
   */
  compiler?: WasmSource | boolean;
  /** Takes the larger module, which has the debugger (`Program.debugger`). */
  debugger?: boolean;
  /** Takes the same, which also has the language (`Runtime.compileSource` and the like). */
  language?: boolean;
  /**
   * The compiler of loop kernels, a module of its own: `true` for the file beside this package.
   * With it, `load` gives kernels their roads at once; without, `prepareKernels` fetches it where a
   * program has kernels. A runtime starts without it where it cannot be had: `Program.kernels` says
   * why.
   */
  loops?: WasmSource | true;
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
}

/** The functions of core/api/c_api.h, pointers as numbers; and the linear memory. */
export interface Exports {
  readonly memory: WebAssembly.Memory;
  [name: string]: unknown;
}

// (func (param v128) (result v128) local.get 0 local.get 0 local.get 0 f32x4.relaxed_madd)
const kRelaxedProbe = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 6, 1, 96, 1, 123, 1, 123, 3, 2, 1, 0, 10, 13, 1, 11, 0, 32, 0, 32,
  0, 32, 0, 253, 133, 2, 11,
]);
// (func (result v128) v128.const 0)
const kSimdProbe = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 22, 1, 20, 0, 253, 12, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 11,
]);

export function hasRelaxedSimd(): boolean {
  return WebAssembly.validate(kRelaxedProbe);
}

function defaultSource(withTools: boolean): URL {
  if (!WebAssembly.validate(kSimdProbe)) {
    throw new TernError(
      'E0602',
      'this engine has no WebAssembly SIMD; Tern needs Chrome 91, Firefox 89, Safari 16.4 or ' +
        'Node 16.4',
    );
  }
  if (withTools) return new URL('./tern-debug.wasm', import.meta.url);
  return hasRelaxedSimd()
    ? new URL('./tern.wasm', import.meta.url)
    : new URL('./tern-simd.wasm', import.meta.url);
}

function notWasm(name: string, bytes: Uint8Array, served: string): TernError {
  const first = [...bytes.subarray(0, 4)];
  const hex = first.map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
  const ascii = first
    .map((byte) => (byte > 31 && byte < 127 ? String.fromCharCode(byte) : '.'))
    .join('');
  const what = ascii.trimStart().startsWith('<') ? 'HTML' : 'something else';
  return new TernError(
    'E0601',
    `'${name}' is not WebAssembly: the server returned ${what} (${served}); first bytes ` +
      `${hex} ("${ascii}")`,
  );
}

function isWasm(bytes: Uint8Array): boolean {
  return (
    bytes.length >= 8 && bytes[0] === 0 && bytes[1] === 97 && bytes[2] === 115 && bytes[3] === 109
  );
}

const kNodeFiles = 'node:fs/promises';

async function readFileUrl(url: URL): Promise<Uint8Array> {
  // By a name in a variable, so that bundlers for browsers do not look for it.
  const files = (await import(/* @vite-ignore */ kNodeFiles)) as typeof import('node:fs/promises');
  return files.readFile(url);
}

async function download(url: URL, options: ModuleOptions): Promise<Uint8Array> {
  const response = await fetch(url, options.signal ? { signal: options.signal } : {});
  const served = `status ${response.status}, ${response.headers.get('content-type') ?? 'no type'}`;
  if (!response.ok || !response.body)
    throw new TernError('E0601', `'${url.pathname}' could not be fetched: ${served}`);
  const header = response.headers.get('content-encoding')
    ? null
    : response.headers.get('content-length');
  const total = header ? Number(header) : undefined;
  const chunks: Uint8Array[] = [];
  let loaded = 0;
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    loaded += value.length;
    const fraction = total ? Math.min(loaded / total, 1) * 0.8 : Math.min(loaded / 2e6, 1) * 0.8;
    options.onProgress?.({ phase: 'fetch', loaded, fraction, ...(total ? { total } : {}) });
  }
  const bytes = new Uint8Array(loaded);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  if (!isWasm(bytes)) throw notWasm(url.pathname.split('/').pop() ?? url.pathname, bytes, served);
  return bytes;
}

export async function toModule(
  source: WasmSource,
  options: ModuleOptions,
): Promise<WebAssembly.Module> {
  if (source instanceof WebAssembly.Module) return source;
  if (typeof source === 'string' || source instanceof URL) {
    const base = typeof document === 'undefined' ? import.meta.url : document.baseURI;
    const url = new URL(source, base);
    const bytes = url.protocol === 'file:' ? await readFileUrl(url) : await download(url, options);
    return toModule(bytes, options);
  }
  const bytes = source instanceof Uint8Array ? source : new Uint8Array(source);
  if (!isWasm(bytes)) throw notWasm('the given bytes', bytes, 'given by the caller');
  options.onProgress?.({
    phase: 'compile',
    loaded: bytes.length,
    total: bytes.length,
    fraction: 0.8,
  });
  return WebAssembly.compile(bytes as Uint8Array<ArrayBuffer>);
}

/**
 * What the module imports: last words of a failed check, functions of JavaScript, and inert
 * stand-ins for an operating system.
 */
function makeImports(
  instance: () => Exports | undefined,
  host: HostFunctions,
): WebAssembly.Imports {
  const text = (pointer: number): string => {
    const exports = instance();
    if (!exports) return '';
    const bytes = new Uint8Array(exports.memory.buffer, pointer);
    return new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0)));
  };
  const noop = (): number => 0;
  return {
    tern: {
      host_abort: (file: number, line: number, message: number) => {
        throw new TernError('E0901', `internal error at ${text(file)}:${line}: ${text(message)}`);
      },
      host_call: (id: number, args: number, count: number, result: number) =>
        host.call(id, args, count, result),
      host_kernel: (id: number, buffers: number, slots: number) =>
        host.runKernel(id, buffers, slots),
      host_release: (id: number) => host.release(id),
      host_read: (id: number, offset: number, length: number, destination: number) =>
        host.read(id, offset, length, destination),
      host_now: () => performance.now(),
    },
    env: { emscripten_notify_memory_growth: noop },
    wasi_snapshot_preview1: {
      proc_exit: (code: number) => {
        throw new TernError('E0901', `internal error: the module exited with ${code}`);
      },
      fd_write: noop,
      fd_close: noop,
      fd_seek: noop,
    },
  };
}

/** A module that runs. */
export interface Instance {
  readonly module: WebAssembly.Module;
  readonly exports: Exports;
}

/** Compiles (once per module) and instantiates. */
export async function instantiate(options: ModuleOptions, host: HostFunctions): Promise<Instance> {
  const withTools = (options.debugger ?? false) || (options.language ?? false);
  const module = await toModule(options.wasm ?? defaultSource(withTools), options);
  options.signal?.throwIfAborted();
  let exports: Exports | undefined;
  const instance = await WebAssembly.instantiate(
    module,
    makeImports(() => exports, host),
  );
  exports = instance.exports as Exports;
  (exports['_initialize'] as (() => void) | undefined)?.();
  options.onProgress?.({ phase: 'ready', loaded: 1, total: 1, fraction: 1 });
  return { module, exports };
}
