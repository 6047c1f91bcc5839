// SPDX-License-Identifier: Apache-2.0
// createRuntime: on this thread, or in a worker of the package's own with the reason where that
// cannot be.
import { AsyncRuntime, type Placement } from './async_runtime.js';
import { errorWithHelp, TernError } from './errors.js';
import { type AssetName, baseAddress } from './files.js';
import { LeakWatch } from './leaks.js';
import { assetSource, type ModuleOptions, toModule, type WasmSource } from './module.js';
import type { StartOptions } from './protocol.js';
import type { Runtime } from './runtime.js';
import { startRuntime } from './start.js';
import { LocalPort, type Port, WorkerPort } from './worker_port.js';
import {
  greeted,
  type PackageWorker,
  packageWorker,
  type WorkerLike,
  workerOf,
} from './workers.js';

export interface RuntimeOptions extends ModuleOptions {
  /**
   * Gives an AsyncRuntime, whose calls are promises. true: in a worker, or an error. false: on this
   * thread. 'auto': in a worker where this is a page's thread, on this thread in workers and in
   * Node, and wherever no worker can be had; `placement` says which and why. A function makes the
   * worker, of the script 'tern-runtime/worker'.
   */
  worker?: boolean | 'auto' | (() => WorkerLike);
  /** @internal The worker's script, of entries that bring it along. */
  workerScript?: string;
  /** @internal Of the entry with threads, for the worker that starts the others. */
  threads?: 'auto' | number;
  /** @internal The address of their script. */
  kernelWorker?: string;
}

// As in files.ts.
declare const TERN_INLINE: boolean | undefined;

const kModules: readonly AssetName[] = [
  'tern.wasm',
  'tern-simd.wasm.gz',
  'tern-operators.wasm.gz',
  'tern-compiler.wasm.gz',
  'tern-loops.wasm.gz',
  'tern-debug.wasm',
];

/** What differs between the entries of the package that have createRuntime. */
export interface Entry {
  /** Starts a runtime on this thread. */
  start: (options: ModuleOptions) => Promise<Runtime>;
  /** A worker whose engine starts runtimes in the same way. */
  worker: PackageWorker;
  /** Modules are sent to it as bytes, not compiled. */
  changesModules: boolean;
}

// The worker is written out in the form that bundlers recognise; they make a script of it.
const kPlain: Entry = {
  start: startRuntime,
  worker: {
    file: 'worker.js',
    bundled: () => {
      if (typeof TERN_INLINE !== 'undefined' && TERN_INLINE)
        throw new TernError('E0901', 'a script that brings its worker along looks for none');
      return new Worker(new URL('./worker.js', import.meta.url), {
        type: 'module',
      }) as unknown as WorkerLike;
    },
  },
  changesModules: false,
};

async function anyWorker(options: RuntimeOptions, entry: Entry): Promise<WorkerLike> {
  const { worker, assets, workerScript, signal } = options;
  if (typeof worker === 'function') return greeted(worker(), signal);
  if (workerScript !== undefined && assets === undefined)
    return greeted(await workerOf(workerScript), signal);
  return greeted(await packageWorker(entry.worker, assets), signal);
}

/** What can be sent: addresses as texts, responses as compiled modules. */
async function sendable<T extends WasmSource | boolean | undefined>(
  source: T,
  entry: Entry,
): Promise<string | ArrayBuffer | Uint8Array | WebAssembly.Module | boolean | undefined> {
  if (source instanceof Response)
    return entry.changesModules ? source.arrayBuffer() : toModule(source);
  if (source instanceof URL || typeof source === 'string')
    return new URL(source, baseAddress()).href;
  return source;
}

async function startOptions(options: RuntimeOptions, entry: Entry): Promise<StartOptions> {
  const files: StartOptions['files'] = {};
  for (const name of kModules) {
    const source = assetSource(name, options);
    if (source instanceof URL) files[name] = source.href;
    else if (source instanceof Uint8Array) files[name] = source;
  }
  const sent: Record<string, unknown> = { files };
  const given = ['wasm', 'operators', 'compiler', 'debugger', 'language', 'loops'] as const;
  for (const name of given) {
    const source = await sendable(options[name], entry);
    if (source !== undefined) sent[name] = source;
  }
  for (const name of ['leakWarnings', 'threads', 'kernelWorker'] as const)
    if (options[name] !== undefined) sent[name] = options[name];
  return sent as unknown as StartOptions;
}

const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

function noWorker(why: string): TernError {
  return errorWithHelp(
    'E0613',
    `no worker could be started: ${why}`,
    "pass worker: 'auto' to go on without one, or as worker a function that makes a module " +
      "worker of the script 'tern-runtime/worker' in the way of your bundler",
    "serve worker.js of the package beside its .wasm files and pass { assets: 'their folder' }",
  );
}

async function choosePort(options: RuntimeOptions, entry: Entry): Promise<[Port, Placement]> {
  const { worker, signal } = options;
  const here = (why: string): [Port, Placement] => [
    new LocalPort(entry.start),
    { worker: false, why },
  ];
  if (worker === false) return here('asked for');
  if (worker === 'auto' && typeof document === 'undefined')
    return here('this thread is no page, so there is none to keep responsive');
  try {
    const port = new WorkerPort(await anyWorker(options, entry));
    return [port, { worker: true, why: worker === 'auto' ? 'this is a page' : 'asked for' }];
  } catch (error) {
    signal?.throwIfAborted();
    if (worker === 'auto') return here(`no worker could be started: ${reasonOf(error)}`);
    throw noWorker(reasonOf(error));
  }
}

async function startAsync(options: RuntimeOptions, entry: Entry): Promise<AsyncRuntime> {
  const { signal, onProgress } = options;
  const [port, placement] = await choosePort(options, entry);
  try {
    const body = { kind: 'start', options: await startOptions(options, entry) } as const;
    const status = await port.request(body, { signal, onProgress });
    return new AsyncRuntime(port, status, placement, LeakWatch.make(options.leakWarnings));
  } catch (error) {
    port.dispose();
    throw error;
  }
}

/**
 * Fetches, compiles and starts the module. Works in pages, workers and Node. With the option
 * `worker` the runtime is asynchronous, and in a page it does not block it.
 */
export function createRuntime(
  options: RuntimeOptions & { worker: NonNullable<RuntimeOptions['worker']> },
): Promise<AsyncRuntime>;
export function createRuntime(options?: RuntimeOptions & { worker?: undefined }): Promise<Runtime>;
export function createRuntime(options: RuntimeOptions = {}): Promise<Runtime | AsyncRuntime> {
  return createBy(kPlain, options);
}

/** The same by another entry. */
export async function createBy(
  entry: Entry,
  options: RuntimeOptions,
): Promise<Runtime | AsyncRuntime> {
  options.signal?.throwIfAborted();
  return options.worker === undefined ? entry.start(options) : startAsync(options, entry);
}
