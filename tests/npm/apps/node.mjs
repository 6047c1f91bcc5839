// SPDX-License-Identifier: Apache-2.0
// A program of Node: both runtimes, a worker, the debugger's package, the inline one.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

import { createRuntime } from 'tern-runtime';
import { createRuntime as createInline } from 'tern-runtime-inline';
import { digitOf } from './digit.js';

const image = {
  dtype: 'f32',
  shape: [1, 1, 28, 28],
  data: Float32Array.from(readFileSync('three.u8')),
};
for (const create of [createRuntime, createInline]) {
  const runtime = await create();
  const program = await runtime.load('model.onnx');
  assert.equal(digitOf(program.run('main', { image })), 3);
  const atOnce = (await create()).load(readFileSync('model.onnx'));
  assert.equal(digitOf(atOnce.run('main', { image })), 3);
  for (const worker of [true, false]) {
    const asynchronous = await create({ worker });
    const loaded = await asynchronous.load('model.onnx');
    assert.equal(digitOf(await loaded.run('main', { image })), 3);
    // Not disposed of: a worker that is idle does not keep Node from ending.
  }
}
const tools = await createRuntime({ language: true });
const doubles = tools.load(tools.compileSource('fn main(x: int) -> int { x * 2 }').bytes);
assert.equal(doubles.run('main', [21]).output0, 42);
