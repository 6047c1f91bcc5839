// SPDX-License-Identifier: Apache-2.0
// The workers of one runtime, and the platform that lends them to its kernels. They are started all
// or none: what the others are numbered by would have gaps.
import { poolModule } from 'tern-pool-data';

import { errorWithHelp, TernError } from './errors.js';
import type { Instance, MemoryCalls, Pointer, Threading, Threads, ThreadUse } from './exports.js';
import type { Assets } from './files.js';
import { clockOffset, type KernelMessage } from './kernel_message.js';
import { SharedModules } from './sharing.js';
import {
  greeted,
  listen,
  type PackageWorker,
  packageWorker,
  saying,
  type WorkerLike,
} from './workers.js';

// Parts of kernels keep a few kilobytes on it; calls in them are not nested deeply.
const kStackBytes = 256 << 10;

type Calls = Record<string, (...args: number[]) => number>;

// Written out in the form that bundlers recognise; they make a script of their own of it.
const kKernelWorker: PackageWorker = {
  file: 'threads-kernels.js',
  bundled: () =>
    new Worker(new URL('./threads-kernels.js', import.meta.url), {
      type: 'module',
    }) as unknown as WorkerLike,
};

// A page's thread may not, nor that of a service worker.
function mayBlock(): boolean {
  try {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 1, 0);
    return true;
  } catch {
    return false;
  }
}

const wordsOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

const lost = (): never => {
  throw errorWithHelp(
    'E0614',
    'a worker that ran a part of a kernel has failed or does not answer; the run cannot be ended',
    'make another runtime with createRuntime; with { threads: 1 } it needs no workers',
  );
};

export class ThreadPool implements Threading {
  readonly sharing = new SharedModules();
  private workers: WorkerLike[] = [];
  private readonly scripts: Promise<WorkerLike>[];
  private calls: Calls | undefined;
  private state: Pointer = 0;
  private stopped = false;
  private threads_: Threads;

  /** Workers begin to load at once, beside the module. `reason` says why so many. */
  constructor(count: number, reason: string, assets: Assets | undefined) {
    this.threads_ = { count, reason };
    this.scripts = Array.from({ length: count - 1 }, () => this.script(assets));
    for (const each of this.scripts) each.catch(() => undefined); // looked at later
  }

  get threads(): ThreadUse {
    const { calls, state, threads_ } = this;
    const ran = (_: unknown, worker: number): number =>
      calls ? calls['tern_pool_ran']!(state, worker) >>> 0 : 0;
    return { ...threads_, tasks: Array.from({ length: threads_.count }, ran) };
  }

  async start(
    first: Instance,
    operators: WebAssembly.Module | undefined,
    memory: MemoryCalls,
  ): Promise<Pointer> {
    const platform = memory.raw('tern_wasm_platform');
    const { memory: shared } = this.sharing;
    if (!shared) {
      this.giveUp('the module was given compiled: give its bytes or its address');
      return platform;
    }
    const pool = await WebAssembly.compile(poolModule() as BufferSource);
    const table = first.exports['__indirect_function_table'] as WebAssembly.Table;
    const { exports } = await WebAssembly.instantiate(pool, {
      env: { memory: shared, __indirect_function_table: table },
      tern: { pool_now: () => performance.now(), pool_lost: lost },
    });
    const calls = exports as Calls;
    this.calls = calls;
    const size = calls['tern_pool_bytes']!();
    this.state = memory.alloc(size, true);
    memory.bytes(this.state, size).fill(0);
    const message = (worker: number): KernelMessage => {
      const stack = memory.alloc(kStackBytes, true) + kStackBytes;
      const { module } = first;
      const { state } = this;
      const modules = { module, operators, pool };
      return { ...modules, memory: shared, state, worker, stack, clock: clockOffset() };
    };
    try {
      await Promise.all(this.scripts.map((script, i) => this.begin(script, message(i + 1))));
    } catch (error) {
      this.giveUp(`no worker could be started: ${wordsOf(error)}`);
    }
    const run = memory.table.add(exports['tern_pool_run'] as CallableFunction);
    const ready = memory.table.add(exports['tern_pool_ready'] as CallableFunction);
    const { count } = this.threads_;
    return calls['tern_pool_make']!(this.state, platform, count, run, ready, mayBlock() ? 1 : 0);
  }

  /** The runtime goes on alone, if it goes on. */
  stop(): void {
    this.stopped = true;
    this.calls?.['tern_pool_stop']!(this.state);
    for (const worker of this.workers) void worker.terminate();
    this.workers = [];
  }

  private giveUp(reason: string): void {
    this.threads_ = { count: 1, reason };
    this.stop();
  }

  private async script(assets: Assets | undefined): Promise<WorkerLike> {
    const worker = await packageWorker(kKernelWorker, assets);
    if (this.stopped) {
      void worker.terminate();
      throw new TernError('E0702', 'this runtime has been disposed of');
    }
    this.workers.push(worker);
    return greeted(worker);
  }

  private async begin(script: Promise<WorkerLike>, message: KernelMessage): Promise<void> {
    const worker = await script;
    worker.postMessage(message, []);
    await saying('ready', worker);
    worker.unref?.();
    listen(worker, () => undefined, (why) => this.ended(why));
  }

  // Others do its parts from now on, so that a run needs nothing but the time.
  private ended(why: string): void {
    if (this.stopped) return;
    this.threads_ = { count: this.threads_.count, reason: `a worker has ended: ${why}` };
  }
}
