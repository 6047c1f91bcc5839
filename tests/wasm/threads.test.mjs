// SPDX-License-Identifier: Apache-2.0
// B65: the entry tern-runtime/threads in Node: equal bytes whatever the number of threads, work
// that is really shared out, and what becomes of wishes that cannot be met.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { createRuntime, TernError } from '../../wasm/package/dist/threads.js';
import { createRuntime as createPlain } from '../../wasm/package/dist/index.js';
import { digitOf, kModel, modelBytes, serve, three } from './support.mjs';

const kDist = new URL('../../wasm/package/dist/', import.meta.url);
const kSize = 192;
// Products, a reduction and element-wise work, each worth several threads.
const kSource = `fn main(a: f32[n, n], b: f32[n, n]) {
  let c = tanh(matmul(a, b));
  softmax(matmul(c, a) + b)
}`;

function matrix(step, size = kSize) {
  const data = Float32Array.from({ length: size * size }, (_, i) => Math.sin(i * step));
  return { dtype: 'f32', shape: [size, size], data };
}
const kArgs = { a: matrix(0.37), b: matrix(0.11) };

const kTriple = `te triple<n>(x: int32[n]) -> (y: int32[n]) {
  compute y[i] = x[i] * 3
}
`;

const bytesOf = (results) =>
  Buffer.concat(Object.values(results).map(({ data }) => Buffer.from(data.buffer)));

let compiled;
async function productBytes() {
  if (compiled) return compiled;
  const runtime = await createPlain({ language: true });
  compiled = runtime.compileSource(kSource).bytes;
  runtime.dispose();
  return compiled;
}

async function withRuntime(options, f) {
  const runtime = await createRuntime(options);
  try {
    return await f(runtime);
  } finally {
    runtime.dispose();
  }
}

const refused = (promise, code, words, help = /.?/) =>
  assert.rejects(promise, (error) => {
    assert.ok(error instanceof TernError, String(error.stack));
    assert.deepEqual([error.code, words.test(error.message)], [code, true], error.message);
    assert.match(error.help.join('\n'), help);
    return true;
  });

describe('threads', () => {
  it('have the debugger and the language on the memory that they share', async () => {
    await withRuntime({ threads: 2, debugger: true }, (runtime) => {
      assert.equal(runtime.threads.count, 2);
      const { bytes } = runtime.compileSource('fn main(a: int) -> int { a + 2 }');
      const debug = runtime.load(bytes).debugger();
      debug.begin('main', [40]);
      assert.equal(debug.run('continue').reason, 'returned');
      assert.deepEqual(debug.results(), { output0: 42 });
      debug.dispose();
      assert.throws(() => runtime.compileSource('fn main() -> int { y }'), TernError);
    });
  });

  it('give the same bytes as one, and share the work', async () => {
    const program = await productBytes();
    const run = (runtime) => bytesOf(runtime.load(program).run('main', kArgs));
    const plain = await createPlain();
    const expected = run(plain);
    assert.deepEqual(plain.threads, { ...plain.threads, count: 1, tasks: [] });
    plain.dispose();
    for (const threads of [1, 2, 4]) {
      await withRuntime({ threads }, async (runtime) => {
        const deadline = Date.now() + 120_000;
        const idle = () => threads > 1 && runtime.threads.tasks.some((ran) => ran === 0);
        // On a busy machine a worker may wake up too late for one run, and workers may leave this
        // thread no part of another. The pause leaves them a core.
        for (;;) {
          assert.deepEqual(run(runtime), expected);
          if (!idle() || Date.now() > deadline) break;
          await sleep(20);
        }
        const { count, reason, tasks } = runtime.threads;
        assert.deepEqual([count, reason], [threads, 'asked for']);
        assert.equal(runtime.capabilities.threads, threads > 1);
        if (threads === 1) return;
        assert.equal(tasks.length, threads);
        assert.ok(tasks.every((ran) => ran > 0), `parts run by each thread: ${tasks}`);
      });
    }
  });

  it('run models that are compiled there, in a worker too', async () => {
    await withRuntime({ threads: 2 }, (runtime) => {
      assert.equal(digitOf(runtime.load(modelBytes()).run('main', { image: three() })), 3);
    });
    await withRuntime({ threads: 3, worker: true }, async (runtime) => {
      assert.deepEqual(runtime.threads, { count: 3, reason: 'asked for' });
      const program = await runtime.load(kModel);
      assert.equal(digitOf(await program.run('main', { image: three() })), 3);
    });
  });

  it('hand errors, texts and tensors over as one thread does', async () => {
    await withRuntime({ threads: 2 }, (runtime) => {
      assert.throws(() => runtime.load(new Uint8Array(9)), TernError);
      const wrong = { a: kArgs.a, b: { dtype: 'f32', shape: [1, 2], data: new Float32Array(2) } };
      const program = runtime.load(compiled);
      assert.throws(() => program.run('main', wrong), (error) => /^E02/.test(error.code));
      assert.equal(runtime.echo('text'), 'text');
      const tensor = runtime.tensor('f32', [4]);
      tensor.data.set([1, 2, 3, 4]);
      assert.deepEqual([...tensor.copy().data], [1, 2, 3, 4]);
      tensor.dispose();
    });
  });

  it('run loop kernels on the shared memory', async () => {
    const text = `.kernel "triple" "loop" text ${JSON.stringify(kTriple)}
.func @main(x: i32[n]) -> i32[n]
  invoke @triple in: %0 dst: %1
  ret   ret %1
.func @triple(x: i32[n]) -> i32[n]
  fatal string "the kernel is missing"
`;
    const x = { dtype: 'i32', shape: [3], data: Int32Array.of(1, 2, 3) };
    await withRuntime({ threads: 2 }, async (runtime) => {
      const program = runtime.load(runtime.assemble(text));
      const [kernel] = await runtime.prepareKernels(program, { policy: 'compiled' });
      assert.equal(kernel.backend, 'compiled', JSON.stringify(kernel));
      assert.deepEqual([...Object.values(program.run('main', { x }))[0].data], [3, 6, 9]);
    });
  });

  it('stop at a limit of time, which workers look at too', async () => {
    await withRuntime({ threads: 2 }, async (runtime) => {
      const program = runtime.load(await productBytes());
      const large = { a: matrix(0.37, 1500), b: matrix(0.11, 1500) };
      const machine = program.machine({ maxTimeMs: 20 });
      const start = performance.now();
      assert.throws(() => machine.run('main', large), { code: 'S0303' });
      assert.ok(performance.now() - start < 5000);
      machine.dispose();
      assert.ok(program.run('main', kArgs));
    });
  });

  it('are as many as the machine has processors', async () => {
    await withRuntime({}, ({ threads: { count, reason } }) => {
      assert.ok(count >= 1 && count <= 8, String(count));
      assert.match(reason, /this machine has (one processor|\d+ processors)/);
    });
  });

  it('let the process end, disposed of or not', async () => {
    const { execFileSync } = await import('node:child_process');
    const script = `import { createRuntime } from '${new URL('threads.js', kDist).href}';
      const kept = await createRuntime({ threads: 3 });
      const gone = await createRuntime({ threads: 2 });
      gone.dispose(); gone.dispose();
      console.log(kept.threads.count);`;
    const args = ['--input-type=module', '-e', script];
    assert.equal(execFileSync(process.execPath, args, { timeout: 60_000 }).toString(), '3\n');
  });
});

describe('threads that cannot be', () => {
  for (const threads of [0, -1, 1000, 65, 1.5, NaN, Infinity, '2', null, {}]) {
    it(`refuses ${String(threads)} of them`, () =>
      refused(createRuntime({ threads }), 'E0003', /is no number of threads/, /from 1 to 64/));
  }

  it('goes on alone where the script is not served, and says so', async () => {
    const { url, close } = await serve({});
    const assets = (file) =>
      file === 'threads-kernels.js' ? `${url}/${file}` : new URL(file, kDist);
    await withRuntime({ threads: 2, assets }, (runtime) => {
      const { count, reason } = runtime.threads;
      assert.equal(count, 1);
      assert.match(reason, /no worker could be started: .+/);
      assert.equal(digitOf(runtime.load(modelBytes()).run('main', { image: three() })), 3);
    });
    await close();
  });

  it('goes on alone where the module was compiled before', async () => {
    const built = new URL('../../build/wasm/wasm/tern-simd.wasm', import.meta.url);
    const wasm = await WebAssembly.compile(readFileSync(built));
    await withRuntime({ threads: 2, wasm }, (runtime) => {
      assert.equal(runtime.threads.count, 1);
      assert.match(runtime.threads.reason, /was given compiled: give its bytes/);
      assert.equal(digitOf(runtime.load(modelBytes()).run('main', { image: three() })), 3);
    });
  });

  it('says what is wrong with a module, and leaves no worker behind', async () => {
    const html = new TextEncoder().encode('<!doctype html>');
    await refused(createRuntime({ threads: 2, wasm: html }), 'E0601', /is not WebAssembly/);
    const header = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]);
    const cut = new Uint8Array([...header, 5, 90, 1]);
    await refused(createRuntime({ threads: 2, wasm: cut }), 'E0603', /shared memory.*end in the/);
    const starts = new Uint8Array([...header, 5, 3, 1, 0, 1, 8, 1, 0]);
    await refused(createRuntime({ threads: 2, wasm: starts }), 'E0603', /a start function/);
  });

  it('ends with the signal that started it', async () => {
    const control = new AbortController();
    const made = createRuntime({ threads: 2, signal: control.signal });
    control.abort();
    await assert.rejects(made, { name: 'AbortError' });
  });

  it('is told of an isolated page by the page', async () => {
    globalThis.crossOriginIsolated = false;
    try {
      await withRuntime({ threads: 2 }, ({ threads: { count, reason } }) => {
        assert.equal(count, 1);
        assert.match(reason, /not cross-origin isolated.*Cross-Origin-Opener-Policy: same-origin/);
      });
    } finally {
      delete globalThis.crossOriginIsolated;
    }
  });
});
