// SPDX-License-Identifier: Apache-2.0
// Instructions as the package tells them, which reads them from columns, against those of the
// listing, where each is an object. Run by `node --test` after tools/build_web.sh.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { createRuntime, readProgramInfo } from '../../wasm/package/dist/index.js';
import { modelBytes } from './support.mjs';

const kText = `
.const c[0] = f32[3] [1, 2, 3]
.func @main(x: f32[3], n: int) -> int
  .name %4 "größe"
  .loc "größe.tn" 2:5
  if    %1 true: again false: done
again:
  .loc "größe.tn" 2:9
  call  add in: %0, c[0] dst: %2
  .loc "a node of no text"
  call  vm.builtin.shape_of in: %vm, %2 dst: void
  sub   %1, 1 dst: %1
  invoke @"grö\\u00dfe" in: %1, 36028797018963967 dst: %4
  goto  again
done:
  ret   ret %1
.func @"größe"(a: int, b: int) -> int
  alloc_tensor offset: 0 dtype: f32 shape: 2, 3 dst: %2
  ret   ret %0
`;

let runtime;
before(async () => {
  runtime = await createRuntime({ language: true });
});
after(() => runtime.dispose());

/** Offsets in bytes of the text as those of a string. */
const inUnits = (text, bytes) => Buffer.from(text).subarray(0, bytes).toString().length;

/** What the listing has, with the positions that JavaScript counts. */
function listed(executable) {
  const { instructions } = JSON.parse(runtime.text(executable, 'json'));
  for (const { text, operands } of instructions)
    for (const operand of operands) operand.span = operand.span.map((at) => inUnits(text, at));
  return instructions;
}

const plain = (value) => JSON.parse(JSON.stringify(value));

function agrees(executable) {
  const program = runtime.load(executable);
  try {
    assert.deepEqual(plain(program.info.instructions), listed(executable));
    const { instructions, ...rest } = program.info;
    const { instructions: _, ...others } = JSON.parse(runtime.text(executable, 'json'));
    // The listing of bytes knows of no kernels.
    delete rest.kernels;
    assert.deepEqual(rest, others);
    assert.deepEqual(readProgramInfo(program.infoJson()), program.info);
    return instructions;
  } finally {
    program.dispose();
  }
}

describe('the instructions of a program', () => {
  it('are those of the listing, whatever operands they have', () => {
    const instructions = agrees(runtime.assemble(kText, 'all.tasm'));
    const [branch, add, builtin, , invoke] = instructions;
    assert.deepEqual(branch.operands.map(({ target }) => target), [undefined, 1, 6]);
    assert.deepEqual([add.source, add.line, add.column], ['größe.tn', 2, 9]);
    assert.deepEqual([builtin.source, builtin.line], ['a node of no text', undefined]);
    assert.ok(builtin.operands.some(({ kind, value }) => kind === 'vm' && value === undefined));
    const callee = invoke.operands.find(({ name }) => name === 'callee');
    assert.match(invoke.text.slice(...callee.span), /größe/);
  });

  it('are so for each instruction, a model, a text, and a program of none', () => {
    agrees(runtime.compile(modelBytes()).bytes);
    agrees(runtime.compileSource('fn main(a: int) -> int {\n  a + 1\n}\n').bytes);
    agrees(runtime.assemble('.func @main(a: int)\n  ret   ret %0\n'));
    assert.deepEqual(agrees(runtime.assemble('')), []);
  });

  it('have the same operands however often they are asked for, also in copies', () => {
    const program = runtime.load(runtime.assemble(kText));
    const [first] = program.info.instructions;
    assert.equal(first.operands, first.operands);
    assert.deepEqual(plain(first).operands, first.operands);
    program.dispose();
  });

  it('come from text that is refused where it is none', () => {
    for (const text of ['', '{', '{}', '{"code":{}}'])
      assert.throws(() => readProgramInfo(text));
  });
});
