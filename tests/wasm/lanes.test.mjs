// SPDX-License-Identifier: Apache-2.0
// What the loop compiler tells of lanes, against an oracle of this test's own: iterations, masks,
// elements, bytes, for every strategy, vscale, element type and many sizes.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';

import { createLoopCompiler, TernError } from '../../wasm/package/dist/index.js';

const kTypes = { int8: 1, float16: 2, float32: 4, float64: 8 };
const kStrategies = ['fixed', 'cleanup', 'predicated'];
const kVScales = Array.from({ length: 16 }, (_, i) => i + 1);
const kLineBytes = 64;

const programOf = (type) => `te add<n>(A: ${type}[n], B: ${type}[n]) -> (C: ${type}[n]) {
  compute C[i] = A[i] + B[i]
  schedule { vectorize(C, i, scalable = true) }
}
`;

/** Iterations in order: first element, lanes, how many are on, whether there is a mask. */
function* oracle(strategy, n, perVector) {
  if (strategy === 'predicated') {
    for (let i = 0; i < n; i += perVector)
      yield { first: i, lanes: perVector, on: Math.min(perVector, n - i), masked: true };
    return;
  }
  const whole = n - (n % perVector);
  for (let i = 0; i < whole; i += perVector)
    yield { first: i, lanes: perVector, on: perVector, masked: false };
  for (let i = whole; i < n; ++i) yield { first: i, lanes: 1, on: 1, masked: false };
}

function checkAccess(access, want, bytes) {
  assert.equal(access.index, want.first);
  assert.equal(access.step, want.lanes > 1 ? 1 : 0);
  assert.equal(access.bytes, want.on * bytes);
  assert.equal(access.masked_bytes, (want.lanes - want.on) * bytes);
  const mask = '1'.repeat(want.on) + '0'.repeat(want.lanes - want.on);
  assert.equal(access.mask, want.masked ? mask : null);
  const line = (element) => Math.floor((element * bytes) / kLineBytes);
  const [first, last] = [line(want.first), line(want.first + want.on - 1)];
  assert.deepEqual(access.lines, Array.from({ length: last - first + 1 }, (_, i) => first + i));
}

function checkRun(run, bytes) {
  const per = (16 / bytes) * (run.strategy === 'fixed' ? 1 : run.vscale);
  const rows = [...oracle(run.strategy, run.n, per)];
  const vectors = rows.filter(({ lanes, masked }) => masked || lanes > 1);
  assert.equal(run.vector_iterations, vectors.length);
  assert.equal(run.scalar_iterations, rows.length - vectors.length);
  assert.equal(run.last_active, vectors.at(-1)?.on ?? 0);
  assert.equal(run.bytes_stored, run.n * bytes);
  assert.equal(run.bytes_loaded, 2 * run.n * bytes);
  assert.equal(run.instructions.store, rows.length);
  assert.equal(run.instructions.load, 2 * rows.length);
  let next = 0;
  for (const row of run.iterations) {
    assert.equal(row.k, next, 'rows follow each other');
    next += row.folded;
    const want = rows[row.k];
    assert.deepEqual([row.lanes, row.active], [want.lanes, want.on]);
    if (row.folded > 1) {
      for (const hidden of rows.slice(row.k, next))
        assert.deepEqual([hidden.lanes, hidden.on], [want.lanes, want.on]);
      continue;
    }
    assert.deepEqual(row.accesses.map(({ op }) => op), ['load', 'load', 'store']);
    for (const access of row.accesses) checkAccess(access, want, bytes);
  }
  assert.equal(next, rows.length);
  assert.equal(run.left_out, 0);
  for (const buffer of run.buffers) {
    assert.equal(buffer.bytes_touched, run.n * bytes);
    assert.equal(buffer.lines, Math.ceil((run.n * bytes) / kLineBytes));
  }
}

describe('lanes', () => {
  let loops;
  before(async () => {
    loops = await createLoopCompiler();
  });

  for (const [type, bytes] of Object.entries(kTypes)) {
    it(`are those of the oracle, ${type}`, () => {
      const lanes = 16 / bytes;
      for (const n of [0, 1, lanes - 1, lanes, lanes + 1, 18, 60, 255, 256, 257, 1000, 65537]) {
        const options = { strategies: kStrategies, vscales: kVScales, n, checkLanes: 2000 };
        const runs = loops.lanes(programOf(type), options);
        assert.equal(runs.length, kStrategies.length * kVScales.length);
        for (const run of runs) {
          checkRun(run, bytes);
          assert.notEqual(run.checked, false);
          if (n <= 257) assert.equal(run.checked, true);
        }
      }
    });
  }

  it('count what counts() does', () => {
    const text = programOf('float32');
    const options = { strategies: kStrategies, vscales: [1, 3, 16], sizes: { n: 1001 } };
    const lanes = loops.lanes(text, { ...options, head: 0, tail: 0 });
    const counts = loops.counts(text, options);
    assert.equal(lanes.length, counts.length);
    counts.forEach((count, i) => {
      for (const [name, value] of Object.entries(count)) assert.deepEqual(lanes[i][name], value);
      assert.equal(lanes[i].iterations, undefined);
    });
  });

  it('are refused where what is asked for makes no sense', () => {
    const text = programOf('float32');
    const refused = (options, code, message) =>
      assert.throws(() => loops.lanes(text, options), (error) =>
        error instanceof TernError && error.code === code && message.test(error.message));
    refused({}, 'E0005', /the size 'n' of 'add' has no value/);
    refused({ n: 4, vscales: [17] }, 'E0003', /vscales are numbers from 1 to 16/);
    refused({ n: 4, head: -1 }, 'E0003', /iterations to show: expected/);
    refused({ n: 4, count: 401 }, 'E0003', /count from 0 to 400/);
    refused({ n: 4, strategies: ['fast'] }, 'E0003', /no strategy 'fast'/);
    refused({ n: 2 ** 53 * 512 }, 'E0515', /more than 2\^63 bytes/);
    assert.equal(loops.lanes(text, { n: 4 })[0].vector_iterations, 1);
  });
});

describe('a timed program', () => {
  it('has the results of the interpreter, and two times', async () => {
    const loops = await createLoopCompiler();
    const timing = await loops.time(programOf('float32'), { sizes: { n: 1000 } });
    assert.deepEqual(timing.sizes, { n: 1000 });
    assert.equal(timing.function, 'add');
    assert.ok(timing.codeBytes > 0 && timing.wasmNs > 0 && timing.interpreterNs >= 0);
    await assert.rejects(loops.time('te f<n>('), TernError);
    const outside = 'te f<n>(a: float32[n]) -> (b: float32[n]) { compute b[i] = a[i + 1] }';
    await assert.rejects(loops.time(outside, { sizes: { n: 8 } }), { code: 'E0515' });
  });
});
