// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import {
  beside, decadesOf, formatRate, kPlot, ratesOf, rooflineOf,
} from '../../../web/src/model/roofline.js';

const operator = (name: string, operations: number, bytes: number, nanoseconds: number) =>
  ({
    name, shapes: 'f32[8]', shapesVary: false, hits: 1, operations, bytes, nanoseconds,
    allocated: 0,
  });

// 10 Gop/s and 5 GB/s: the ridge is at two operations for a byte.
const kMachine = { operations: 10, bytes: 5 };
const kProduct = operator('matmul', 8000, 1000, 1000);
const kSum = operator('add', 300, 1200, 3000);

describe('rates', () => {
  it('are a count in a nanosecond', () => {
    expect(ratesOf(kProduct)).toEqual({ operations: 8, bytes: 1, intensity: 8 });
    expect([0.25, 12.3456, 1234.5, 1e-7].map(formatRate)).toEqual(['0.25', '12.3', '1230', '1e−7']);
  });

  it('are not known where one of their counts is not', () => {
    expect(ratesOf(operator('loops', 0, 64, 8)))
      .toEqual({ operations: undefined, bytes: 8, intensity: undefined });
    expect(ratesOf(operator('frozen', 64, 64, 0)))
      .toEqual({ operations: undefined, bytes: undefined, intensity: 1 });
    expect(ratesOf(operator('broken', NaN, -3, 5)))
      .toEqual({ operations: undefined, bytes: undefined, intensity: undefined });
    expect(formatRate(undefined)).toBe('–');
  });
});

describe('a roofline', () => {
  const { marks, roof, xTicks, yTicks, left } =
    rooflineOf([kProduct, kSum, operator('ret', 0, 0, 1000)], kMachine);

  it('has a mark for what is known, the longest first', () => {
    expect(marks.map(({ operator: { name }, rank, share }) => [name, rank, share]))
      .toEqual([['add', 1, 0.6], ['matmul', 2, 0.2]]);
    expect(left).toBe(1);
    expect(marks[0]!.radius).toBeGreaterThan(marks[1]!.radius);
  });

  it('says what limits an operator, and how much that allows', () => {
    expect(marks.map(({ limit, roof: most }) => [limit, most]))
      .toEqual([['memory', 1.25], ['computing', 10]]);
  });

  it('bends at the ridge', () => {
    const [first, ridge, last] = roof;
    expect(ridge![1]).toBe(last![1]);
    expect(first![1]).toBeGreaterThan(ridge![1]);
    // Slope 1 in decades of both axes.
    const across = (ridge![0] - first![0]) / (xTicks[1]!.at - xTicks[0]!.at);
    const up = (first![1] - ridge![1]) / (yTicks[0]!.at - yTicks[1]!.at);
    expect(across).toBeCloseTo(up, 9);
  });

  it('is logarithmic, with ticks at powers of ten', () => {
    expect(xTicks.map(({ text }) => text)).toEqual(['0.1', '1', '10', '100']);
    const steps = xTicks.slice(1).map(({ at }, i) => at - xTicks[i]!.at);
    for (const step of steps) expect(step).toBeCloseTo(steps[0]!, 9);
    expect(xTicks[0]!.at).toBe(kPlot.left);
    expect(yTicks.at(-1)!.at).toBe(kPlot.top);
    // Eight operations for a byte lie before the tick of ten.
    expect(marks[1]!.x).toBeGreaterThan(xTicks[1]!.at);
    expect(marks[1]!.x).toBeLessThan(xTicks[2]!.at);
  });

  it('keeps marks and roof within the plot, whatever the numbers', () => {
    for (const machine of [kMachine, { operations: 1e-5, bytes: 1e5 }, undefined]) {
      const all = rooflineOf(
        [kProduct, kSum, operator('slow', 1, 1e9, 1e12), operator('odd', 1e15, 1, 1)], machine);
      const points = [...all.roof, ...all.marks.map(({ x, y }) => [x, y] as const)];
      for (const [x, y] of points) {
        expect(x).toBeGreaterThanOrEqual(kPlot.left - 1e-6);
        expect(x).toBeLessThanOrEqual(kPlot.width - kPlot.right + 1e-6);
        expect(y).toBeGreaterThanOrEqual(kPlot.top - 1e-6);
        expect(y).toBeLessThanOrEqual(kPlot.height - kPlot.bottom + 1e-6);
      }
      expect(all.xTicks.length).toBeLessThanOrEqual(8);
      expect(all.marks.length).toBe(4);
    }
  });

  it('without a machine has marks and no roof', () => {
    const plain = rooflineOf([kProduct], undefined);
    expect(plain.roof).toEqual([]);
    expect(plain.marks[0]).toMatchObject({ limit: undefined, roof: undefined, share: 1 });
  });

  it('of frozen times has no marks', () => {
    expect(rooflineOf([operator('matmul', 8000, 1000, 0)], undefined))
      .toMatchObject({ marks: [], roof: [], left: 1 });
    expect(rooflineOf([], kMachine).marks).toEqual([]);
  });

  it('is walked by intensity', () => {
    expect(beside(marks, 0, 1)).toBe(1);
    expect(beside(marks, 1, 1)).toBe(1);
    expect(beside(marks, 1, -1)).toBe(0);
    expect(beside([], 0, 1)).toBe(0);
  });
});

it('decades hold all values and are at least one', () => {
  expect(decadesOf([0.02, 300])).toEqual([-2, 3]);
  expect(decadesOf([10])).toEqual([1, 2]);
  expect(decadesOf([])).toEqual([0, 1]);
  expect(decadesOf([0, -1, NaN, Infinity])).toEqual([0, 1]);
});
