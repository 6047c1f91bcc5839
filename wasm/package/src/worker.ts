// SPDX-License-Identifier: Apache-2.0
// The script of the package's own worker: an engine behind messages. createRuntime({ worker })
// starts it; it is an entry of its own for those who make the worker themselves.
import './dispose.js';
import { startRuntime } from './runtime.js';
import { serveEngine } from './worker_engine.js';
import { kThreadingHook, type ThreadingHook } from './threading_hook.js';

const scope = globalThis as { [kThreadingHook]?: ThreadingHook };

void serveEngine((options) => {
  const start = scope[kThreadingHook];
  return start ? start(options, startRuntime) : startRuntime(options);
});
