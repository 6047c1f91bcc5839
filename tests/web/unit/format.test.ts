// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import {
  formatBytes,
  formatCount,
  formatMilliseconds,
  formatNumber,
  formatType,
} from '../../../web/src/model/format.js';

describe('formatNumber', () => {
  it.each([
    [0, '0'],
    [12, '12'],
    [-3, '−3'],
    [0.1, '0.1'],
    [1 / 3, '0.3333'],
    [-1.5e-9, '−1.5e−9'],
    [1234567.89, '1.235e+6'],
    [12345678, '1.235e+7'],
    [100.5, '100.5'],
    [5n, '5'],
    [-(2n ** 62n), '−4611686018427387904'],
  ])('%s is %s', (value, text) => expect(formatNumber(value)).toBe(text));
  it.each([
    [NaN, 'NaN'],
    [Infinity, '∞'],
    [-Infinity, '−∞'],
    [-0, '−0'],
  ])('shows the odd %s as %s', (value, text) => expect(formatNumber(value)).toBe(text));
});

describe('formatBytes', () => {
  it.each([
    [0, '0 B'],
    [1023, '1023 B'],
    [1024, '1.0 KiB'],
    [144547, '141 KiB'],
    [2 ** 30, '1.0 GiB'],
    [2 ** 52, '4096 TiB'],
  ])('%d is %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text));
});

it('chooses the unit of a time', () => {
  expect([0, 0.25, 12.34, 250, 2500].map(formatMilliseconds)).toEqual([
    '0 µs',
    '250 µs',
    '12.3 ms',
    '250 ms',
    '2.5 s',
  ]);
});

it('groups digits and knows the plural', () => {
  expect(formatCount(1, 'row')).toBe('1 row');
  expect(formatCount(12345, 'row')).toBe('12\u202f345 rows');
});

it('names the type of a parameter that is no tensor', () => {
  expect(formatType({ name: 'n', type: 'int' })).toBe('int');
  expect(formatType({ dtype: 'f32', shape: ['n', 3] })).toBe('f32[n, 3]');
  expect(formatType({})).toBe('any');
});
