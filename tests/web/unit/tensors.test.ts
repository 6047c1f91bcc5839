// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { elementAt } from '../../../web/src/model/elements.js';
import {
  axesOf,
  heatmap,
  pictureRatio,
  rampColour,
  sliceCount,
  sliceName,
  sliceOf,
} from '../../../web/src/model/tensors.js';

const tensor = (shape: number[], values: number[]) => ({
  dtype: 'f32',
  shape,
  data: Float32Array.from(values),
});
const bits = (dtype: string, ...values: number[]) => ({
  dtype,
  shape: [values.length],
  data: Uint16Array.from(values),
});

describe('elementAt', () => {
  it('reads f16 and bf16 from their bits', () => {
    const halves = bits('f16', 0x3c00, 0xc000, 0x3555, 0x0001, 0x7c00, 0xfc00, 0x8000);
    expect([0, 1, 2, 3].map((i) => elementAt(halves, i))).toEqual([
      1,
      -2,
      0.333251953125,
      2 ** -24,
    ]);
    expect([4, 5].map((i) => elementAt(halves, i))).toEqual([Infinity, -Infinity]);
    expect(Object.is(elementAt(halves, 6), -0)).toBe(true);
    expect(elementAt(bits('f16', 0x7e00), 0)).toBeNaN();
    expect(elementAt(bits('bf16', 0x3f80, 0x4049), 1)).toBeCloseTo(3.140625, 6);
  });
  it('reads 64-bit integers as numbers', () => {
    expect(elementAt({ dtype: 'i64', shape: [1], data: BigInt64Array.from([-5n]) }, 0)).toBe(-5);
  });
});

const kLast = { row: 2, column: 3 };

describe('slices', () => {
  const t = tensor(
    [2, 3, 2, 2],
    Array.from({ length: 24 }, (_, i) => i),
  );
  it('are counted, named and taken', () => {
    expect(sliceCount(t, kLast)).toBe(6);
    expect(sliceName(t, kLast, 4)).toBe('[1, 1, :, :]');
    expect(sliceOf(t, kLast, 4)).toEqual({
      rows: 2,
      columns: 2,
      values: Float64Array.from([16, 17, 18, 19]),
      low: 16,
      high: 19,
    });
  });
  it('go along any two neighbouring axes', () => {
    const middle = { row: 1, column: 2 };
    expect(sliceCount(t, middle)).toBe(4);
    expect(sliceName(t, middle, 3)).toBe('[1, :, :, 1]');
    expect([...sliceOf(t, middle, 3).values]).toEqual([13, 15, 17, 19, 21, 23]);
  });
  it('show images first, channels before or behind', () => {
    const first = (shape: number[]) => axesOf(tensor(shape, []))[0];
    expect(first([1, 32, 14, 14])).toEqual({ row: 2, column: 3 });
    expect(first([1, 14, 14, 32])).toEqual({ row: 1, column: 2 });
    expect(first([1, 3, 5, 7])).toEqual({ row: 2, column: 3 });
    expect(axesOf(tensor([1, 14, 14, 32], []))).toHaveLength(2);
  });
  it('of axes of one element are passed over', () => {
    expect(axesOf(tensor([1, 1000, 1, 1], []))).toEqual([{ row: -1, column: 1 }]);
    expect(axesOf(tensor([2, 1, 3], []))).toEqual([{ row: 0, column: 2 }]);
    expect(axesOf(tensor([1, 1, 1], []))).toEqual([{ row: -1, column: 2 }]);
    const spread = tensor([2, 1, 3], [1, 2, 3, 4, 5, 6]);
    const [axes] = axesOf(spread);
    expect([...sliceOf(spread, axes!, 0).values]).toEqual([1, 2, 3, 4, 5, 6]);
    expect(sliceCount(spread, axes!)).toBe(1);
    const line = tensor([1, 3, 1, 1], [7, 8, 9]);
    expect([...sliceOf(line, axesOf(line)[0]!, 0).values]).toEqual([7, 8, 9]);
    expect(sliceName(line, axesOf(line)[0]!, 0)).toBe('[0, :, 0, 0]');
  });
  it('that are very long are stretched in pictures', () => {
    const ratio = (rows: number, columns: number) =>
      pictureRatio({ rows, columns, values: new Float64Array(), low: 0, high: 0 });
    expect([ratio(14, 14), ratio(3549, 85), ratio(1, 1000)]).toEqual([1, 1 / 6, 6]);
  });
  it('of a vector and a scalar are one row', () => {
    for (const [shape, columns] of [
      [[3], 3],
      [[], 1],
    ] as [number[], number][]) {
      const t1 = tensor(shape, [1, 2, 3].slice(0, columns));
      const [axes] = axesOf(t1);
      expect(sliceOf(t1, axes!, 0)).toMatchObject({ rows: 1, columns, low: 1, high: columns });
      expect(sliceCount(t1, axes!)).toBe(1);
    }
  });
});

const flatSlice = (values: number[]) =>
  sliceOf(tensor([values.length], values), { row: -1, column: 0 }, 0);

describe('odd values', () => {
  it('has a range of the finite values only', () => {
    expect(flatSlice([NaN, -1, Infinity, 2])).toMatchObject({ low: -1, high: 2 });
    expect(flatSlice([NaN, Infinity])).toMatchObject({ low: 0, high: 0 });
    expect(flatSlice([])).toMatchObject({ rows: 1, columns: 0, low: 0, high: 0 });
  });
  it('leaves pixels of what is no number transparent, and flat data one colour', () => {
    expect([...heatmap(flatSlice([NaN, 1]))].filter((_, i) => i % 4 === 3)).toEqual([0, 255]);
    const flat = heatmap(flatSlice([5, 5]));
    expect(flat.slice(0, 4)).toEqual(flat.slice(4, 8));
  });
  it('keeps colours within the ramp, and lightness growing', () => {
    expect(rampColour(-1)).toEqual(rampColour(0));
    expect(rampColour(2)).toEqual(rampColour(1));
    const light = [0, 0.2, 0.4, 0.6, 0.8, 1].map((f) => {
      const [r, g, b] = rampColour(f);
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    });
    expect([...light].sort((a, b) => a - b)).toEqual(light);
  });
});
