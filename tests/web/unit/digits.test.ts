// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import {
  argmax,
  drawingImage,
  kSide,
  toDigitImage,
  toProbabilities,
} from '../../../web/src/model/digits.js';
import { kSampleDigits } from '../../../web/src/model/sample-digits.js';
import { kCanvasSide, kPenWidth, rasterize } from '../../../web/src/model/strokes.js';

function bounds(
  image: Float32Array,
  side: number,
): { width: number; height: number; cx: number; cy: number } {
  const xs: number[] = [],
    ys: number[] = [];
  let mass = 0,
    cx = 0,
    cy = 0;
  image.forEach((ink, i) => {
    const x = i % side,
      y = Math.floor(i / side);
    mass += ink;
    cx += ink * (x + 0.5);
    cy += ink * (y + 0.5);
    if (ink >= 64) {
      xs.push(x);
      ys.push(y);
    }
  });
  return {
    width: Math.max(...xs) - Math.min(...xs) + 1,
    height: Math.max(...ys) - Math.min(...ys) + 1,
    cx: cx / mass,
    cy: cy / mass,
  };
}

const kLine = [
  { x: 140, y: 60 },
  { x: 140, y: 220 },
];

describe('rasterize', () => {
  it('covers the area of the stroke', () => {
    const side = 140;
    const ink = rasterize([kLine], side).reduce((a, b) => a + b, 0) / 255;
    const area = (160 * kPenWidth + Math.PI * (kPenWidth / 2) ** 2) * (side / kCanvasSide) ** 2;
    expect(Math.abs(ink - area) / area).toBeLessThan(0.02);
  });
  it('makes a dot of a single point', () => {
    const ink = rasterize([[{ x: 140, y: 140 }]], 140);
    expect(ink.reduce((a, b) => a + b, 0) / 255 / (Math.PI * (kPenWidth / 4) ** 2)).toBeCloseTo(
      1,
      1,
    );
  });
  it('does not darken where strokes cross', () => {
    expect(Math.max(...rasterize([kLine, kLine], 140))).toBe(255);
  });
});

describe('drawingImage', () => {
  it('fits a line into 20 pixels and centres it', () => {
    const image = drawingImage([kLine.map(({ x, y }) => ({ x: x / 4 + 10, y: y / 4 + 10 }))])!;
    const { height, cx, cy } = bounds(image, kSide);
    expect(height).toBeGreaterThanOrEqual(19);
    expect(height).toBeLessThanOrEqual(21);
    expect(cx).toBeCloseTo(kSide / 2, 1);
    expect(cy).toBeCloseTo(kSide / 2, 1);
  });
  it('keeps the proportions of a wide drawing', () => {
    const { width, height } = bounds(
      drawingImage([
        [
          { x: 20, y: 140 },
          { x: 260, y: 140 },
        ],
      ])!,
      kSide,
    );
    expect(width).toBeGreaterThanOrEqual(19);
    expect(height).toBeLessThanOrEqual(4);
  });
  it('does not depend on where it was drawn', () => {
    const shifted = kLine.map(({ x, y }) => ({ x: x + 40, y: y + 20 }));
    const a = drawingImage([kLine])!,
      b = drawingImage([shifted])!;
    a.forEach((ink, i) => expect(Math.abs(ink - b[i]!)).toBeLessThan(1));
  });
  it('has a sample for each digit, all different, within the square', () => {
    expect(kSampleDigits).toHaveLength(10);
    for (const strokes of kSampleDigits) {
      for (const { x, y } of strokes.flat()) {
        expect(Math.min(x, y)).toBeGreaterThan(kPenWidth / 2);
        expect(Math.max(x, y)).toBeLessThan(kCanvasSide - kPenWidth / 2);
      }
    }
    expect(new Set(kSampleDigits.map((s) => JSON.stringify(drawingImage(s)))).size).toBe(10);
  });
});

describe('drawings that are none', () => {
  it('has no image without ink', () => {
    expect(drawingImage([])).toBeUndefined();
    expect(drawingImage([[]])).toBeUndefined();
    expect(toDigitImage(new Float32Array(140 * 140).fill(3), 140)).toBeUndefined();
  });
  it('clips what lies outside of the square', () => {
    expect(
      drawingImage([
        [
          { x: -500, y: -500 },
          { x: -400, y: -400 },
        ],
      ]),
    ).toBeUndefined();
    const image = drawingImage([
      [
        { x: 140, y: -200 },
        { x: 140, y: 500 },
      ],
    ])!;
    expect(image.every((ink) => ink >= 0 && ink <= 255.001)).toBe(true);
  });
});

describe('toProbabilities', () => {
  it('leaves probabilities alone', () => {
    expect(toProbabilities([0.25, 0.75])).toEqual([0.25, 0.75]);
  });
  it('takes the softmax of scores, also of large ones', () => {
    const values = toProbabilities([1000, 1001, -1000]);
    expect(values.reduce((a, b) => a + b, 0)).toBeCloseTo(1, 12);
    expect(values[1]! / values[0]!).toBeCloseTo(Math.E, 9);
  });
  it('finds the largest, the first of equals', () => {
    expect(argmax([1, 3, 3])).toBe(1);
    expect(argmax([])).toBe(0);
  });
});
