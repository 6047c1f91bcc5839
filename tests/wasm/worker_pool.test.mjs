// SPDX-License-Identifier: Apache-2.0
// B65: the worker pool's module by itself, with tasks that tests make up: what happens to a run
// whose worker fails or is gone.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';

const kPool = new URL('../../build/wasm/wasm/tern-pool.wasm', import.meta.url);
const module = new WebAssembly.Module(readFileSync(kPool));

// (import "js" "task" (func (param i32 i64 i32))) (export "task" (func 0)): a table takes no
// functions of JavaScript as they are.
const kTask = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 7, 1, 96, 3, 127, 126, 127, 0, 2, 11, 1, 2, 106, 115, 4, 116, 97,
  115, 107, 0, 0, 7, 8, 1, 4, 116, 97, 115, 107, 0, 0,
]);
const kState = 1024;
const kPlatform = 64;

/** An instance whose tasks are calls of `task`. */
function instanceOn(memory, task, imports = {}) {
  const table = new WebAssembly.Table({ element: 'anyfunc', initial: 2 });
  const code = new WebAssembly.Module(kTask);
  table.set(1, new WebAssembly.Instance(code, { js: { task } }).exports.task);
  const pool_lost = () => assert.fail('lost');
  const tern = { pool_now: () => performance.now(), pool_lost, ...imports };
  return new WebAssembly.Instance(module, {
    env: { memory, __indirect_function_table: table }, tern,
  }).exports;
}

function poolOf(task, { workers = 2, ...imports } = {}) {
  const memory = new WebAssembly.Memory({ initial: 4, maximum: 65536, shared: true });
  const pool = instanceOn(memory, task, imports);
  pool.tern_pool_make(kState, kPlatform, workers, 0, 0, 1);
  return { memory, pool };
}

/** A worker in the pool's loop, whose tasks are the body of a function of (data, index, worker). */
async function startWorker(memory, body) {
  const script = `const { workerData: { module, code, memory }, parentPort } =
      require('node:worker_threads');
    const task = (data, index, worker) => { ${body} };
    const table = new WebAssembly.Table({ element: 'anyfunc', initial: 2 });
    table.set(1, new WebAssembly.Instance(new WebAssembly.Module(code), { js: { task } })
      .exports.task);
    const { exports } = new WebAssembly.Instance(module, {
      env: { memory, __indirect_function_table: table },
      tern: { pool_now: () => 0, pool_lost: () => {} },
    });
    parentPort.postMessage('ready');
    try { exports.tern_pool_work(${kState}, 1); } catch { exports.tern_pool_fail(${kState}); }
    parentPort.postMessage('over');`;
  const workerData = { module, code: kTask, memory };
  const worker = new Worker(script, { eval: true, workerData });
  await new Promise((done) => worker.once('message', done));
  return worker;
}

/** Until a worker has claimed a task: this thread's own parts take as long as that. */
function untilClaimed(memory) {
  const flag = new Int32Array(memory.buffer, 8, 1);
  return () => void Atomics.wait(flag, 0, 0, 10_000);
}
const kClaims = 'Atomics.store(new Int32Array(memory.buffer), 2, 1);'
  + 'Atomics.notify(new Int32Array(memory.buffer), 2);';

describe('the worker pool', () => {
  it('runs every task once, whoever is there', async () => {
    const seen = [];
    const { memory, pool } = poolOf((data, index, worker) => seen.push([data, index, worker]));
    pool.tern_pool_run(kState, 3n, 1, 7);
    assert.deepEqual(seen, [[7, 0n, 0], [7, 1n, 0], [7, 2n, 0]]);
    const worker = await startWorker(memory, kClaims);
    const waiting = untilClaimed(memory);
    const both = instanceOn(memory, waiting);
    both.tern_pool_run(kState, 4n, 1, 0);
    const ran = [pool.tern_pool_ran(kState, 0), pool.tern_pool_ran(kState, 1)];
    assert.equal(ran[0] + ran[1], 7);
    assert.ok(ran[1] > 0, `tasks by thread: ${ran}`);
    const over = new Promise((done) => worker.once('message', done));
    pool.tern_pool_stop(kState);
    assert.equal(await over, 'over');
    both.tern_pool_run(kState, 2n, 1, 0); // alone
    assert.equal(pool.tern_pool_ran(kState, 1), ran[1]);
    await worker.terminate();
  });

  it('has workers that sleep woken for several short jobs in a row, not for one', async () => {
    let now = 0;
    const { memory, pool } = poolOf(() => undefined, { pool_now: () => now });
    const ready = () => pool.tern_pool_ready(kState);
    assert.equal(ready(), 2);
    const worker = await startWorker(memory, '');
    for (let i = 0; ready() !== 1; ++i) {
      assert.ok(i < 10_000, 'the worker never slept');
      now += 1000;
      await new Promise((done) => setTimeout(done, 1));
    }
    assert.deepEqual([ready(), ready(), ready(), ready()], [1, 1, 2, 1]);
    pool.tern_pool_stop(kState);
    await worker.terminate();
  });

  it('runs nested jobs, and none, on the thread that has them', () => {
    let depth = 0;
    let ran = 0;
    const { pool } = poolOf(() => {
      ++ran;
      if (depth++ === 0) pool.tern_pool_run(kState, 5n, 1, 0);
    });
    pool.tern_pool_run(kState, 2n, 1, 0);
    pool.tern_pool_run(kState, 0n, 1, 0);
    pool.tern_pool_run(kState, -1n, 1, 0);
    assert.equal(ran, 7);
    assert.equal(pool.tern_pool_ran(kState, -1) + pool.tern_pool_ran(kState, 64), 0);
  });

  it('ends a run whose worker has failed', async () => {
    const { memory } = poolOf(() => undefined);
    const worker = await startWorker(memory, `${kClaims} throw new Error('of the task');`);
    const lost = () => { throw new Error('lost'); };
    const pool = instanceOn(memory, untilClaimed(memory), { pool_lost: lost });
    assert.throws(() => pool.tern_pool_run(kState, 4n, 1, 0), /lost/);
    await worker.terminate();
  });

  it('ends a run whose worker is gone in the middle, when it has waited long enough', async () => {
    const { memory } = poolOf(() => undefined);
    const worker = await startWorker(memory,
      `${kClaims} Atomics.wait(new Int32Array(memory.buffer), 4, 0);`);
    let minutes = 0;
    const pool = instanceOn(memory, untilClaimed(memory), {
      pool_now: () => 60_000 * ++minutes,
      pool_lost: () => { throw new Error('lost'); },
    });
    assert.throws(() => pool.tern_pool_run(kState, 4n, 1, 0), /lost/);
    assert.ok(minutes >= 3, String(minutes));
    await worker.terminate();
  });

  it('keeps nothing in the memory that it shares, which its build looks at', () => {
    const check = fileURLToPath(new URL('../../wasm/threads/check_pool.py', import.meta.url));
    const look = (name) => {
      const path = fileURLToPath(new URL(name, kPool));
      return execFileSync('/usr/bin/python3', [check, path], { stdio: 'pipe' }).toString();
    };
    assert.equal(look('tern-pool.wasm'), '');
    assert.throws(() => look('tern-loops.wasm'), ({ stderr }) =>
      /has a table and a memory and globals and .*data of its own/.test(stderr.toString()));
  });

  it('is not held up by a worker that went between two runs', async () => {
    let ran = 0;
    const { memory } = poolOf(() => undefined);
    const worker = await startWorker(memory, '');
    await worker.terminate();
    const pool = instanceOn(memory, () => ++ran);
    pool.tern_pool_run(kState, 4n, 1, 0);
    assert.equal(ran, 4);
  });
});
