// SPDX-License-Identifier: Apache-2.0
// B63: tensors that stay in the module's memory, and handles that nobody disposed of. Run by
// `node --test` after tools/build_web.sh.
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { createRuntime, ResidentTensor } from '../../wasm/package/dist/index.js';
import { digitOf, modelBytes, three } from './support.mjs';

const kProgram = `
.func @main(x: f32[n]) -> f32[n]
  call  neg  in: %0 dst: %1
  ret   ret %1
.func @pair(x: f32[n])
  call  neg  in: %0 dst: %1
  alloc_adt tag: 0 in: %0, %1 dst: %2
  ret   ret %2
.func @seven()
  ret   ret 7
.func @constant()
  load_const f32[4] [1, 2, 3, 4] dst: %0
  ret   ret %0
`;

describe('tensors in the module', () => {
  let runtime;
  let program;
  let atStart;
  before(async () => {
    runtime = await createRuntime();
    program = runtime.load(runtime.assemble(kProgram));
    // Functions with attributes are made when a program first wants them, and stay.
    runtime.load(modelBytes()).dispose();
  });
  beforeEach(() => (atStart = runtime.memory().liveObjects));
  afterEach(() => assert.equal(runtime.memory().liveObjects, atStart, 'objects were leaked'));
  after(() => runtime.dispose());

  it('are filled in place, given to runs and taken from them', () => {
    const x = runtime.tensor('f32', [3]);
    assert.deepEqual([...x.data], [0, 0, 0]);
    x.data.set([1, 2, 3]);
    const { output0: y } = program.runResident('main', { x });
    assert.ok(y instanceof ResidentTensor);
    assert.deepEqual([y.dtype, y.shape, [...y.data]], ['f32', [3], [-1, -2, -3]]);
    const { output0: z } = program.runResident('main', [y]);
    assert.deepEqual([...z.data], [1, 2, 3]);
    assert.deepEqual(program.run('main', [y]).output0.data, Float32Array.of(1, 2, 3));
    for (const each of [x, y, z]) each.dispose();
    y.dispose();
  });

  it('give the same as copies', () => {
    const model = runtime.load(modelBytes());
    const machine = model.machine();
    const wanted = machine.run('main', { image: three() });
    const { probabilities } = machine.runResident('main', { image: three() });
    assert.deepEqual(probabilities.copy(), wanted.probabilities);
    assert.equal(digitOf({ probabilities }), 3);
    probabilities.dispose();
    machine.dispose();
    model.dispose();
  });

  it('come as parts of tuples, beside values that are none', () => {
    const { output0, output1 } = program.runResident('pair', [runtimeTensor([5])]);
    assert.deepEqual([output0.data[0], output1.data[0]], [5, -5]);
    output0.dispose();
    output1.dispose();
    assert.deepEqual(program.runResident('seven', []), { output0: 7 });
  });

  function runtimeTensor(values) {
    return { dtype: 'f32', shape: [values.length], data: Float32Array.from(values) };
  }

  it('outlive the program that they came from', () => {
    const executable = runtime.assemble(kProgram);
    for (const constants of ['copied', 'on-demand']) {
      const short = runtime.load(executable, { constants });
      const { output0: constant } = short.runResident('constant', []);
      const { output0: computed } = short.runResident('main', [runtimeTensor([1, 2])]);
      short.dispose();
      const others = [4, 64, 4096].map((size) => runtime.tensor('u8', [size]));
      for (const other of others) other.data.fill(255);
      assert.deepEqual([...constant.data], [1, 2, 3, 4]);
      assert.deepEqual([...computed.data], [-1, -2]);
      for (const each of [...others, constant, computed]) each.dispose();
    }
  });

  it('have views that are right after the memory has grown', () => {
    const x = runtime.tensor('f32', [2]);
    x.data.set([1, 2]);
    const old = x.data;
    const large = runtime.tensor('u8', [64 << 20]);
    assert.equal(old.length, 0, 'the view from before is empty');
    assert.deepEqual([...x.data], [1, 2]);
    large.dispose();
    x.dispose();
  });

  it('may have no elements, or no axes', () => {
    for (const [shape, count] of [[[0], 0], [[2, 0], 0], [[], 1]]) {
      const x = runtime.tensor('i64', shape);
      assert.equal(x.data.length, count);
      assert.ok(x.data instanceof BigInt64Array);
      x.dispose();
    }
  });

  it('are refused where they do not fit', async () => {
    assert.throws(() => runtime.tensor('f33', [1]), { name: 'TernError' });
    assert.throws(() => runtime.tensor('f32', [-1]), { name: 'TernError' });
    assert.throws(() => runtime.tensor('f32', [2 ** 40, 2 ** 20]), { name: 'TernError' });
    const x = runtime.tensor('i32', [1]);
    assert.throws(() => program.run('main', [x]), { code: 'E0204' });
    x.dispose();
    assert.throws(() => x.data, { code: 'E0702' });
    assert.throws(() => program.run('main', [x]), { code: 'E0702' });
    const other = await createRuntime();
    const theirs = other.tensor('f32', [1]);
    assert.throws(() => program.run('main', [theirs]),
      { code: 'E0701', message: /another runtime/ });
    const f = other.function('add');
    assert.throws(() => runtime.echo(f), { code: 'E0701' });
    other.dispose();
  });
});

describe('handles that nobody disposed of', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  const { warn } = console;
  let warnings;
  beforeEach(() => {
    warnings = [];
    console.warn = (text) => warnings.push(text);
  });
  afterEach(() => {
    console.warn = warn;
    delete process.env.NODE_ENV;
  });

  // The registry calls back some time after a collection.
  async function collected(enough) {
    for (let i = 0; i < 200 && !enough(); ++i) {
      collect();
      await new Promise((done) => setTimeout(done, 5));
    }
  }

  function leakSome(runtime) {
    const program = runtime.load(runtime.assemble(kProgram));
    program.machine();
    runtime.tensor('f32', [1]);
    runtime.function('add');
    runtime.builder();
  }

  it('are told with the place where they were made', async () => {
    const runtime = await createRuntime({ leakWarnings: true });
    leakSome(runtime);
    await collected(() => warnings.length >= 5);
    const kinds = warnings.map((each) => /a (\w+) was collected/.exec(each)?.[1]).sort();
    assert.deepEqual(kinds,
      ['ExecBuilder', 'Machine', 'Program', 'ResidentTensor', 'TernFunction']);
    assert.match(warnings.join(), /leakSome/);
    assert.match(warnings[0], /dispose\(\)/);
    runtime.dispose();
  });

  it('are none where all was disposed of', async () => {
    const runtime = await createRuntime({ leakWarnings: true });
    for (let i = 0; i < 3; ++i) {
      const program = runtime.load(runtime.assemble(kProgram));
      program.run('seven', []);
      program[Symbol.dispose]();
    }
    let watched = false;
    new FinalizationRegistry(() => (watched = true)).register({}, 0);
    await collected(() => watched);
    assert.deepEqual(warnings, []);
    runtime.dispose();
  });

  it('are told of in development only, unless asked for', async () => {
    for (const [mode, expected] of [[undefined, 0], ['production', 0], ['development', 5]]) {
      if (mode === undefined) delete process.env.NODE_ENV;
      else process.env.NODE_ENV = mode;
      warnings = [];
      const runtime = await createRuntime();
      leakSome(runtime);
      let watched = false;
      new FinalizationRegistry(() => (watched = true)).register({}, 0);
      await collected(() => watched && warnings.length >= expected);
      assert.equal(warnings.length, expected, mode);
      runtime.dispose();
    }
  });
});
