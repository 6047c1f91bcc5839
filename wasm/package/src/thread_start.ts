// SPDX-License-Identifier: Apache-2.0
// How many threads a runtime gets, and why: what was asked for, the machine's processors, or one,
// where the engine lends no shared memory or no worker starts.
import { errorWithHelp } from './errors.js';
import type { Threading, Threads } from './exports.js';
import { importFromNode, nodeProcess } from './files.js';
import type { ModuleOptions } from './module.js';
import type { Runtime } from './runtime.js';
import { ThreadPool } from './thread_pool.js';

export type ThreadOption = 'auto' | number;

// kMaxWorkers of wasm/threads/pool.cc.
const kMost = 64;
// More help few models, and each takes memory and time to start.
const kMostByItself = 8;

/** What was asked for, or an error. */
export function checkThreads(threads: unknown = 'auto'): ThreadOption {
  if (threads === 'auto') return threads;
  const whole = typeof threads === 'number' && Number.isInteger(threads);
  if (whole && threads >= 1 && threads <= kMost) return threads;
  const shown = typeof threads === 'string' ? `'${threads.slice(0, 20)}'` : String(threads);
  throw errorWithHelp(
    'E0003',
    `threads: ${shown} is no number of threads`,
    `give a whole number from 1 to ${kMost}, or 'auto' for the machine's processors`,
  );
}

async function processors(): Promise<number> {
  const found = (globalThis as { navigator?: { hardwareConcurrency?: number } }).navigator
    ?.hardwareConcurrency;
  if (found !== undefined) return found;
  if (!nodeProcess()) return 1;
  return (await importFromNode<typeof import('node:os')>('os')).availableParallelism();
}

async function threadsFor(wanted: ThreadOption): Promise<Threads> {
  if (wanted !== 'auto') return { count: wanted, reason: 'asked for' };
  const count = await processors();
  const many = count === 1 ? 'one processor' : `${count} processors`;
  return { count: Math.min(count, kMostByItself), reason: `this machine has ${many}` };
}

// Why threads cannot share a memory here.
function whyAlone(): string | undefined {
  const isolated = (globalThis as { crossOriginIsolated?: boolean }).crossOriginIsolated;
  if (isolated === false)
    return (
      'this page is not cross-origin isolated, so that it gets no shared memory: serve it with ' +
      'the headers Cross-Origin-Opener-Policy: same-origin and ' +
      'Cross-Origin-Embedder-Policy: require-corp'
    );
  return typeof SharedArrayBuffer === 'undefined' ? 'this engine has no shared memory' : undefined;
}

const alone = (reason: string): Threading => ({ threads: { count: 1, reason, tasks: [] } });

export interface ThreadedStart extends ModuleOptions {
  threads?: ThreadOption;
  kernelWorker?: string;
}

/** Starts a runtime with as many threads as there can be. */
export async function startWithThreads(
  options: ThreadedStart,
  start: (options: ModuleOptions) => Promise<Runtime>,
): Promise<Runtime> {
  const { threads: wanted, kernelWorker, ...rest } = options;
  const { count, reason } = await threadsFor(checkThreads(wanted));
  const why = count === 1 ? reason : whyAlone();
  if (why !== undefined) return start({ ...rest, threading: alone(why) });
  const pool = new ThreadPool(count, reason, kernelWorker && (() => kernelWorker));
  try {
    return await start({ ...rest, threading: pool });
  } catch (error) {
    pool.stop();
    if (!(error instanceof RangeError)) throw error;
    // Shared memory has all of its addresses reserved, which not every device can spare.
    return start({ ...rest, threading: alone(`no shared memory: ${error.message}`) });
  }
}
