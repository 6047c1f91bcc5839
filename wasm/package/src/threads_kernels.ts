// SPDX-License-Identifier: Apache-2.0
// The script of a worker that runs parts of kernels: an instance of the module on shared memory,
// with a stack of its own, in the loop of the worker pool (wasm/threads/pool.cc).
import { clockOffset, type KernelMessage } from './kernel_message.js';
import { greetAndHear, ownerOfWorker } from './worker_scope.js';

type Post = (message: { kind: 'ready' }) => void;
type Calls = Record<string, (...args: number[]) => number>;

// A kernel's part asks for the time, to hear whether the run is over, and for nothing else.
function importsOf(
  module: WebAssembly.Module,
  memory: WebAssembly.Memory,
  now: () => number,
): WebAssembly.Imports {
  const imports: WebAssembly.Imports = {};
  for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
    const refuse = (): never => {
      throw new Error(`a part of a kernel called '${name}' on a worker`);
    };
    const given = name === 'host_now' ? now : refuse;
    (imports[from] ??= {})[name] = kind === 'memory' ? memory : given;
  }
  return imports;
}

async function begin(message: KernelMessage, post: Post): Promise<void> {
  const { module, operators, pool, memory, state, worker, stack, clock } = message;
  const ahead = clockOffset() - clock;
  const now = (): number => performance.now() + ahead;
  const { exports } = await WebAssembly.instantiate(module, importsOf(module, memory, now));
  const calls = exports as Calls;
  calls['_emscripten_stack_restore']!(stack);
  // It puts its functions into this worker's table, where parts of kernels are found by number.
  if (operators) await WebAssembly.instantiate(operators, { p: exports, env: { memory } });
  const refuse = (): never => {
    throw new Error('only the thread that runs programs waits for workers');
  };
  const lent = await WebAssembly.instantiate(pool, {
    env: { memory, __indirect_function_table: exports['__indirect_function_table']! },
    tern: { pool_now: now, pool_lost: refuse },
  });
  const loop = lent.exports as Calls;
  post({ kind: 'ready' });
  try {
    loop['tern_pool_work']!(state, worker);
  } catch (error) {
    loop['tern_pool_fail']!(state);
    throw error;
  }
}

// Thrown where the engine reports it to the thread that made this worker.
const report = (error: unknown): void => {
  setTimeout(() => {
    throw error;
  });
};

async function main(): Promise<void> {
  const owner = await ownerOfWorker();
  const { post, close } = owner;
  greetAndHear(owner, (message: KernelMessage) => void begin(message, post).then(close, report));
}

void main();
