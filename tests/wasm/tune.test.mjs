// SPDX-License-Identifier: Apache-2.0
// E20: the search for schedules through the package as it is shipped: in Node, in a worker thread
// of Node, and as the example.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';

import { createLoopCompiler, TernError, tuneLoops } from '../../wasm/package/dist/index.js';

const kMatmul = `te matmul<m, n>(A: float32[m, 16], B: float32[16, n]) -> (C: float32[m, n]) {
  compute C[i, j] = sum(k < 16, A[i, k] * B[k, j])
}
`;
const kSizes = { m: 16, n: 64 };
const packageUrl = new URL('../../wasm/package/dist/index.js', import.meta.url).href;

let folder;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'tern-tune-'));
});
after(() => rmSync(folder, { recursive: true }));

function lines(log) {
  return log
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

describe('the search for schedules', () => {
  it('E20 gives the fastest that it measured, whose program runs and gives the same', async () => {
    const best = await tuneLoops(kMatmul, { sizes: kSizes, trials: 12 });
    // The program as written is measured beside itself: on a busy machine the two may differ.
    const measured = best.candidates.filter(({ choice, error }) =>
      error === undefined && choice !== 'as written');
    const fastest = Math.min(...measured.map((candidate) => candidate.cost / candidate.default));
    // How long something takes is no test: a busy machine may find nothing faster.
    assert.ok(best.ratio <= 1, `${best.choice}: ${best.ratio}`);
    if (best.choice !== 'as written') {
      const chosen = measured.find(({ choice }) => choice === best.choice);
      assert.equal(chosen.cost / chosen.default, fastest);
    }
    for (const { error } of best.candidates)
      assert.doesNotMatch(error ?? '', /results differ/);
    const compiler = await createLoopCompiler();
    const counts = compiler.counts(best.text, { sizes: kSizes, target: 'wasm32' });
    assert.ok(counts[0].vector_iterations + counts[0].scalar_iterations > 0);
  });

  it('E20 goes on in a worker from the log of another thread', async () => {
    const first = await tuneLoops(kMatmul, { sizes: kSizes, trials: 4 });
    assert.deepEqual(new Set(lines(first.log).map(({ target }) => target)), new Set(['wasm32']));
    const code = `
      const { parentPort, workerData } = require('node:worker_threads');
      import(workerData.url).then(async ({ tuneLoops }) => {
        const { source, ...options } = workerData.search;
        parentPort.postMessage(await tuneLoops(source, options));
      });`;
    const search = { source: kMatmul, sizes: kSizes, trials: 5, log: first.log };
    const worker = new Worker(code, { eval: true, workerData: { url: packageUrl, search } });
    const again = await new Promise((done, fail) => {
      worker.on('message', done);
      worker.on('error', fail);
    });
    assert.equal(again.resumed, 4);
    assert.equal(again.candidates.length, 5);
    assert.ok(again.log.startsWith(first.log));
  });

  it('E20 the example prints the best and keeps a log', () => {
    const example = fileURLToPath(new URL('../../examples/tune.mjs', import.meta.url));
    const run = (...args) =>
      spawnSync(process.execPath, [...process.execArgv, example, ...args], { encoding: 'utf8' });
    const [program, log] = [join(folder, 'matmul.tloop'), join(folder, 'matmul.log')];
    writeFileSync(program, kMatmul);
    const done = run(program, log);
    assert.equal(done.status, 0, done.stderr);
    assert.match(done.stdout, /^te matmul<m, n>\(/);
    assert.match(done.stderr, /^as written: [0-9.e+]+ ns\n/);
    assert.ok(lines(readFileSync(log, 'utf8')).length >= 3);
    assert.match(run(program, log).stderr, /^as written: [0-9.e+]+ ns \(log\)\n/);
    writeFileSync(log, '{"function": "matmul"}\n');
    const refused = run(program, log);
    assert.equal(refused.status, 1);
    assert.match(refused.stderr, /E0529.*'target' is missing/s);
    writeFileSync(program, 'te matmul<m, n>(');
    assert.match(run(program).stderr, /^error\[E0510\].*matmul\.tloop/s);
  });
});

describe('the search refuses', () => {
  const refuses = (source, options, code, words) =>
    assert.rejects(tuneLoops(source, options), (error) => {
      assert.ok(error instanceof TernError, String(error));
      assert.equal(error.code, code);
      assert.match(error.message, words);
      return true;
    });

  it('what it cannot measure', async () => {
    await refuses('te', {}, 'E0510', /./);
    await refuses(kMatmul, { function: 'add' }, 'E0528', /'add'.*matmul/);
    await refuses(kMatmul, { sizes: { k: 3 } }, 'E0005', /'k'/);
    await refuses(kMatmul, { target: 'x86_64' }, 'E0003', /'x86_64'.*tern tune/);
    await refuses(kMatmul, { log: '[]\n' }, 'E0529', /expected an object/);
  });

  it('files that are not there, and goes no further once it was aborted', async () => {
    await assert.rejects(tuneLoops(kMatmul, { wasm: new URL('missing.wasm', import.meta.url) }));
    await refuses(kMatmul, { wasm: new Uint8Array(20) }, 'E0601', /not WebAssembly/);
    const control = new AbortController();
    const told = [];
    const onProgress = ({ choice }) => {
      told.push(choice);
      control.abort();
    };
    const signal = control.signal;
    await assert.rejects(tuneLoops(kMatmul, { sizes: kSizes, signal, onProgress }), {
      name: 'AbortError',
    });
    assert.deepEqual(told, ['as written']);
  });
});
