// SPDX-License-Identifier: Apache-2.0
// The builder from JavaScript: the same programs on the package, with its operators as primitives.
//   tools/build_web.sh && tools/node.sh examples/builder.mjs
import assert from 'node:assert/strict';
import { createRuntime, makeTensor } from '../wasm/package/dist/index.js';

const runtime = await createRuntime();
const vector = (...values) => makeTensor('f32', [values.length], Float32Array.from(values));

const ib = runtime.builder();
ib.function('func0', 2, () => {
  ib.emitCall('add', [ib.r(0), ib.r(1)], ib.r(2));
  ib.emitRet(ib.r(2));
});
ib.function('func1', 2, () => {
  ib.emitCall('mul', [ib.r(0), ib.r(1)], ib.r(100)); // costs one register
  ib.emitRet(ib.r(100));
});
const shapes = ib.function('shapes', 0, () => {
  ib.emitCall('vm.builtin.alloc_shape_heap', [2], ib.r(0));
  ib.emitCall('vm.builtin.shape_of', [makeTensor('f32', [32, 16], new Float32Array(512))], ib.r(1));
  ib.emitCall('vm.builtin.store_shape', [ib.r(1), ib.r(0), 0, 1]);
  ib.emitCall('vm.builtin.load_dim', [ib.r(0), 0], ib.r(2));
  ib.emitRet(ib.r(2));
});
assert.deepEqual(shapes, [], 'no warnings');

const bytes = ib.finish();
console.log(runtime.text(bytes, 'stats'));
console.log(runtime.text(bytes, 'listing'));
console.log(runtime.text(bytes, 'javascript'));

const program = runtime.load(bytes);
const [a, b] = [vector(1, 2, 3, 4), vector(10, 20, 30, 40)];
const [product] = Object.values(program.run('func1', [a, b]));
const [sum] = Object.values(program.run('func0', [a, b]));
const [rows] = Object.values(program.run('shapes', []));
assert.deepEqual([...product.data], [10, 40, 90, 160]);
assert.deepEqual([...sum.data], [11, 22, 33, 44]);
assert.equal(rows, 32);
console.log('a + b =', ...sum.data, '; a * b =', ...product.data, '; rows =', rows);
program.dispose();
runtime.dispose();
