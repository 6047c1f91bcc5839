// SPDX-License-Identifier: Apache-2.0
import { createRuntime, type Instruction, type Runtime } from 'tern-runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  codeRows,
  type InstructionRow,
  isFunctionRow,
  rowOfPc,
  visibleRange,
} from '../../../web/src/model/instructions.js';
import { isInstruction, meaningOf } from '../../../web/src/model/meanings.js';
import { constantRows, primitiveRows, sectionRows } from '../../../web/src/model/listing.js';
import { kProgram } from '../support/fake-worker.js';

/** Rows of the package's own answer for assembly text. */
let runtime: Runtime;
beforeAll(async () => {
  runtime = await createRuntime();
  await runtime.prepareCompiler();
});
afterAll(() => runtime.dispose());

function rowsOf(body: string): InstructionRow[] {
  const text = `.func @main(%0, %1)\n${body}\n  ret ret %0\n.func @"größe"(a)\n  ret ret %0\n`;
  const program = runtime.load(runtime.assemble(text));
  try {
    return codeRows(program.info).filter((row): row is InstructionRow => !isFunctionRow(row));
  } finally {
    program.dispose();
  }
}

describe('fields of instructions', () => {
  it('are a call with its attributes, arguments and destination', () => {
    expect(rowsOf('  call softmax{axis=1} in: %0 dst: %2')[0]).toMatchObject({
      opcode: 'call',
      callee: 'softmax',
      attributes: 'axis=1',
      operands: [{ kind: 'register', text: '%0', label: '' }],
      destination: '%2',
    });
    expect(meaningOf('call')).toContain('Calls a primitive');
    expect([meaningOf('toString'), isInstruction('toString')]).toEqual(['', false]);
  });
  it('say what operands are for where there are several kinds', () => {
    expect(rowsOf('  alloc_tensor offset: 0 dtype: f32 shape: 2, 3 dst: %2')[0]).toMatchObject({
      callee: '',
      operands: [
        { text: '0', label: 'offset' },
        { text: 'f32', label: 'dtype' },
        { text: '2', label: 'shape' },
        { text: '3', label: 'shape' },
      ],
      destination: '%2',
    });
    expect(rowsOf('  kill %1')[0]).toMatchObject({ operands: [{ text: '%1', label: '' }] });
  });
  it('lead jumps to the instructions where they go', () => {
    const [jump, other] = rowsOf('  goto L2\n  move %1 dst: %0\nL2:');
    expect(jump!.operands).toEqual([
      { kind: 'immediate', text: '→ 2', label: '', leadsTo: 2 },
    ]);
    expect(other).toMatchObject({ opcode: 'move', destination: '%0' });
  });
  it('take names as they are, whatever is in them', () => {
    const row = rowsOf('  invoke @"größe" in: %1 dst: %2')[0]!;
    expect(row).toMatchObject({ callee: '@größe', destination: '%2' });
    expect(row.operands).toMatchObject([{ kind: 'register', text: '%1', label: '' }]);
  });
  it('survive a program whose indices lead nowhere', () => {
    const broken = kProgram.instructions.map((each) => ({
      ...each,
      opcode: 'none of ours',
      operands: each.operands.map((operand) => ({ ...operand, value: 1e9 })),
    }));
    expect(() => codeRows({ ...kProgram, instructions: broken })).not.toThrow();
    expect(() => primitiveRows({ ...kProgram, instructions: broken })).not.toThrow();
  });
});

describe('codeRows', () => {
  it('puts a heading above each function and finds each pc', () => {
    const rows = codeRows(kProgram);
    expect(rows[0]).toMatchObject({ functionName: 'main', signature: '(x: f32[n, 3]) → int' });
    expect(rows).toHaveLength(5);
    expect(rows.filter(isFunctionRow)).toHaveLength(1);
    expect([...rowOfPc(rows)]).toEqual([
      [0, 1],
      [1, 2],
      [2, 3],
      [3, 4],
    ]);
  });
  it('has no rows for an empty program', () => {
    expect(codeRows({ ...kProgram, functions: [], instructions: [] })).toEqual([]);
  });
});

describe('visibleRange', () => {
  it('covers what is in sight, with a margin, and not much more', () => {
    const [first, last] = visibleRange(100_000, 28, 28 * 500, 600);
    expect(first).toBeLessThanOrEqual(500);
    expect(last).toBeGreaterThanOrEqual(522);
    expect(last - first).toBeLessThan(60);
  });
  it.each([
    [0, 0, 600],
    [3, 0, 600],
    [3, 1e9, 600],
    [100, -50, 100],
  ])('stays within %d rows at %d', (count, top, height) => {
    const [first, last] = visibleRange(count, 28, top, height);
    expect(first).toBeGreaterThanOrEqual(0);
    expect(last).toBeLessThanOrEqual(count);
    expect(first).toBeLessThanOrEqual(last);
  });
});

describe('listing', () => {
  it('shows constants with type and size, and marks repeated ones', () => {
    const constants = [...kProgram.constants, { index: 1, type: 'f32[9]', bytes: 0, splat: true }];
    expect(constantRows({ ...kProgram, constants })).toEqual([
      { name: 'c[0]', detail: 'f32[3]', size: '12 B' },
      { name: 'c[1]', detail: 'f32[9], one value repeated', size: '' },
    ]);
  });
  it('counts the calls of each primitive', () => {
    const primitives = ['add', 'relu', 'conv2d{pads=1,1}'];
    const instructions: Instruction[] = [
      ...kProgram.instructions,
      {
        pc: 4,
        text: 'call  conv2d{pads=1,1} in: %0 dst: %1',
        opcode: 'call',
        operands: [
          { name: 'callee', role: 'a', kind: 'primitive', value: 2, span: [6, 22] },
        ],
      },
    ];
    expect(primitiveRows({ ...kProgram, primitives, instructions })).toEqual([
      { name: 'add', detail: '', size: '3 calls' },
      { name: 'relu', detail: '', size: '' },
      { name: 'conv2d', detail: 'pads=1,1', size: '1 call' },
    ]);
  });
  it('says entries and entry', () => {
    const sections = [
      { name: 'code', count: 1, bytes: 64 },
      { name: 'debug', count: 0, bytes: 0 },
    ];
    expect(sectionRows({ ...kProgram, sections }).map((row) => row.detail)).toEqual([
      '1 entry',
      '0 entries',
    ]);
  });
});
