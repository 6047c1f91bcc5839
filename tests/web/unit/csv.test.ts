// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { csvOf, type TableValue } from '../../../web/src/model/csv.js';
import { readCsv } from '../support/csv.js';

describe('a table as CSV', () => {
  test('has a line for its titles and one for each row', () => {
    expect(csvOf({ titles: ['a', 'b'], rows: [[1, 'x'], [-0, null]] }))
      .toBe('a,b\r\n1,x\r\n-0,\r\n');
  });

  const kAwkward: TableValue[][] = [
    ['a,b', 'say "so"', 'two\nlines', ' around ', '', '\r'],
    [0.1, Math.fround(0.1), 1e300, 2n ** 63n, Infinity, NaN],
    [true, undefined, '−1', '"', ',', '""'],
  ];

  test('is read back as it was', () => {
    const titles = ['1', '2', '3', '4', '5', '6'];
    const rows = kAwkward.map((row) => row.map((value) => String(value ?? '')));
    expect(readCsv(csvOf({ titles, rows: kAwkward }))).toEqual([titles, ...rows]);
  });

  test('is the same each time', () => {
    const table = { titles: ['t'], rows: kAwkward };
    expect(csvOf(table)).toBe(csvOf(structuredClone(table)));
  });

  test('may be empty', () => {
    expect(csvOf({ titles: [], rows: [] })).toBe('\r\n');
    expect(csvOf({ titles: ['only'], rows: [] })).toBe('only\r\n');
  });
});

describe('the reader of the tests', () => {
  test.each([['a"b,c', 'a quote within a bare field'], ['"a', 'a quote that is not closed'],
    ['"a"b', 'letters behind a quote']])('refuses %s: %s', (text) => {
    expect(() => readCsv(text)).toThrow(/not CSV/);
  });
});
