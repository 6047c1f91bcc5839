// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import type { Instruction, TraceComparison, TraceDivergence } from 'tern-runtime';
import {
  linesAround, sentenceOf, sidesOf, stateOf, summaryOf, whatDiffers,
} from '../../../web/src/model/divergences.js';

const kValue: TraceDivergence = {
  kind: 'value', step: 3, places: ['@main:3', '@main:3'], pcs: [3, 3], register: 2, name: 'sum',
  frame: 0, a: '1', b: '2',
};
const kPlace: TraceDivergence =
  { kind: 'place', step: 5, places: ['@main:5', '@main:7'], pcs: [5, 7], a: '', b: '' };

describe('differences of runs, in words', () => {
  it('say which register got another value, and where', () => {
    expect(sentenceOf(kValue)).toBe('Step 3, @main:3, gives %2 sum another value.');
    expect(sidesOf(kValue)).toEqual(['1', '2']);
    expect(stateOf(kValue)).toBe(4);
  });
  it('say where the runs begin otherwise', () => {
    const start = { ...kValue, kind: 'start', step: 0, name: '' } as const;
    expect(whatDiffers(start)).toBe('begins with another %2');
    expect(stateOf(start)).toBe(0);
  });
  it('say which way each went', () => {
    expect(sentenceOf(kPlace)).toBe('Step 5 is at another instruction.');
    expect(sidesOf(kPlace)).toEqual(['@main:5', '@main:7']);
  });
  it('say that one ends, and that nothing is common', () => {
    expect(sentenceOf({ ...kPlace, kind: 'end' })).toBe('Only one goes on after step 5.');
    expect(sentenceOf({ ...kPlace, kind: 'range' })).toContain('no step in common');
    expect(sentenceOf({ ...kPlace, kind: 'change' })).toContain('@main:5, changes other registers');
  });
  it('are summed up', () => {
    const range = { first: 0, end: 9 };
    const all: TraceComparison =
      { a: range, b: range, common: 9, divergences: [], more: false };
    expect(summaryOf(all)).toBe('9 steps in common, all the same.');
    expect(summaryOf({ ...all, divergences: [kValue] }))
      .toBe('1 difference in 9 steps that both have.');
    expect(summaryOf({ ...all, divergences: [kValue, kPlace], more: true }))
      .toBe('The first 2 differences in 9 steps that both have.');
  });
});

describe('instructions around a difference', () => {
  const instructions = Array.from({ length: 20 }, (_, pc) =>
    ({ pc, text: `i${pc}` })) as unknown as Instruction[];
  it('are those before and behind', () => {
    expect(linesAround({ instructions }, 10, 2).map(({ pc }) => pc)).toEqual([8, 9, 10, 11, 12]);
    expect(linesAround({ instructions }, 0, 2).map(({ pc }) => pc)).toEqual([0, 1, 2]);
    expect(linesAround({ instructions }, 19, 2).map(({ pc }) => pc)).toEqual([17, 18, 19]);
    expect(linesAround({ instructions }, 99)).toEqual([]);
  });
});
