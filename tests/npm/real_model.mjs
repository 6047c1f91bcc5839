// SPDX-License-Identifier: Apache-2.0
// A real model for the consumers: the folder of one (its format is that of --models), written as
// real.onnx and real.json for those that read files and those that fetch them. Without a folder
// there are no cases.
import assert from 'node:assert/strict';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { isNear } from './apps/near.js';

/** The numbers of a .npy file of f32. */
function readArray(path) {
  const bytes = readFileSync(path);
  const start = 10 + bytes.readUInt16LE(8);
  assert.match(bytes.toString('latin1', 10, start), /'descr': '<f4'/, path);
  return [...new Float32Array(Uint8Array.from(bytes.subarray(start)).buffer)];
}

function casesOf(folder) {
  const { cases } = JSON.parse(readFileSync(join(folder, 'expected/expected.json'), 'utf8'));
  return cases.map(({ name, steps: [[{ values }]] }) => ({
    image: readArray(join(folder, 'inputs', `${name}.s0.Input3.npy`)), expected: values,
  }));
}

/** Puts the model of `from` into each folder; gives its cases. */
export function copyRealModel(from, folders) {
  const cases = from ? casesOf(from) : [];
  assert.ok(!from || cases.length > 0, `${from} has no cases`);
  for (const to of folders) {
    if (from) cpSync(join(from, 'model.onnx'), join(to, 'real.onnx'));
    writeFileSync(join(to, 'real.json'), JSON.stringify({ model: 'real.onnx', cases }));
  }
  return cases;
}

/** Both runtimes of a page have said what is expected of each case. */
export function checkRealModel({ real }, cases) {
  for (const said of real) {
    assert.equal(said.length, cases.length);
    cases.forEach(({ expected }, i) => assert.ok(isNear(said[i], expected), String(said[i])));
  }
}
