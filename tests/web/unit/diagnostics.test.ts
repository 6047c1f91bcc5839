// SPDX-License-Identifier: Apache-2.0
// Places of the core's findings in a text, and fixes.
import type { Diagnostic } from 'tern-runtime';
import { describe, expect, it } from 'vitest';
import { applyEdits, editsOf, findingsOf, LineStarts } from '../../../web/src/model/diagnostics.js';

const kText = 'let a = 1\nlet "😀é" = b\n\nend';

const found = (more: Partial<Diagnostic>): Diagnostic =>
  ({ code: 'E1', severity: 'error', message: 'wrong', ...more });

describe('places', () => {
  it('count code points, and offsets count units of strings', () => {
    const lines = new LineStarts(kText);
    const { from, to } = lines.range({ line: 2, col: 5, endLine: 2, endCol: 9 });
    expect(kText.slice(from, to)).toBe('"😀é"');
  });
  it.each([
    [1, 1, 0], [1, 99, 9], [2, 1, 10], [3, 1, 24], [3, 5, 24], [4, 4, 28], [9, 1, 28], [0, 0, 0],
    [-3, 2, 1],
  ])('line %i, column %i is offset %i, also outside of the text', (line, column, offset) => {
    expect(new LineStarts(kText).offset(line, column)).toBe(offset);
  });
  it('of a finding without one are the beginning', () => {
    expect(findingsOf(kText, [found({})])[0]).toMatchObject({ from: 0, to: 0, labels: [] });
  });
  it('never end before they begin', () => {
    const span = { line: 2, col: 4, endLine: 1, endCol: 1 };
    const [first] = findingsOf(kText, [found({ span })]);
    expect(first!.to).toBe(first!.from);
  });
  it('of other labels are found too', () => {
    const label = { span: { line: 1, col: 5, endLine: 1, endCol: 6 }, text: 'here' };
    expect(findingsOf(kText, [found({ labels: [label] })])[0]!.labels)
      .toEqual([{ from: 4, to: 5, text: 'here' }]);
  });
});

describe('a fix', () => {
  const edit = (line: number, col: number, endCol: number, replacement: string) =>
    ({ span: { line, col, endLine: line, endCol }, replacement });
  it('changes the text at all of its places, in whatever order they are told', () => {
    const fix = { title: 'x', edits: [edit(2, 12, 13, 'c'), edit(1, 10, 10, ';')] };
    expect(applyEdits(kText, editsOf(kText, fix))).toBe('let a = 1;\nlet "😀é" = c\n\nend');
  });
  it('leaves out an edit that touches what another one has changed', () => {
    const fix = { title: 'x', edits: [edit(1, 1, 4, 'var'), edit(1, 3, 6, '?')] };
    expect(applyEdits(kText, editsOf(kText, fix)).split('\n')[0]).toBe('var a = 1');
  });
  it('without edits changes nothing', () => {
    expect(applyEdits(kText, editsOf(kText, { title: 'x', edits: [] }))).toBe(kText);
  });
});
