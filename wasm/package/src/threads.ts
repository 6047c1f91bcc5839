// SPDX-License-Identifier: Apache-2.0
/**
 * The same as tern-runtime, with kernels that are shared out among workers, where the engine lends
 * them shared memory.
 * @module tern-runtime/threads
 */
import './dispose.js';
import type { AsyncRuntime } from './async_runtime.js';
import { createBy, type Entry, type RuntimeOptions } from './create.js';
import { assetAddress } from './files.js';
import type { Runtime } from './runtime.js';
import { startRuntime } from './start.js';
import { checkThreads, startWithThreads, type ThreadOption } from './thread_start.js';
import type { WorkerLike } from './workers.js';

export * from './index.js';
export type { ThreadOption } from './thread_start.js';

export interface ThreadedOptions extends Omit<RuntimeOptions, 'threads'> {
  /**
   * How many threads run kernels, the one that runs programs among them: 1 to 64, or 'auto' (the
   * default) for as many as the machine has processors, at most 8. `runtime.threads` says how many
   * there are, and why where there is one.
   */
  threads?: ThreadOption;
}

const kThreaded: Entry = {
  start: (options) => startWithThreads(options, startRuntime),
  worker: {
    file: 'threads-worker.js',
    bundled: () =>
      new Worker(new URL('./threads-worker.js', import.meta.url), {
        type: 'module',
      }) as unknown as WorkerLike,
  },
  changesModules: true,
};

/** As in tern-runtime, and with threads. */
export function createRuntime(
  options: ThreadedOptions & { worker: NonNullable<RuntimeOptions['worker']> },
): Promise<AsyncRuntime>;
export function createRuntime(options?: ThreadedOptions & { worker?: undefined }): Promise<Runtime>;
export async function createRuntime(
  options: ThreadedOptions = {},
): Promise<Runtime | AsyncRuntime> {
  const { threads, assets } = options;
  const wanted = checkThreads(threads);
  const kernels = assets && assetAddress('threads-kernels.js', assets).href;
  const placed = kernels === undefined ? {} : { kernelWorker: kernels };
  return createBy(kThreaded, { ...options, threads: wanted, ...placed });
}
