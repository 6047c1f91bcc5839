// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import {
  codeRows,
  isFunctionRow,
  rowOfPc,
  splitInstruction,
  splitOperands,
  visibleRange,
} from '../../../web/src/model/instructions.js';
import { constantRows, primitiveRows, sectionRows } from '../../../web/src/model/listing.js';
import { kProgram } from '../support/fake-worker.js';

describe('splitInstruction', () => {
  it('takes a call apart', () => {
    expect(
      splitInstruction('call  conv2d{strides=2,2 pads=1,1,1,1} in: %0, c[1], none   dst: %3'),
    ).toEqual({
      opcode: 'call',
      callee: 'conv2d',
      attributes: 'strides=2,2 pads=1,1,1,1',
      operands: ['%0', 'c[1]', 'none'],
      destination: '%3',
    });
  });
  it('takes the others apart', () => {
    expect(splitInstruction('ret   ret %7')).toMatchObject({
      opcode: 'ret',
      operands: ['ret', '%7'],
    });
    expect(splitInstruction('kill  %1, %2')).toMatchObject({
      opcode: 'kill',
      operands: ['%1', '%2'],
      callee: '',
    });
    expect(splitInstruction('add  %0, 1 dst: %2')).toMatchObject({
      operands: ['%0', '1'],
      destination: '%2',
    });
  });
  it('keeps what is in quotes and brackets together', () => {
    expect(splitOperands('"a, b", [2, 3], c[0]')).toEqual(['"a, b"', '[2, 3]', 'c[0]']);
    expect(splitOperands('"say \\"hi, you\\"" x')).toEqual(['"say \\"hi, you\\""', 'x']);
  });
  it.each(['', '   ', 'call', 'in:', 'dst: ', '{', 'call f{ in: '])(
    'survives the odd text %j',
    (odd) => {
      expect(() => splitInstruction(odd)).not.toThrow();
    },
  );
});

describe('codeRows', () => {
  it('puts a heading above each function and finds each pc', () => {
    const rows = codeRows(kProgram);
    expect(rows[0]).toEqual({ functionName: 'main', signature: '(x: f32[n, 3]) → int' });
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
    const instructions = [
      ...kProgram.instructions,
      { pc: 4, text: 'call  conv2d{pads=1,1} in: %0 dst: %1' },
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
