// SPDX-License-Identifier: Apache-2.0
// B62: the asynchronous runtime, in a worker and on the caller's thread: results, queue, aborts,
// limits, arrays that are handed over, and what happens when the worker is not to be had or dies.
// Run by `node --test` after tools/build_web.sh.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Worker } from 'node:worker_threads';

import { createRuntime, makeTensor, Tuple } from '../../wasm/package/dist/index.js';
import {
  checkProgress, digitOf, fails, kModel, modelBytes, sends, serve, three,
} from './support.mjs';

const kProgram = `
.func @main(a: int, b: int) -> (int, int)
  add   %0, %1 dst: %2
  alloc_adt tag: 0 in: %2, %0 dst: %3
  ret   ret %3
.func @same(x)
  ret   ret %0
.func @forever()
again:
  load_const int 0 dst: %0
  goto  again
`;

let bytes;
before(async () => {
  const maker = await createRuntime();
  bytes = maker.assemble(kProgram);
  maker.dispose();
});

for (const worker of [true, false]) {
  describe(worker ? 'a runtime in a worker' : 'an asynchronous runtime on this thread', () => {
    let runtime;
    let program;
    before(async () => {
      runtime = await createRuntime({ worker });
      program = await runtime.load(bytes);
    });
    after(() => runtime.dispose());

    it('says where it is, and what it has', async () => {
      assert.deepEqual(runtime.placement, { worker, why: 'asked for' });
      assert.equal(runtime.capabilities.worker, worker);
      assert.match(runtime.info.version, /^\d/);
      assert.deepEqual(program.functions.map(({ name }) => name), ['main', 'same', 'forever']);
      assert.equal(program.byteLength, bytes.length);
      assert.match(await runtime.explain('E0203'), /shape/);
      assert.equal(await runtime.explain('E9999'), undefined);
    });

    it('gives what the synchronous one gives', async () => {
      const other = await createRuntime();
      const model = other.load(modelBytes());
      const wanted = model.run('main', { image: three() });
      const sources = [kModel, kModel.href, modelBytes(), modelBytes().buffer,
        new Blob([modelBytes()]), new Response(modelBytes())];
      for (const source of sources) {
        const heard = [];
        const loaded = await runtime.load(source, { onProgress: (each) => heard.push(each) });
        checkProgress(assert, heard);
        assert.deepEqual(await loaded.run('main', { image: three() }), wanted);
        loaded.dispose();
      }
      const { bytes: compiled } = await runtime.compile(modelBytes());
      assert.deepEqual(compiled, other.compile(modelBytes()).bytes);
      other.dispose();
    });

    it('tells of one progress, though a response is read here and compiled there', async () => {
      const fresh = await createRuntime({ worker });
      const heard = [];
      const onProgress = (each) => heard.push(each);
      await fresh.load(new Response(modelBytes()), { onProgress });
      checkProgress(assert, heard);
      assert.ok(heard.some(({ file }) => file === 'the response'));
      assert.ok(heard.some(({ file }) => /compiler/.test(file)));
      fresh.dispose();
    });

    it('takes and gives values of all kinds', async () => {
      assert.deepEqual(await program.run('main', [3, 4]), { output0: 7, output1: 3 });
      const values = [null, true, 7, 2n ** 60n, 'text', Uint8Array.of(1, 2), [1, ['two']],
        new Map([['a', [1]]]), makeTensor('i32', [2], Int32Array.of(1, 2)),
        new Tuple(1, new Tuple('x'))];
      const other = await createRuntime();
      const synchronous = other.load(bytes);
      for (const value of values) {
        const wanted = synchronous.run('same', [value]);
        assert.deepEqual(await program.run('same', [value]), wanted);
      }
      other.dispose();
    });

    it('queues runs, and keeps none of their memory', async () => {
      const model = await runtime.load(kModel);
      const before = (await runtime.memory()).liveObjects;
      const runs = Array.from({ length: 5 }, () => model.run('main', { image: three() }));
      for (const result of await Promise.all(runs)) assert.equal(digitOf(result), 3);
      assert.equal((await runtime.memory()).liveObjects, before);
      model.dispose();
    });

    it('ends a run when it is aborted, and runs on', async () => {
      const control = new AbortController();
      const endless = program.run('forever', [], { signal: control.signal });
      const queued = program.run('main', [1, 2]);
      const given = program.run('forever', [], { signal: control.signal });
      setTimeout(() => control.abort(), 20);
      await assert.rejects(endless, { name: 'AbortError' });
      await assert.rejects(given, { name: 'AbortError' });
      assert.deepEqual(await queued, { output0: 3, output1: 1 });
      const late = AbortSignal.abort(new Error('enough'));
      await assert.rejects(program.run('main', [1, 2], { signal: late }), /enough/);
    });

    it('frees what was loaded for one who gave up', async () => {
      const before = await runtime.memory();
      const control = new AbortController();
      const loading = runtime.load(kModel, { signal: control.signal });
      control.abort();
      await assert.rejects(loading, { name: 'AbortError' });
      assert.equal((await runtime.memory()).liveObjects, before.liveObjects);
    });

    it('keeps to limits', async () => {
      await fails(program.run('forever', [], { maxInstructions: 1000 }), 'S0301', /limit/);
      await fails(program.run('forever', [], { maxTimeMs: 20 }), 'S0303', /20 ms/);
      assert.deepEqual(await program.run('main', [1, 2]), { output0: 3, output1: 1 });
    });

    it('says what is wrong as the synchronous one does', async () => {
      await fails(program.run('nothing', []), 'E0206', /no function 'nothing'.*main/);
      await fails(program.run('main', { a: 1 }), 'E0201', /'b'/);
      await fails(program.run('main', { a: 1, b: 2, c: 3 }), 'E0202', /'c'/);
      await fails(program.run('main', [1, 'x']), 'E0205', /expected int, got string/);
      await fails(program.run('same', [() => 1]), 'E0205', /function does not cross/);
      await fails(runtime.load(Uint8Array.of(1, 2, 3)), 'E0401');
      await fails(runtime.load(bytes.subarray(0, 100)), 'E0105');
      await fails(runtime.load('no-such-file.onnx'), 'E0611', /no-such-file/, /folder/);
      await fails(runtime.load(7), 'E0205', /bytes, an address/);
      await fails(runtime.compile('text'), 'E0205', /Uint8Array/);
      await fails(runtime.load(kModel, { integrity: 'sha256-AAAA' }), 'E0612', /does not match/);
      await fails(runtime.load(modelBytes(), { integrity: 'sha256-AAAA' }), 'E0612');
      await fails(runtime.load(new Response(modelBytes()), { integrity: 'sha256-AAAA' }), 'E0612');
    });

    it('refuses a program that was disposed of', async () => {
      const gone = await runtime.load(bytes);
      gone.dispose();
      gone.dispose();
      await fails(gone.run('main', [1, 2]), 'E0702', /program/);
    });
  });
}

describe('the worker', () => {
  it('takes arrays over where it may', async () => {
    const runtime = await createRuntime({ worker: true });
    const model = modelBytes();
    const program = await runtime.load(model, { transfer: true });
    assert.equal(model.length, 0);
    const image = three();
    assert.equal(digitOf(await program.run('main', { image })), 3);
    assert.equal(image.data.length, 784);
    const partly = [image.data.buffer];
    assert.equal(digitOf(await program.run('main', { image }, { transfer: partly })), 3);
    assert.equal(image.data.length, 0);
    // What is gone cannot be given again; a buffer of something else is left alone.
    for (const transfer of [true, false, partly])
      await fails(program.run('main', { image }, { transfer }), 'E0205',
        /has 784 elements, the array has 0/);
    const kept = three();
    assert.equal(digitOf(await program.run('main', { image: kept }, { transfer: partly })), 3);
    assert.equal(kept.data.length, 784);
    assert.equal(digitOf(await program.run('main', { image: three() }, { transfer: true })), 3);
    runtime.dispose();
  });

  it('lets this thread go on, and may be ended at any time', async () => {
    const runtime = await createRuntime({ worker: true });
    const program = await runtime.load(bytes);
    const endless = program.run('forever', []);
    const refused = fails(endless, 'E0702', /disposed/);
    let turns = 0;
    while (turns < 20) {
      await new Promise((done) => setTimeout(done, 1));
      ++turns;
    }
    runtime.dispose();
    await refused;
    await fails(program.run('main', [1, 2]), 'E0702');
    await fails(runtime.load(bytes), 'E0702');
  });

  it('is none in Node unless it is asked for', async () => {
    const runtime = await createRuntime({ worker: 'auto' });
    assert.equal(runtime.placement.worker, false);
    assert.match(runtime.placement.why, /no page/);
    runtime.dispose();
  });

  it('may be made by the caller', async () => {
    const script = new URL('../../wasm/package/dist/worker.js', import.meta.url);
    const runtime = await createRuntime({ worker: () => new Worker(script) });
    assert.equal(runtime.placement.worker, true);
    assert.deepEqual(await (await runtime.load(bytes)).run('main', [1, 2]),
      { output0: 3, output1: 1 });
    runtime.dispose();
  });

  it('is said to be missing where it cannot start', async () => {
    const missing = () => new Worker(new URL('no-such-worker.mjs', import.meta.url));
    await fails(createRuntime({ worker: missing }), 'E0613', /no-such-worker/, /worker: 'auto'/);
    const server = await serve({ '/worker.js': sends(Buffer.from('<html>'), 'text/html') });
    await fails(createRuntime({ worker: true, assets: server.url }), 'E0613', /./, /assets/);
    const reason = AbortSignal.abort(new Error('enough'));
    await assert.rejects(createRuntime({ worker: true, signal: reason }), /enough/);
    await server.close();
  });

  it('is said to be gone when it dies', async () => {
    const script = new URL('../../wasm/package/dist/worker.js', import.meta.url);
    let made;
    const runtime = await createRuntime({ worker: () => (made = new Worker(script)) });
    const program = await runtime.load(bytes);
    const refused = fails(program.run('forever', []), 'E0614', /has ended/, /another runtime/);
    await made.terminate();
    await refused;
    await fails(program.run('main', [1, 2]), 'E0614');
    runtime.dispose();
  });

  it('hands on what went wrong at the start', async () => {
    const wasm = new TextEncoder().encode('<!doctype html>');
    for (const worker of [true, false])
      await fails(createRuntime({ worker, wasm }), 'E0601', /HTML/, /assets/);
  });
});
