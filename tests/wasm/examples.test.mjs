// SPDX-License-Identifier: Apache-2.0
// The programs that come with the page (web/examples): each is compiled, laid out as it should be,
// and run to what its title promises.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';

import { createRuntime } from '../../wasm/package/dist/index.js';
import { kRoot } from './support.mjs';

const kFolder = new URL('web/examples/', kRoot);

/** By file: arguments of main and the text of each result, or what the run ends with. */
const kExpected = {
  'closures.tn': { prints: ['21', 'list[11, 12, 13]'] },
  'collatz.tn': { prints: ['111'] },
  'collections.tn': {
    prints: [
      'map{"the": 3, "tern": 1, "and": 2, "sea": 1, "sky": 1}', 'list[3, 4, 3, 3, 3, 3, 3, 3]',
    ],
  },
  'dynamic_shape.tn': { prints: ['f32[1] [2]', 'f32[2] [2, 6]'] },
  'failing_shape.tn': { fails: 'E0301', words: /axis 1 of a \[2, 4\] is 4/ },
  'fibonacci.tn': { prints: ['55'] },
  'hello_add.tn': { prints: ['f32[3] [11, 22, 33]'] },
  'infinite_loop.tn': { fails: 'S0301', words: /./, limits: { maxInstructions: 10_000 } },
  'kernel.tn': { prints: ['f32[2, 2] [0.6, 0.8, 0, 1]'] },
  'mlp.tn': { prints: ['f32[4, 1] [0, 1, 1, 0]'] },
  'newton.tn': { prints: ['1414213'] },
  'out_of_memory.tn': { fails: 'E0302', words: /no memory/, limits: { maxBytes: 1 << 24 } },
  'softmax.tn': { prints: ['list[90, 245, 665, 333, 333, 333]'] },
  'sum.tasm': { args: [4], prints: ['10'] },
  'tree.tn': { prints: ['list[1, 1, 2, 3, 4, 5, 6, 9]'] },
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
          else assert.deepEqual(Object.values(run()).map((value) => runtime.print(value)), prints);
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
