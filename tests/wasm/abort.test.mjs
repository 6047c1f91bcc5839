// SPDX-License-Identifier: Apache-2.0
// B62: how soon an abort is heard. Nothing here is timed, because a loaded machine takes as long as
// it likes: the promise must be rejected within the turn of the event loop that aborts, before a
// slow server has sent another piece, and no further slice of a run may begin. Run by `node --test`
// after tools/build_web.sh.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';

import { createRuntime } from '../../wasm/package/dist/index.js';
import { digitOf, kModel, kRoot, modelBytes, sends, serve, three } from './support.mjs';

const kForever = '.func @forever()\nagain:\n  load_const int 0 dst: %0\n  goto again\n';
const kPiece = 1000;
const kPackedWasm = readFileSync(new URL('wasm/package/dist/tern-simd.wasm.gz', kRoot));

const turn = () => new Promise((done) => setImmediate(done));

/** A server that sends a model piece by piece, the next one when it is told to. */
async function slowServer() {
  const model = modelBytes();
  const state = { sent: 0, responses: [] };
  const server = await serve({
    '/model.onnx': sends(model),
    '/tern.wasm.gz': sends(kPackedWasm, 'application/gzip'),
    '/slow.onnx': (_, response) => {
      state.responses.push(response);
      response.writeHead(200, { 'content-length': model.length });
      state.send(response);
    },
  });
  state.send = (response) => {
    response.write(model.subarray(kPiece * state.sent, kPiece * (state.sent + 1)));
    ++state.sent;
  };
  return { ...server, state };
}

/** Aborts, and fails unless the promise is rejected before anything else has happened. */
async function abortAtOnce(control, promise) {
  let rejected;
  promise.catch((error) => (rejected = error));
  control.abort();
  await turn();
  assert.equal(rejected?.name, 'AbortError', 'it still waits for something');
}

/** Runs f with a clock that goes on by `step` at each look; gives how to count the looks. */
async function withClock(step, f) {
  const { now } = performance;
  let looks = 0;
  performance.now = () => step * ++looks;
  try {
    return await f(() => looks);
  } finally {
    performance.now = now;
  }
}

const kPlaces = [
  ['a synchronous runtime', {}],
  ['a runtime in a worker', { worker: true }],
  ['an asynchronous runtime on this thread', { worker: false }],
];

for (const [place, options] of kPlaces) {
  describe(place, () => {
    let runtime;
    let server;
    before(async () => {
      server = await slowServer();
      runtime = await createRuntime(options);
    });
    after(async () => {
      runtime.dispose();
      await server.close();
    });

    it('gives a download up before the next piece of it is sent', async () => {
      const control = new AbortController();
      let heard;
      const begun = new Promise((done) => (heard = done));
      const loading = runtime.load(`${server.url}/slow.onnx`, {
        signal: control.signal,
        onProgress: ({ file }) => file === 'slow.onnx' && heard(),
      });
      await begun;
      await abortAtOnce(control, loading);
      assert.equal(server.state.sent, 1);
      // The connection is given up as well, so that the rest is never sent.
      const [response] = server.state.responses;
      if (!response.closed) await new Promise((done) => response.once('close', done));
      const program = await runtime.load(`${server.url}/model.onnx`);
      assert.equal(digitOf(await program.run('main', { image: three() })), 3);
      program.dispose();
    });

    // K10: the phases that progress tells of; runs are below.
    for (const phase of ['fetch', 'compile', 'load']) {
      it(`ends in the phase '${phase}', and the runtime goes on`, async () => {
        const control = new AbortController();
        const heard = [];
        const loading = runtime.load(kModel, {
          signal: control.signal,
          onProgress: (each) => {
            heard.push(each.phase);
            if (each.phase === phase) control.abort();
          },
        });
        await assert.rejects(loading, { name: 'AbortError' });
        assert.equal(heard.at(-1), phase);
        const program = await runtime.load(kModel);
        assert.equal(digitOf(await program.run('main', { image: three() })), 3);
        program.dispose();
      });
    }

    it('ends while WebAssembly is fetched or compiled, and starts the next time', async () => {
      for (const phase of ['fetch', 'compile']) {
        const control = new AbortController();
        const onProgress = (each) => each.phase === phase && control.abort();
        const { signal } = control;
        const wasm = `${server.url}/tern.wasm.gz`;
        await assert.rejects(createRuntime({ ...options, wasm, signal, onProgress }),
          { name: 'AbortError' }, phase);
      }
      const next = await createRuntime(options);
      const program = await next.load(kModel);
      assert.equal(digitOf(await program.run('main', { image: three() })), 3);
      next.dispose();
    });

    it('takes no abort that comes after the end', async () => {
      const control = new AbortController();
      const program = await runtime.load(kModel, { signal: control.signal });
      control.abort();
      await turn();
      assert.equal(digitOf(await program.run('main', { image: three() })), 3);
      program.dispose();
    });
  });
}

describe('a compilation on this thread', () => {
  // Shares of the steps, where each takes 20 ms; `hear` is called with each.
  const compileSlowly = (runtime, signal, hear) => withClock(20, async () => {
    const shares = [];
    const onProgress = ({ phase, fraction }) => {
      if (phase !== 'compile') return;
      shares.push(fraction);
      hear?.(shares.length);
    };
    await runtime.load(kModel, { signal, onProgress }).then((program) => program.dispose(),
      (error) => shares.push(error));
    return shares;
  });

  it('gives way between its steps, and tells how far it is', async () => {
    const runtime = await createRuntime({ worker: false });
    const shares = await compileSlowly(runtime);
    assert.ok(shares.length > 20, `gave way ${shares.length} times`);
    assert.deepEqual(shares, [...shares].sort((a, b) => a - b));
    runtime.dispose();
  });

  it('ends between two of them', async () => {
    const runtime = await createRuntime({ worker: false });
    const control = new AbortController();
    // Heard in a turn of its own, as a click is.
    const shares = await compileSlowly(runtime, control.signal,
      (times) => times === 5 && setImmediate(() => control.abort()));
    assert.equal(shares.at(-1).name, 'AbortError');
    assert.ok(shares.length < 12, `went on for ${shares.length} steps`);
    const program = await runtime.load(kModel);
    assert.equal(digitOf(await program.run('main', { image: three() })), 3);
    runtime.dispose();
  });

  it('ends where its runtime is disposed of', async () => {
    const runtime = await createRuntime({ worker: false });
    const shares = await compileSlowly(runtime, undefined,
      (times) => times === 5 && runtime.dispose());
    assert.equal(shares.at(-1).code, 'E0702');
  });
});

describe('a run', () => {
  let forever;
  before(async () => {
    const maker = await createRuntime();
    forever = maker.assemble(kForever);
    maker.dispose();
  });

  for (const worker of [true, false]) {
    const where = worker ? 'in a worker' : 'on this thread';
    it(`ends in the turn that aborts it, ${where}`, async () => {
      const runtime = await createRuntime({ worker });
      const program = await runtime.load(forever);
      const control = new AbortController();
      const endless = program.run('forever', [], { signal: control.signal });
      for (let i = 0; i < 5; ++i) await new Promise((done) => setTimeout(done, 1));
      await abortAtOnce(control, endless);
      const model = await runtime.load(kModel);
      assert.equal(digitOf(await model.run('main', { image: three() })), 3);
      runtime.dispose();
    });
  }

  it('begins no slice once it is aborted', async () => {
    const runtime = await createRuntime({ worker: false });
    const program = await runtime.load(forever);
    await withClock(0, async (looks) => {
      const control = new AbortController();
      const endless = program.run('forever', [], { signal: control.signal });
      while (looks() < 10) await turn();
      await abortAtOnce(control, endless);
      const before = looks();
      for (let i = 0; i < 20; ++i) await turn();
      assert.equal(looks(), before);
    });
    runtime.dispose();
  });

  it('has shorter slices where they take long, so that an abort is heard soon', async () => {
    const runtime = await createRuntime({ worker: false });
    const program = await runtime.load(forever);
    const slices = (step) => withClock(step, async (looks) => {
      const run = program.run('forever', [], { maxInstructions: 1000 });
      await assert.rejects(run, { code: 'S0301' });
      return looks() / 2; // before each, and after it
    });
    const [slow, fast] = [await slices(20), await slices(0)];
    assert.ok(slow > 500, `${slow} slices though each takes 20 ms`);
    assert.ok(fast < 20, `${fast} slices though none takes any time`);
    runtime.dispose();
  });
});
