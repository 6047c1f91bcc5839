// SPDX-License-Identifier: Apache-2.0
// The script of the package's own worker: an engine behind messages. createRuntime({ worker })
// starts it; it is an entry of its own for those who make the worker themselves.
import './dispose.js';
import { startRuntime } from './start.js';
import type { startWithThreads } from './thread_start.js';
import { serveEngine } from './worker_engine.js';

let threaded: typeof startWithThreads | undefined;

/**
 * How threads-worker.js, which is this script and a little more, adds that: the two are scripts of
 * their own, so that the package has what both need once. It calls, before the first message is
 * heard, rather than import this for its effects alone: bundlers leave such imports of a package
 * without side effects out.
 * @internal
 */
export function startRuntimesWith(start: typeof startWithThreads): void {
  threaded = start;
}

void serveEngine((options) =>
  threaded ? threaded(options, startRuntime) : startRuntime(options),
);
