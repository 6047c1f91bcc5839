// SPDX-License-Identifier: Apache-2.0
// What a worker that runs kernels is told when it is to begin. It says nothing but 'hello',
// when its script runs, and 'ready', when it is at work, from where on it hears of memory alone.
import type { Pointer } from './exports.js';

export interface KernelMessage {
  /** What runs programs, its further operators unless it is whole, and the worker pool. */
  module: WebAssembly.Module;
  operators: WebAssembly.Module | undefined;
  pool: WebAssembly.Module;
  memory: WebAssembly.Memory;
  /** Of the pool, in memory. */
  state: Pointer;
  /** From 1; 0 is the thread that runs programs. */
  worker: number;
  /** The upper end of this worker's stack. */
  stack: Pointer;
  /** What Date.now() says more than performance.now() does, on the thread that runs programs. */
  clock: number;
}

/** Milliseconds between the clocks of one thread. */
export const clockOffset = (): number => Date.now() - performance.now();
