// SPDX-License-Identifier: Apache-2.0
// A program of Node, and of engines that are like it, whose kernels run on two threads.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

import { createRuntime } from 'tern-runtime/threads';
import { digitOf } from './digit.js';

const data = Float32Array.from(readFileSync('three.u8'));
const image = { dtype: 'f32', shape: [1, 1, 28, 28], data };
for (const worker of [false, true]) {
  const runtime = await createRuntime({ threads: 2, worker });
  assert.deepEqual([runtime.threads.count, runtime.threads.reason], [2, 'asked for']);
  assert.equal(runtime.placement.worker, worker, runtime.placement.why);
  const program = await runtime.load('model.onnx');
  assert.equal(digitOf(await program.run('main', { image })), 3);
  runtime.dispose();
}
