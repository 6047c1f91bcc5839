// SPDX-License-Identifier: Apache-2.0
// The worker of tern-runtime/threads: the package's own worker, in which runtimes start workers.
import { startWithThreads } from './thread_start.js';
import { startRuntimesWith } from './worker.js';

// Before the first message is heard, because that takes another turn of the event loop.
startRuntimesWith(startWithThreads);
