// SPDX-License-Identifier: Apache-2.0
// The programs that come with the page (web/examples): each is compiled, laid out as it should be,
// and run to what its title promises.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';

import { createLoopCompiler, createRuntime } from '../../wasm/package/dist/index.js';
import { kRoot } from './support.mjs';

const f32Of = (...shape) =>
  ({ dtype: 'f32', shape, data: new Float32Array(shape.reduce((a, b) => a * b, 1)).fill(0.5) });

const kFolder = new URL('web/examples/', kRoot);

const kStrategies = ['fixed', 'cleanup', 'predicated'];

/** By file: arguments of main and each result as text or pattern, or what the run ends with. */
const kExpected = {
  'attention.tn': { prints: [/^f32\[6, 6\] \[1, 0, 0/, /^f32\[6, 4\]/] },
  'branches.tasm': { prints: ['19'] },
  'closure.tasm': { args: [5], prints: ['205'] },
  'closures.tn': { prints: ['21', 'list[11, 12, 13]'] },
  'collatz.tn': { prints: ['111'] },
  'collections.tn': {
    prints: [
      'map{"the": 3, "tern": 1, "and": 2, "sea": 1, "sky": 1}', 'list[3, 4, 3, 3, 3, 3, 3, 3]',
    ],
  },
  'datatype.tasm': { prints: ['3'] },
  'dynamic_shape.tn': { prints: ['f32[1] [2]', 'f32[2] [2, 6]'] },
  'edges.tn': { prints: ['189', /^f32\[24, 24\] /] },
  'failing_shape.tn': { fails: 'E0301', words: /axis 1 of a \[2, 4\] is 4/ },
  'fibonacci.tn': { prints: ['55'] },
  'history.tn': { args: [f32Of(1024)], prints: ['f32[] 0.5'] },
  'hello_add.tn': { prints: ['f32[3] [11, 22, 33]'] },
  'infinite_loop.tn': { fails: 'S0301', words: /./, limits: { maxInstructions: 10_000 } },
  'kernel.tn': { prints: ['f32[2, 2] [0.6, 0.8, 0, 1]'] },
  'life.tn': { prints: [/^f32\[12, 12\] /] },
  'line_fit.tn': { prints: ['f32[] 3', /^f32\[\] -1\.999/] },
  'mandelbrot.tn': { prints: [/^f32\[48, 64\] /] },
  'memory_reuse.tn': { args: [f32Of(64, 64), f32Of(64, 64)], prints: [/^f32\[\] \d/] },
  'mlp.tn': { prints: ['f32[4, 1] [0, 1, 1, 0]'] },
  'move_add_mul.tasm': { args: [4], prints: ['42'] },
  'nan_hunt.tn': { prints: [/^f32\[3\] \[-0\.92/, 'f32[] nan'] },
  'newton.tn': { prints: ['1414213'] },
  'out_of_memory.tn': { fails: 'E0302', words: /no memory/, limits: { maxBytes: 1 << 24 } },
  'power.tasm': { prints: ['59049'] },
  'shape_heap.tasm': { args: [f32Of(2, 3)], prints: ['list[2, 3]', 'list[3, 4]'] },
  'softmax.tn': { prints: ['list[90, 245, 665, 333, 333, 333]'] },
  'storage.tasm': { prints: ['8'] },
  'sum.tasm': { args: [4], prints: ['10'] },
  'tensor_call.tasm': { prints: ['f32[2, 2] [14, 20, 30, 44]'] },
  'text_model.tn': {
    prints: ['"the sang ted the sand. tern turn flew on the sang turn restern"'],
  },
  'tone_detector.tn': { prints: ['"8"', /^f32\[7\] /] },
  'tree.tn': { prints: ['list[1, 1, 2, 3, 4, 5, 6, 9]'] },
  'voice_activity.tn': { prints: ['"......########......"', /^f32\[20\] /] },
};

let runtime;
before(async () => {
  runtime = await createRuntime({ language: true });
});
after(() => runtime.dispose());

const textOf = (name) => readFileSync(new URL(name, kFolder), 'utf8');

function load(name) {
  const text = textOf(name);
  const bytes = name.endsWith('.tn')
    ? runtime.compileSource(text, { sourceName: name }).bytes
    : runtime.assemble(text, name);
  return runtime.load(bytes);
}

function printsAre(values, wanted) {
  const printed = values.map((value) => runtime.print(value));
  assert.equal(printed.length, wanted.length, printed.join());
  printed.forEach((text, i) => {
    if (wanted[i] instanceof RegExp) assert.match(text, wanted[i]);
    else assert.equal(text, wanted[i]);
  });
}

describe("the page's programs", () => {
  it('are all in this table', () => {
    const files = readdirSync(kFolder).filter((name) => /\.(?:tn|tasm)$/.test(name));
    assert.deepEqual(files.sort(), Object.keys(kExpected).sort());
  });

  for (const [name, { args = [], prints, fails, words, limits }] of Object.entries(kExpected)) {
    it(name, async () => {
      const program = load(name);
      try {
        await runtime.prepareKernels(program);
        const machine = program.machine(limits ?? {});
        try {
          const run = () => machine.run('main', args);
          if (fails) assert.throws(run, { code: fails, message: words });
          else printsAre(Object.values(run()), prints);
        } finally {
          machine.dispose();
        }
      } finally {
        program.dispose();
      }
    });
  }

  for (const name of Object.keys(kExpected).filter((each) => each.endsWith('.tn'))) {
    it(`${name} has no findings and the one layout`, () => {
      const text = textOf(name);
      assert.deepEqual(runtime.checkSource(text, name), []);
      assert.equal(runtime.formatSource(text, name), text);
    });
  }
});

describe("the objects of the page's programs", () => {
  it('are all gone when a program has returned', async () => {
    for (const [name, { args = [], fails }] of Object.entries(kExpected)) {
      if (fails) continue;
      const program = load(name);
      await runtime.prepareKernels(program);
      const debug = program.debugger();
      debug.begin('main', args);
      assert.equal(debug.continue().reason, 'returned', name);
      assert.deepEqual(debug.objects('leaked').objects, [], name);
      debug.dispose();
      program.dispose();
    }
  });
});

describe("the page's loop programs", () => {
  for (const name of readdirSync(kFolder).filter((each) => each.endsWith('.tloop'))) {
    it(`${name} is counted under three strategies, at any vscale`, async () => {
      const loops = await createLoopCompiler();
      for (const vscale of [1, 16]) {
        const runs = loops.lanes(textOf(name), { n: 18, vscale, strategies: kStrategies });
        assert.deepEqual(runs.map(({ strategy }) => strategy), kStrategies);
        for (const run of runs) assert.ok(run.vector_iterations + run.scalar_iterations > 0);
      }
    });
  }
});
