// SPDX-License-Identifier: Apache-2.0
// The index of what belongs together: a selection in any stage leads to the same things in all.
import type { Instruction } from 'tern-runtime';
import { describe, expect, it } from 'vitest';
import {
  buildLinks, kNoIndex, linesOfListing, listingStage,
} from '../../../web/src/model/links.js';
import type { Selection } from '../../../web/src/model/selection.js';

const at = (pc: number, source?: string, line?: number, column?: number): Instruction => ({
  pc, text: '', opcode: 'call', operands: [],
  ...(source === undefined ? {} : { source }),
  ...(line === undefined ? {} : { line, column: column! }),
});

// Two lines of a text; the first is used twice, an expression of it lives in two instructions.
const kProgram = [
  at(0, 'a.tn', 2, 3), at(1, 'a.tn', 2, 9), at(2, 'a.tn', 2, 3), at(3, 'a.tn', 3, 3), at(4),
  at(5, 'prelude.tn', 2, 3),
];
const kListing = `.meta "producer" = "x"
  not an instruction

.func @main()
  .loc "a.tn" 2:3
  call  @f in: %0 dst: %1
  .loc "a.tn" 2:9
  call  @g in: %0 dst: %1
again:
  call  @f in: %0 dst: %1
  add   %0, 1 dst: %0
  ret   ret %0

.func @g()
  ret   ret %0
`;
const kStages = [
  { name: 'lower', origins: [[2, 'a.tn:2:3'], [3, 'a.tn:2:9'], [4, 'a.tn:3:3']] as const },
  { name: 'fuse', origins: [[2, 'a.tn:2:3'], [7, 'a.tn:2:3']] as const },
  listingStage('bytecode', kListing, kProgram),
];

const index = buildLinks(kProgram, kStages);
const span = (line: number, endLine = line, file = 'a.tn'): Selection =>
  ({ kind: 'span', file, span: { line, column: 1, endLine, endColumn: 1 } });
const shown = (selection: Selection | undefined) => {
  const links = index.of(selection);
  return {
    pcs: [...links.pcs], source: links.linesOf('a.tn'), lower: links.stageLines('lower'),
    fuse: links.stageLines('fuse'), bytecode: links.stageLines('bytecode'),
  };
};
const kNothing = { pcs: [], source: [], lower: [], fuse: [], bytecode: [] };

describe('links of a text', () => {
  const ofExpression = { source: [2], lower: [2], fuse: [2, 7], bytecode: [6, 10] };

  it('lead from an instruction to every stage', () => {
    expect(shown({ kind: 'pc', pc: 2 })).toEqual({ pcs: [2], ...ofExpression });
    expect(shown({ kind: 'pc', pc: 1 }))
      .toEqual({ pcs: [1], source: [2], lower: [3], fuse: [], bytecode: [8] });
  });

  it('lead from a line of any stage to all others', () => {
    const all = { pcs: [0, 2], ...ofExpression };
    expect(shown({ kind: 'line', stage: 'lower', line: 2 })).toEqual(all);
    expect(shown({ kind: 'line', stage: 'fuse', line: 7 })).toEqual(all);
    expect(shown({ kind: 'line', stage: 'bytecode', line: 10 })).toEqual(all);
  });

  it('lead from lines of the text to all that came from them', () => {
    expect(shown(span(2))).toEqual(
      { pcs: [0, 1, 2], source: [2], lower: [2, 3], fuse: [2, 7], bytecode: [6, 8, 10] });
    expect(shown(span(1, 3))).toEqual({
      pcs: [0, 1, 2, 3], source: [2, 3], lower: [2, 3, 4], fuse: [2, 7], bytecode: [6, 8, 10, 11],
    });
  });

  it('keep files apart that have the same lines', () => {
    expect(shown(span(2, 2, 'prelude.tn'))).toEqual(
      { ...kNothing, pcs: [5], bytecode: [15] });
    expect(index.of(span(2, 2, 'prelude.tn')).linesOf('prelude.tn')).toEqual([2]);
  });

  it('are none where nothing came from a place', () => {
    expect(shown(undefined)).toEqual(kNothing);
    expect(shown(span(77))).toEqual(kNothing);
    expect(shown({ kind: 'line', stage: 'lower', line: 99 })).toEqual(kNothing);
    expect(shown({ kind: 'line', stage: 'gone', line: 2 })).toEqual(kNothing);
    expect(shown({ kind: 'register', index: 0, frame: 0 })).toEqual(kNothing);
    expect(shown({ kind: 'pc', pc: 4 })).toEqual({ ...kNothing, pcs: [4] });
    expect(shown({ kind: 'pc', pc: 99 })).toEqual({ ...kNothing, pcs: [99] });
    expect(kNoIndex.of(span(2)).pcs.size).toBe(0);
  });
});

describe('links of a model', () => {
  // Nodes may be called like places of a file; no instruction says that there is such a file.
  const name = 'block/Conv_1:2:3';
  const model = buildLinks([at(0, name), at(1, 'Relu'), at(2, name)],
    [{ name: 'import', origins: [[3, name], [4, 'Relu']] }]);

  it('lead from nodes to instructions and stages, and back', () => {
    for (const selection of [
      { kind: 'node', name }, { kind: 'line', stage: 'import', line: 3 },
    ] as const) {
      const links = model.of(selection);
      expect([...links.pcs]).toEqual([0, 2]);
      expect([...links.nodes]).toEqual([name]);
      expect(links.stageLines('import')).toEqual([3]);
    }
    expect([...model.of({ kind: 'pc', pc: 1 }).nodes]).toEqual(['Relu']);
    expect([...model.of({ kind: 'node', name: 'gone' }).pcs]).toEqual([]);
  });
});

describe('links of a program that is folded away', () => {
  it('lead from stages to the text, where no instruction is left', () => {
    const links = buildLinks([at(0)], [{ name: 'lower', origins: [[2, 'a.tn:3:9']] }])
      .of({ kind: 'line', stage: 'lower', line: 2 });
    expect(links.linesOf('a.tn')).toEqual([3]);
    expect(links.pcs.size).toBe(0);
  });
});

describe('the listing', () => {
  it('has an instruction for each indented line behind the first function', () => {
    expect(linesOfListing(kListing)).toEqual([6, 8, 10, 11, 12, 15]);
    expect(linesOfListing('')).toEqual([]);
  });

  it('of another program is linked with nothing', () => {
    expect(listingStage('bytecode', kListing, kProgram.slice(1)).origins).toEqual([]);
  });
});
