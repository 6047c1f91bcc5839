// SPDX-License-Identifier: Apache-2.0
// A program of Node: both runtimes, a worker, the debugger's package, the inline one.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

import { createRuntime } from 'tern-runtime';
import { createRuntime as createInline } from 'tern-runtime-inline';
import { digitOf, scores } from './digit.js';
import { isNear } from './near.js';

const image = {
  dtype: 'f32',
  shape: [1, 1, 28, 28],
  data: Float32Array.from(readFileSync('three.u8')),
};
const { model, cases } = JSON.parse(readFileSync('real.json', 'utf8'));

async function runRealModel(runtime) {
  const said = await scores(runtime, model, cases);
  cases.forEach(({ expected }, i) => assert.ok(isNear(said[i], expected), String(said[i])));
}

for (const create of [createRuntime, createInline]) {
  const runtime = await create();
  const program = await runtime.load('model.onnx');
  assert.equal(digitOf(program.run('main', { image })), 3);
  await runRealModel(runtime);
  const atOnce = (await create()).load(readFileSync('model.onnx'));
  assert.equal(digitOf(atOnce.run('main', { image })), 3);
  for (const worker of [true, false]) {
    const asynchronous = await create({ worker });
    const loaded = await asynchronous.load('model.onnx');
    assert.equal(digitOf(await loaded.run('main', { image })), 3);
    await runRealModel(asynchronous);
    // Not disposed of: a worker that is idle does not keep Node from ending.
  }
}
const tools = await createRuntime({ language: true });
const doubles = tools.load(tools.compileSource('fn main(x: int) -> int { x * 2 }').bytes);
assert.equal(doubles.run('main', [21]).output0, 42);
