// SPDX-License-Identifier: Apache-2.0
// A program of Node, and of engines that are like it, that is told what is wrong and goes on.
import assert from 'node:assert/strict';

import { createRuntime } from 'tern-runtime';

const refusal = (promise) => promise.then(() => assert.fail('accepted'), (error) => error);

const missing = await refusal(createRuntime({ assets: '/nowhere/' }));
assert.equal(missing.code, 'E0601');
assert.match(missing.message, /'\/nowhere\/tern[\w.-]+' could not be read/);
assert.match(missing.help.join(), /node_modules\/tern-runtime\/dist.*assets/);
for (const worker of [false, true]) {
  const runtime = await createRuntime({ worker });
  const absent = await refusal(runtime.load('nothing.onnx'));
  assert.equal(absent.code, 'E0611');
  assert.match(absent.message, /nothing\.onnx' could not be read/);
  const damaged = await refusal(Promise.resolve().then(() => runtime.load(new Uint8Array(40))));
  assert.match(damaged.code, /^E\d{4}$/);
  const program = await runtime.load('model.onnx');
  assert.deepEqual(program.functionInfo('main').results.map(({ name }) => name),
    ['probabilities']);
  runtime.dispose();
}
