// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import type { Instruction } from 'tern-runtime';
import {
  beginningsOf, hitsByLine, instructionsByLine, movedLines,
} from '../../../web/src/model/text-lines.js';

const kText = 'one\ntwo\nthree\nfour\n';
const all = [1, 2, 3, 4];

describe('lines of a text that is edited', () => {
  it('stay where no line came or went', () => {
    expect(movedLines(all, kText, kText.replace('two', 'zwei'))).toEqual(all);
    expect(movedLines(all, kText, kText)).toEqual(all);
    expect(movedLines([1], '', '')).toEqual([1]);
  });
  it('move with lines that are put before them', () => {
    expect(movedLines(all, kText, `zero\n${kText}`)).toEqual([2, 3, 4, 5]);
    expect(movedLines(all, kText, 'one\ntwo\n\nthree\nfour\n')).toEqual([1, 2, 4, 5]);
  });
  it('stay before what is put behind them', () => {
    expect(movedLines(all, kText, `${kText}five\nsix\n`)).toEqual(all);
    // A line that is broken in its middle keeps its number.
    expect(movedLines(all, kText, kText.replace('two', 't\nwo'))).toEqual([1, 2, 4, 5]);
  });
  it('move back when lines before them go', () => {
    expect(movedLines([3, 4], kText, 'three\nfour\n')).toEqual([1, 2]);
  });
  it('come together where their lines are gone', () => {
    expect(movedLines([2, 3], kText, 'one\nfour\n')).toEqual([2]);
    expect(movedLines(all, kText, '')).toEqual([1]);
  });
  it('keep their numbers in a text that is written anew', () => {
    expect(movedLines([2, 3], kText, 'a\nb\nc\nd\ne\n')).toEqual([2, 3]);
  });
});

describe('instructions of lines', () => {
  const instructions = [
    { pc: 0, line: 2, source: 'a.tn' }, { pc: 1, line: 2, source: 'a.tn' },
    { pc: 2, line: 6, source: 'a.tn' }, { pc: 3, line: 2, source: 'a.tn' },
    { pc: 4, line: 2, source: 'prelude' }, { pc: 5 },
  ] as unknown as Instruction[];
  const lines = instructionsByLine(instructions, 'a.tn');
  it('are those of the file', () => {
    expect([...lines]).toEqual([[2, [0, 1, 3]], [6, [2]]]);
    expect(instructionsByLine(instructions, 'b.tn').size).toBe(0);
  });
  it('begin wherever the line was put', () => {
    expect(beginningsOf(lines.get(2)!)).toEqual([0, 3]);
    expect(beginningsOf([])).toEqual([]);
  });
  it('ran as often as the one that ran most', () => {
    expect([...hitsByLine(lines, [1, 5, 0, 2])]).toEqual([[2, 5]]);
    expect(hitsByLine(lines, []).size).toBe(0);
  });
});
