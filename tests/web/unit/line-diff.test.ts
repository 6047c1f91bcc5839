// SPDX-License-Identifier: Apache-2.0
// Differences of lines, by examples and by what must hold for any two texts.
import { describe, expect, it } from 'vitest';
import { type DiffLine, diffLines, hunks } from '../../../web/src/model/line-diff.js';

const sign = { same: ' ', removed: '-', added: '+' };
const shown = (lines: readonly DiffLine[]): string[] =>
  lines.map(({ kind, text }) => sign[kind] + text);

/** The length of the longest common subsequence, by the table of all prefixes. */
function commonLength(a: readonly string[], b: readonly string[]): number {
  let row = new Array<number>(b.length + 1).fill(0);
  for (const x of a) {
    const next = [0];
    b.forEach((y, j) => next.push(x === y ? row[j]! + 1 : Math.max(row[j + 1]!, next[j]!)));
    row = next;
  }
  return row[b.length]!;
}

/** Repeatable numbers from 0 up to n. */
function numbers(seed: number): (n: number) => number {
  let state = seed;
  return (n) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}

describe('differences', () => {
  it('are the lines of both texts', () => {
    expect(shown(diffLines('a\nb\nc', 'a\nx\nc\nd'))).toEqual([' a', '-b', '+x', ' c', '+d']);
  });
  it('of equal texts are none', () => {
    expect(diffLines('a\n', 'a\n').every(({ kind }) => kind === 'same')).toBe(true);
    expect(hunks(diffLines('a', 'a'))).toEqual([]);
  });
  it('of an empty text are all lines of the other', () => {
    expect(shown(diffLines('', 'a'))).toEqual(['-', '+a']);
  });
  it('rebuild both texts and are the fewest, for any texts', () => {
    const next = numbers(7);
    for (let round = 0; round < 300; round++) {
      const text = () => Array.from({ length: next(12) + 1 }, () => 'abc'[next(3)]!);
      const [a, b] = [text(), text()];
      const lines = diffLines(a.join('\n'), b.join('\n'));
      expect(lines.filter(({ kind }) => kind !== 'added').map((line) => line.text)).toEqual(a);
      expect(lines.filter(({ kind }) => kind !== 'removed').map((line) => line.text)).toEqual(b);
      expect(lines.filter(({ kind }) => kind === 'same').length).toBe(commonLength(a, b));
    }
  });
  it('of texts with nothing in common are told without taking long', () => {
    const many = (word: string) => Array.from({ length: 3000 }, (_, i) => word + i).join('\n');
    expect(diffLines(many('a'), many('b')).length).toBe(6000);
  });
});

describe('hunks', () => {
  it('keep lines around a difference and say where others are left out', () => {
    const before = '1\n2\n3\n4\n5\n6\n7';
    const lines = hunks(diffLines(before, before.replace('4', 'x')), 1);
    expect(lines.map((line) => line && sign[line.kind] + line.text))
      .toEqual([undefined, ' 3', '-4', '+x', ' 5', undefined]);
  });
});
