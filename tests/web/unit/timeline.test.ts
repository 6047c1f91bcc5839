// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { stepOfMarks, timelineMarks } from '../../../web/src/model/timeline.js';

describe('timelineMarks', () => {
  it('are all steps of a short run, from its first to its last', () => {
    expect(timelineMarks({ first: 0, end: 4 }).map(({ text }) => text)).toEqual([
      '0',
      '1',
      '2',
      '3',
      '4',
    ]);
    expect(timelineMarks({ first: 0, end: 4 }).map(({ at }) => at)).toEqual([0, 25, 50, 75, 100]);
  });
  it('are round numbers, few however long the run is', () => {
    const marks = timelineMarks({ first: 12_345, end: 1_000_000 });
    expect(marks.length).toBeLessThanOrEqual(9);
    expect(marks[0]!.text).toBe('200\u202f000');
    expect(marks.at(-1)).toEqual({ at: 100, text: '1\u202f000\u202f000' });
    expect(stepOfMarks(8)).toBe(1);
    expect(stepOfMarks(9)).toBe(2);
    expect(stepOfMarks(41)).toBe(10);
  });
  it.each([
    [0, 0],
    [5, 5],
    [7, 3],
    [0, Number.NaN],
    [0, Infinity],
  ])('are none of what is no record: %d to %d', (first, end) => {
    expect(timelineMarks({ first, end })).toEqual([]);
  });
});
