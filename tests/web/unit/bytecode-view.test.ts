// SPDX-License-Identifier: Apache-2.0
import { createRuntime, type Runtime } from 'tern-runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Arrows, kLanes, shownRows } from '../../../web/src/model/bytecode-view.js';
import { type CodeRow, codeRows, isFunctionRow } from '../../../web/src/model/instructions.js';

const kProgram = `
.func @main(n: int)
outer:
  move  %0 dst: %1
inner:
  sub   %1, 1 dst: %1
  gt    %1, 0 dst: %2
  if    %2 true: inner false: +1
  sub   %0, 1 dst: %0
  gt    %0, 0 dst: %2
  if    %2 true: outer false: +1
  invoke @last in: %0 dst: %3
  ret   ret %3
.func @last(x)
  ret   ret %0
`;

let runtime: Runtime;
let rows: CodeRow[];
beforeAll(async () => {
  runtime = await createRuntime();
  await runtime.prepareCompiler();
  const program = runtime.load(runtime.assemble(kProgram));
  rows = codeRows(program.info);
  program.dispose();
});
afterAll(() => runtime.dispose());

const pcs = (filter: string, folded: string[] = []): (number | string)[] =>
  shownRows(rows, filter, new Set(folded)).map((row) =>
    isFunctionRow(row) ? row.functionName : row.pc);

describe('the filter', () => {
  it('finds opcodes, registers, callees and text', () => {
    expect(pcs('op:gt')).toEqual(['main', 2, 5]);
    expect(pcs('op:gt reg:R1')).toEqual(['main', 2]);
    expect(pcs('reg:%3')).toEqual(['main', 7, 8]);
    expect(pcs('fn:last')).toEqual(['main', 7, 'last', 9]);
    expect(pcs('pc:4')).toEqual(['main', 4]);
    expect(pcs('INVOKE')).toEqual(['main', 7]);
  });
  it('shows nothing where nothing matches, and all without words', () => {
    expect(pcs('op:nothing')).toEqual([]);
    expect(pcs('reg:x')).toEqual([]);
    expect(pcs('unknown:1')).toEqual([]);
    expect(pcs('  ')).toHaveLength(rows.length);
  });
  it('goes with folded functions, whose headings stay', () => {
    expect(pcs('', ['main'])).toEqual(['main', 'last', 9]);
    expect(pcs('op:ret', ['main'])).toEqual(['main', 'last', 9]);
  });
});

describe('arrows', () => {
  it('nest: the outer loop lies outside of the inner one', () => {
    const arrows = new Arrows(rows);
    const at = arrows.at(2);
    expect(at).toHaveLength(2);
    const inner = at.find(({ to }) => to === 1)!;
    const outer = at.find(({ to }) => to === 0)!;
    expect(inner).toMatchObject({ from: 3, lane: 0 });
    expect(outer).toMatchObject({ from: 6, lane: 1 });
    expect(arrows.at(7)).toEqual([]);
  });
  it('share the last lane where there are more than lanes', () => {
    const many = Array.from({ length: 10 }, (_, i) => ({
      pc: 100 + i, targets: [50 - i], opcode: 'goto',
    })) as unknown as CodeRow[];
    const lanes = new Arrows(many).at(75).map(({ lane }) => lane);
    expect(lanes).toHaveLength(10);
    expect(Math.max(...lanes)).toBe(kLanes - 1);
  });
});

describe('chips', () => {
  it('say where they lead', () => {
    const invoke = rows.find((row) => !isFunctionRow(row) && row.opcode === 'invoke');
    expect(invoke).toMatchObject({ calleePc: 9, destinationRegister: 3 });
    const jump = rows.find((row) => !isFunctionRow(row) && row.pc === 3);
    expect(jump).toMatchObject({ targets: [1, 4] });
  });
});
