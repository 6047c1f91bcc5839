// SPDX-License-Identifier: Apache-2.0
// How threads-worker.js, which is worker.js and a little more, adds that to the other: the two are
// scripts of their own, so that the package has what both need once.
import type { startWithThreads } from './thread_start.js';

export const kThreadingHook = Symbol.for('tern-runtime/threads');
export type ThreadingHook = typeof startWithThreads;
