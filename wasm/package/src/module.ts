// SPDX-License-Identifier: Apache-2.0
// From a URL, bytes or a compiled module to a running instance: choice of the relaxed-SIMD build,
// streaming compilation with progress, and errors that say what the server really sent.
import { unlessAborted } from './abort.js';
import { errorWithHelp, TernError } from './errors.js';
import type { Exports, Instance, Sharing, Threading } from './exports.js';
import { dismiss, helpForNoAnswer, readBody } from './fetch.js';
import {
  assetAddress,
  type AssetName,
  type Assets,
  baseAddress,
  fileName,
  type InlineAssets,
  kHelpForFiles,
  nodeProcess,
  readNodeFile,
} from './files.js';
import type { HostFunctions } from './functions.js';
import { isGzip } from './inflate.js';
import { type PartListener, type ProgressListener, ProgressMeter } from './progress.js';
import { hasRelaxedSimd, hasSimd } from './vectors.js';

/**
 * Where the WebAssembly comes from. By default the file beside this package that fits the engine.
 * Bytes may be gzipped.
 */
export type WasmSource = string | URL | Response | ArrayBuffer | Uint8Array | WebAssembly.Module;

export interface ModuleOptions {
  wasm?: WasmSource;
  /**
   * Where the files of this package are served, for pages whose bundler does not copy them. An
   * option for a single file (`wasm`, `compiler`, `loops`) goes before it.
   */
  assets?: Assets;
  /**
   * Operators that few programs call (recurrent layers, quantized convolutions, sorting, signals,
   * texts, …), a part of the module in a file of its own. `true` fetches it at once. Without, it is
   * fetched when a program that is loaded has one of them. Otherwise as `compiler`.
   */
  operators?: WasmSource | boolean;
  /**
   * What compiles, assembles and lists programs, a part of the module in a file of its own. `true`
   * fetches it at once. Without, the first call that needs it does, which then waits for it: pages
   * had better await `prepareCompiler` before. A URL, bytes or a compiled module say where it is,
   * in place of the file beside this package.
   */
  compiler?: WasmSource | boolean;
  /**
   * Adds the part that has the debugger (`Program.debugger`), and the compiler, which it works
   * with. It is a package of its own: pass what `import { debugWasm } from 'tern-runtime-debug'`
   * gives. `true` looks for it beside this package and, in Node, for that package.
   */
  debugger?: WasmSource | boolean;
  /** Adds the same, which also has the language (`Runtime.compileSource` and the like). */
  language?: WasmSource | boolean;
  /**
   * The compiler of loop kernels, a module of its own: `true` for the file beside this package.
   * With it, `load` gives kernels their backends at once; without, `prepareKernels` fetches it
   * where a program has kernels. A runtime starts without it where it cannot be had:
   * `Program.kernels` says why.
   */
  loops?: WasmSource | true;
  signal?: AbortSignal;
  onProgress?: ProgressListener;
  /**
   * Warns on the console of programs, machines and other handles that were collected without
   * having been disposed of, with the place where each was made. By default where
   * process.env.NODE_ENV is 'development', which bundlers set.
   */
  leakWarnings?: boolean;
  /** @internal What the entry brings along. */
  inline?: InlineAssets;
  /** @internal Of the entry with threads. */
  threading?: Threading;
}

/** A file of the package: what the entry brings along, else its address. */
export function assetSource(
  file: AssetName,
  options: Pick<ModuleOptions, 'assets' | 'inline'>,
): WasmSource {
  const bytes = options.assets === undefined ? options.inline?.[file] : undefined;
  return bytes ? bytes() : assetAddress(file, options.assets);
}

function runtimeFile(options: ModuleOptions): AssetName {
  if (!hasSimd()) {
    throw new TernError(
      'E0602',
      'this engine has no WebAssembly SIMD; Tern needs Chrome 91, Firefox 89, Safari 16.4 or ' +
        'Node 16.4',
    );
  }
  const onlySimd = options.inline !== undefined && !options.inline['tern.wasm'];
  return hasRelaxedSimd() && !onlySimd ? 'tern.wasm' : 'tern-simd.wasm.gz';
}

/** The part with the tools where one was asked for; `true` if its place was not said. */
export function toolsSource({ debugger: debug, language }: ModuleOptions): WasmSource | boolean {
  for (const each of [debug, language])
    if (each !== undefined && typeof each !== 'boolean') return each;
  return debug === true || language === true;
}

const kBytesShown = 4;

/** Says what came in place of WebAssembly, by its first bytes. */
function notWasm(name: string, bytes: Uint8Array, from: string): TernError {
  const first = [...bytes.subarray(0, kBytesShown)];
  const hex = first.map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
  const ascii = first
    .map((byte) => (byte > 31 && byte < 127 ? String.fromCharCode(byte) : '.'))
    .join('');
  const html = new TextDecoder().decode(bytes.subarray(0, 64)).trimStart().startsWith('<');
  const what = html ? 'HTML' : 'something else';
  return errorWithHelp(
    'E0601',
    `'${name}' is not WebAssembly: the server returned ${what} (${from}); first bytes ` +
      `${hex} ("${ascii}")`,
    kHelpForFiles,
  );
}

export function isWasm(bytes: Uint8Array): boolean {
  return (
    bytes.length >= 8 && bytes[0] === 0 && bytes[1] === 97 && bytes[2] === 115 && bytes[3] === 109
  );
}

async function gunzip(bytes: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([bytes as Uint8Array<ArrayBuffer>])
    .stream()
    .pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function unpacked(bytes: Uint8Array, name: string): Promise<Uint8Array> {
  if (!isGzip(bytes)) return bytes;
  try {
    return await gunzip(bytes);
  } catch (error) {
    throw damaged(name, error);
  }
}

export interface Fetching {
  signal?: AbortSignal | undefined;
  tell?: PartListener | undefined;
  sharing?: Sharing | undefined;
}

function damaged(name: string, error: unknown): TernError {
  const why = error instanceof Error ? error.message : String(error);
  return errorWithHelp(
    'E0601',
    `'${name}' is damaged WebAssembly: ${why}`,
    'serve the file as it is in the package, complete and unchanged',
  );
}

async function compileBytes(
  given: Uint8Array,
  name: string,
  from: string,
  { signal, tell, sharing }: Fetching,
): Promise<WebAssembly.Module> {
  const found = await unpacked(given, name);
  if (!isWasm(found)) throw notWasm(name, found, from);
  const bytes = sharing?.shaped(found) ?? found;
  const size = { loaded: bytes.length, total: bytes.length };
  tell?.({ phase: 'compile', ...size, fraction: 0.8, file: name });
  const made = WebAssembly.compile(bytes as Uint8Array<ArrayBuffer>).catch((error: unknown) => {
    throw error instanceof WebAssembly.CompileError ? damaged(name, error) : error;
  });
  return unlessAborted(made, signal);
}

/** Tells of the bytes of a download while something else reads another branch of it. */
async function watch(response: Response, file: string, tell: PartListener): Promise<void> {
  const scaled: PartListener = (report) => tell({ ...report, fraction: 0.8 * report.fraction });
  await readBody(response, { file }, undefined, scaled).catch(() => undefined);
}

// Engines take exactly this type, without parameters.
const isStreamable = (response: Response): boolean =>
  typeof WebAssembly.compileStreaming === 'function' &&
  response.headers.get('content-type')?.toLowerCase() === 'application/wasm';

/** What stopped a download on its way, said as such. */
function brokenOff(name: string, error: unknown, signal: AbortSignal | undefined): unknown {
  signal?.throwIfAborted();
  // Networks end as the one, bodies shorter than was said as the other.
  if (!(error instanceof TypeError || error instanceof RangeError)) return error;
  const message = `'${name}' could not be fetched: the download broke off: ${error.message}`;
  return errorWithHelp('E0601', message, 'try again');
}

/** Compiles while the bytes arrive; what has another type is read first and looked at. */
async function compileResponse(
  response: Response,
  name: string,
  fetching: Fetching,
): Promise<WebAssembly.Module> {
  const { signal, tell, sharing } = fetching;
  const type = response.headers.get('content-type') ?? 'no type';
  const from = `status ${response.status}, ${type}` + (response.url ? `, ${response.url}` : '');
  if (!response.ok) {
    dismiss(response);
    throw errorWithHelp('E0601', `'${name}' could not be fetched: ${from}`, kHelpForFiles);
  }
  if (!sharing && isStreamable(response)) {
    if (tell) void watch(response.clone(), name, tell);
    const made = WebAssembly.compileStreaming(response).catch((error: unknown) => {
      const isDamaged = error instanceof WebAssembly.CompileError;
      throw isDamaged ? damaged(name, error) : brokenOff(name, error, signal);
    });
    return unlessAborted(made, signal);
  }
  const scaled: PartListener = (report) => tell?.({ ...report, fraction: 0.8 * report.fraction });
  const bytes = await readBody(response, { file: name }, signal, scaled).catch((error: unknown) => {
    throw brokenOff(name, error, signal);
  });
  return compileBytes(bytes, name, from, fetching);
}

async function compileAddress(url: URL, fetching: Fetching): Promise<WebAssembly.Module> {
  const { signal } = fetching;
  if (url.protocol === 'file:')
    return compileBytes(
      await readNodeFile(url, 'E0601', signal),
      fileName(url),
      url.href,
      fetching,
    );
  let response: Response;
  try {
    response = await fetch(url, signal ? { signal } : {});
  } catch (error) {
    signal?.throwIfAborted();
    const why = error instanceof Error ? error.message : String(error);
    const message = `'${fileName(url)}' could not be fetched: ${why} (${url.href.slice(0, 200)})`;
    throw errorWithHelp('E0601', message, helpForNoAnswer(kHelpForFiles));
  }
  return compileResponse(response, fileName(url), fetching);
}

export async function toModule(
  source: WasmSource,
  fetching: Fetching = {},
): Promise<WebAssembly.Module> {
  if (source instanceof WebAssembly.Module) return source;
  fetching.signal?.throwIfAborted();
  if (typeof source === 'string' || source instanceof URL)
    return compileAddress(new URL(source, baseAddress()), fetching);
  if (source instanceof Response)
    return compileResponse(source, fileName(new URL(source.url || 'response:/')), fetching);
  const bytes = source instanceof Uint8Array ? source : new Uint8Array(source);
  return compileBytes(bytes, 'the given bytes', 'given by the caller', fetching);
}

/**
 * What the module imports: last words of a failed check, functions of JavaScript, and inert
 * stand-ins for an operating system.
 */
function makeImports(
  instance: () => Exports | undefined,
  host: HostFunctions,
  sharing: Sharing | undefined,
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
      host_operators: () => (host.bringOperators() ? 1 : 0),
    },
    env: {
      emscripten_notify_memory_growth: noop,
      ...(sharing?.memory ? { memory: sharing.memory } : {}),
    },
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

/** That part from where it was said to be, beside this package, or from its own package. */
export async function toolsModule(
  options: ModuleOptions,
  fetching: Fetching,
): Promise<WebAssembly.Module> {
  const source = toolsSource(options);
  if (typeof source !== 'boolean') return toModule(source, fetching);
  try {
    return await toModule(assetSource('tern-debug.wasm', options), fetching);
  } catch (error) {
    options.signal?.throwIfAborted();
    const found = await installedDebugWasm();
    if (found) return toModule(found, fetching);
    throw errorWithHelp(
      'E0601',
      `'tern-debug.wasm' is not here: ${error instanceof Error ? error.message : String(error)}`,
      'npm install tern-runtime-debug, and: import { debugWasm } from ' +
        "'tern-runtime-debug'; createRuntime({ debugger: debugWasm })",
    );
  }
}

// In Node only, where packages are found at run time.
async function installedDebugWasm(): Promise<URL | undefined> {
  if (!nodeProcess()) return undefined;
  const name = 'tern-runtime-debug';
  try {
    const found = (await import(/* webpackIgnore: true */ /* @vite-ignore */ name)) as {
      debugWasm: URL;
    };
    return found.debugWasm;
  } catch {
    return undefined;
  }
}

function moduleFor(options: ModuleOptions, fetching: Fetching): Promise<WebAssembly.Module> {
  if (options.wasm !== undefined) return toModule(options.wasm, fetching);
  return toModule(assetSource(runtimeFile(options), options), fetching);
}

/**
 * Compiles (once per module) and instantiates. `tell` hears of it as a part of something larger,
 * in place of the listener of the options.
 */
export async function instantiate(
  options: ModuleOptions,
  host: HostFunctions,
  tell?: PartListener,
): Promise<Instance> {
  const meter = new ProgressMeter(tell ? undefined : options.onProgress, { module: 1 });
  const sharing = options.threading?.sharing;
  const fetching = { signal: options.signal, tell: tell ?? meter.part('module'), sharing };
  const module = await moduleFor(options, fetching);
  options.signal?.throwIfAborted();
  let exports: Exports | undefined;
  const instance = await WebAssembly.instantiate(
    module,
    makeImports(() => exports, host, sharing),
  );
  exports = instance.exports as Exports;
  (exports['_initialize'] as (() => void) | undefined)?.();
  meter.finish();
  return { module, exports };
}
