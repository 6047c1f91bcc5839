// SPDX-License-Identifier: Apache-2.0
// Tensors looked into where they are, profiles, memory plans and graphs through the package. Run by
// `node --test` after tools/build_web.sh.
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';

import { createRuntime, TernError } from '../../wasm/package/dist/index.js';
import { modelBytes, three } from './support.mjs';

const kProgram = `
.func @main(x: f32[n, m]) -> f32[m, n]
  call transpose{perm=1,0} in: %0 dst: %1
  ret ret %1
`;

let runtime;
let atStart;
before(async () => {
  runtime = await createRuntime({ debugger: true });
  // What the first use of all makes, such as the table of operators, stays.
  inspecting([f32([1, 1], 1)], (x) => x.layout());
});
beforeEach(() => {
  atStart = runtime.memory();
});
afterEach(() => {
  assert.equal(runtime.memory().liveObjects, atStart.liveObjects, 'objects were leaked');
});
after(() => runtime.dispose());

const f32 = (shape, ...values) => ({ dtype: 'f32', shape, data: Float32Array.from(values) });

/** f with the argument of a run that has begun, as an inspected tensor. */
function inspecting(tensors, f) {
  const program = runtime.load(runtime.assemble(kProgram));
  const debuggers = tensors.map(() => program.debugger());
  const inspected = [];
  try {
    tensors.forEach((tensor, i) => {
      debuggers[i].begin('main', [tensor]);
      inspected.push(debuggers[i].inspect(0));
    });
    return f(...inspected);
  } finally {
    for (const each of [...inspected, ...debuggers, program]) each?.dispose();
  }
}

const refuses = (f, words) =>
  assert.throws(f, (error) => error instanceof TernError && words.test(error.message));

describe('layout', () => {
  it('tells type, place and hash', () => {
    const [a, b] = [f32([2, 3], 1, 2, 3, 4, 5, 6), f32([2, 3], 1, 2, 3, 4, 5, 7)];
    inspecting([a, a, b], (x, same, other) => {
      const layout = x.layout();
      assert.deepEqual(layout.shape, [2, 3]);
      assert.deepEqual(layout.strides, [3, 1]);
      assert.equal(layout.bytes, 24);
      assert.equal(layout.contiguous, true);
      assert.match(x.hash(), /^[0-9a-f]{16}$/);
      assert.equal(x.hash(), same.hash());
      assert.notEqual(x.hash(), other.hash());
    });
  });

  it('is of tensors only', () => {
    const program = runtime.load(runtime.assemble('.func @main(a: int)\n  ret ret %0\n'));
    const debug = program.debugger();
    debug.begin('main', [3]);
    assert.equal(debug.inspect(0), undefined);
    refuses(() => debug.inspect(7), /register/);
    debug.dispose();
    program.dispose();
  });
});

describe('statistics', () => {
  it('counts what is special', () => {
    const tensor = f32([2, 5], 0, -0, NaN, Infinity, -Infinity, 1e-40, 3, 3, -1, 2);
    inspecting([tensor], (x) => {
      const found = x.statistics({ bins: 4 });
      const { count, finite, nan, positiveInfinity, negativeInfinity, zeros } = found;
      assert.deepEqual([count, finite, nan, positiveInfinity, negativeInfinity, zeros],
        [10, 7, 1, 1, 1, 2]);
      assert.deepEqual([found.negativeZeros, found.denormals, found.firstNan], [1, 1, 2]);
      assert.deepEqual([found.min, found.max, found.minIndex, found.maxIndex], [-1, 3, 8, 6]);
      assert.deepEqual(found.histogram.counts, [1, 3, 0, 3]);
      assert.equal(found.uniques.find(({ value }) => value === 3).count, 2);
    });
  });

  it('agrees with sums made here, at any size', () => {
    for (const size of [1, 2047, 2048, 2049, 10000]) {
      const values = Array.from({ length: size }, (_, i) => Math.fround(Math.sin(i) * 7));
      inspecting([f32([1, size], ...values)], (x) => {
        const mean = values.reduce((a, b) => a + b) / size;
        const variance = values.reduce((a, b) => a + (b - mean) ** 2, 0) / size;
        const found = x.statistics();
        assert.ok(Math.abs(found.mean - mean) < 1e-9);
        assert.ok(Math.abs(found.std - Math.sqrt(variance)) < 1e-9);
        assert.equal(found.histogram.counts.reduce((a, b) => a + b), size);
        assert.equal(found.uniques === null, size > 32);
      });
    }
  });

  it('puts what lies outside of a given range aside', () => {
    inspecting([f32([1, 4], -5, 0, 1, 9)], (x) => {
      const { histogram } = x.statistics({ bins: 2, low: 0, high: 1 });
      assert.deepEqual(histogram, { low: 0, high: 1, counts: [1, 1], below: 1, above: 1 });
    });
  });

  it('refuses bins that nobody can draw', () => {
    inspecting([f32([1, 1], 1)], (x) => {
      refuses(() => x.statistics({ bins: 0 }), /bins/);
      refuses(() => x.statistics({ low: NaN, high: 1 }), /finite/);
    });
  });

  it('is empty for a tensor without finite elements', () => {
    inspecting([f32([1, 2], NaN, NaN)], (x) => {
      const found = x.statistics();
      assert.equal(found.min, undefined);
      assert.deepEqual([found.nan, found.finite], [2, 0]);
    });
  });
});

describe('pictures and windows', () => {
  const tensor = f32([4, 6], ...Array.from({ length: 24 }, (_, i) => i));

  it('show small slices as they are', () => {
    inspecting([tensor], (x) => {
      const picture = x.picture({ rowAxis: 0, columnAxis: 1, index: [0, 0] });
      assert.deepEqual([picture.rows, picture.columns], [4, 6]);
      assert.deepEqual([...picture.mean], [...tensor.data]);
      const across = x.picture({ rowAxis: 1, columnAxis: 0, index: [0, 0] });
      assert.deepEqual([...across.mean.subarray(0, 4)], [0, 6, 12, 18]);
      const row = x.picture({ rowAxis: -1, columnAxis: 1, index: [2, 0] });
      assert.deepEqual([...row.mean], [12, 13, 14, 15, 16, 17]);
    });
  });

  it('divide large ones, and count what is not finite', () => {
    const bad = f32([4, 6], ...tensor.data);
    bad.data[1] = NaN;
    inspecting([bad], (x) => {
      const options = { rowAxis: 0, columnAxis: 1, index: [0, 0], maxRows: 2, maxColumns: 2 };
      const picture = x.picture(options);
      assert.deepEqual([picture.rows, picture.columns], [2, 2]);
      assert.deepEqual([...picture.low], [0, 3, 12, 15]);
      assert.deepEqual([...picture.high], [8, 11, 20, 23]);
      assert.deepEqual([...picture.bad], [1, 0, 0, 0]);
    });
  });

  // Rows that are longer than what is read at once, in parts that are no multiples of each other.
  it('divide long rows into parts of almost one size', () => {
    const [rows, columns, maxRows, maxColumns] = [5, 5000, 2, 7];
    const long = f32([rows, columns],
      ...Array.from({ length: rows * columns }, (_, i) => ((i * 7919) % 1009) - 500));
    long.data[2048] = Infinity;
    const partOf = (at, parts, extent) => {
      let part = 0;
      while (Math.floor(((part + 1) * extent) / parts) <= at) part++;
      return part;
    };
    const cells = Array.from({ length: maxRows * maxColumns }, () => []);
    long.data.forEach((value, i) => {
      const row = partOf(Math.floor(i / columns), maxRows, rows);
      cells[row * maxColumns + partOf(i % columns, maxColumns, columns)].push(value);
    });
    const finite = cells.map((values) => values.filter(Number.isFinite));
    inspecting([long], (x) => {
      const picture = x.picture({ rowAxis: 0, columnAxis: 1, index: [0, 0], maxRows, maxColumns });
      assert.deepEqual([...picture.low], finite.map((values) => Math.min(...values)));
      assert.deepEqual([...picture.high], finite.map((values) => Math.max(...values)));
      const bad = cells.map((values, i) => values.length - finite[i].length);
      assert.deepEqual([...picture.bad], bad);
      // Sums of integers are exact in doubles.
      const sum = (values) => values.reduce((total, each) => total + each, 0);
      const mean = (values) => Math.fround(sum(values) / values.length);
      assert.deepEqual([...picture.mean], finite.map(mean));
    });
  });

  it('show nothing of a tensor without elements', () => {
    inspecting([f32([3, 0])], (x) => {
      const picture = x.picture({ rowAxis: 0, columnAxis: 1, index: [0, 0] });
      assert.deepEqual([picture.rows, picture.columns], [3, 0]);
      assert.equal(picture.mean.length, 0);
    });
  });

  it('refuse axes and positions that are not there', () => {
    inspecting([tensor], (x) => {
      refuses(() => x.picture({ rowAxis: 0, columnAxis: 2, index: [0, 0] }), /axes/);
      refuses(() => x.picture({ rowAxis: 1, columnAxis: 1, index: [0, 0] }), /axes/);
      refuses(() => x.picture({ rowAxis: -1, columnAxis: 1, index: [4, 0] }), /index 4/);
      refuses(() => x.window([3, 0], [2, 6]), /axis 0/);
      refuses(() => x.window([-1, 0], [1, 1]), /axis 0/);
    });
  });

  it('copy windows', () => {
    inspecting([tensor], (x) => {
      const { shape, data } = x.window([1, 2], [2, 3]);
      assert.deepEqual(shape, [2, 3]);
      assert.deepEqual([...data], [8, 9, 10, 14, 15, 16]);
    });
  });
});

describe('comparisons', () => {
  it('find the worst elements', () => {
    const a = f32([1, 4], 1, 2, NaN, 4);
    const b = f32([1, 4], 1, 2.0000002384185791015625, NaN, 5);
    inspecting([a, b], (x, y) => {
      const found = x.compare(y, { atol: 1e-6 });
      assert.deepEqual([found.count, found.equal, found.outside, found.passed], [4, 2, 1, false]);
      assert.equal(found.firstOutside, 3);
      assert.deepEqual(found.maxAbsolute, { value: 1, index: 3, a: 4, b: 5 });
      assert.equal(found.maxUlps.index, 3);
      assert.equal(x.compare(y, { atol: 1 }).passed, true);
      assert.equal(x.compare(x, {}).equal, 4);
    });
  });

  it('count units in the last place', () => {
    inspecting([f32([1, 1], 2), f32([1, 1], 2.0000002384185791015625)], (x, y) => {
      assert.equal(x.compare(y, {}).maxUlps.value, 1);
    });
    inspecting([f32([1, 1], 0), f32([1, 1], -1e-45)], (x, y) => {
      assert.equal(x.compare(y, {}).maxUlps.value, 1);
    });
  });

  it('refuse other shapes and bad tolerances', () => {
    inspecting([f32([1, 2], 1, 2), f32([2, 1], 1, 2)], (x, y) => {
      refuses(() => x.compare(y, {}), /cannot be compared/);
      refuses(() => x.compare(x, { atol: -1 }), /tolerances/);
    });
  });
});

describe('models', () => {
  it('have a profile', () => {
    // The runtime keeps the operators that it has made for a program.
    runtime.load(modelBytes()).dispose();
    atStart = runtime.memory();
    const program = runtime.load(modelBytes());
    const profile = program.profile('main', [three()], { repeat: 2 });
    const conv = profile.operators.find(({ name }) => name.startsWith('conv2d'));
    assert.ok(conv.hits > 0 && conv.hits % 2 === 0);
    assert.ok(profile.rows.every(({ hits }) => hits === 2));
    // A multiply-add for each element of the filter and of the result, at least.
    assert.ok(conv.operations > conv.bytes && conv.bytes > 0);
    const returns = profile.operators.find(({ name }) => name === 'ret');
    assert.deepEqual([returns.operations, returns.bytes, returns.allocated], [0, 0, 0]);
    assert.ok(profile.operators.some(({ allocated }) => allocated > 0));
    const { names, events } = profile.events();
    assert.equal(names[events[0].name], '@main');
    assert.equal(events.filter(({ opens }) => opens).length * 2, events.length);
    assert.ok(JSON.parse(profile.export('chrome')).traceEvents.length > 0);
    refuses(() => profile.export('xml'), /format/);
    profile.dispose();
    program.dispose();
  });

  it('have a graph with types', () => {
    const graph = runtime.modelGraph(modelBytes());
    assert.equal(graph.nodes.length, 23);
    const conv = graph.nodes.find(({ operator }) => operator === 'Conv');
    assert.match(conv.outputs[0].type, /^f32\[batch, \d+, 28, 28\]$/);
    assert.ok(conv.attributes.some(({ name }) => name === 'kernel_shape'));
    assert.deepEqual(graph.inputs, [{ name: 'image', type: 'f32[batch, 1, 28, 28]' }]);
    refuses(() => runtime.modelGraph(new Uint8Array([1, 2, 3])), /./);
  });

  it('have a memory plan, with numbers where symbols have extents', () => {
    const [symbolic] = runtime.memoryPlan(modelBytes()).functions;
    assert.equal(symbolic.at, undefined);
    const [plan] = runtime.memoryPlan(modelBytes(), { batch: 2 }).functions;
    const { at } = plan;
    assert.equal(at.tensors.length, plan.tensors.length);
    assert.ok(at.live <= at.planned && at.planned <= at.before);
    assert.equal(Math.max(...at.liveBy), at.live);
    const four = runtime.memoryPlan(modelBytes(), { batch: 4 }).functions[0].at;
    assert.equal(four.live, 2 * at.live);
  });
});
