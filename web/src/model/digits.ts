// SPDX-License-Identifier: Apache-2.0
// From a drawing to what the digit classifier reads (docs/digits.md): 28 × 28, bright ink on black,
// 0…255, the digit in a 20 × 20 box with its centre of mass in the middle; and from its answer to
// ten probabilities.
import { rasterize, type Stroke } from './strokes.js';

export const kSide = 28;
const kBox = 20;
const kGrid = 140;
const kFaint = 16;

interface Bounds {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

function inkBounds(ink: Float32Array, side: number): Bounds | undefined {
  const bounds = { left: side, top: side, right: 0, bottom: 0 };
  ink.forEach((value, i) => {
    if (value < kFaint) return;
    const x = i % side, y = Math.floor(i / side);
    bounds.left = Math.min(bounds.left, x);
    bounds.top = Math.min(bounds.top, y);
    bounds.right = Math.max(bounds.right, x + 1);
    bounds.bottom = Math.max(bounds.bottom, y + 1);
  });
  return bounds.right > 0 ? bounds : undefined;
}

interface Box {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
}

/** Mean of the cells that a box covers; outside of the grid there is no ink. */
function sampleArea(ink: Float32Array, side: number, { x0, y0, x1, y1 }: Box): number {
  let sum = 0;
  for (let y = Math.max(0, Math.floor(y0)); y < Math.min(side, Math.ceil(y1)); y++) {
    const tall = Math.min(y + 1, y1) - Math.max(y, y0);
    for (let x = Math.max(0, Math.floor(x0)); x < Math.min(side, Math.ceil(x1)); x++) {
      sum += tall * (Math.min(x + 1, x1) - Math.max(x, x0)) * ink[y * side + x]!;
    }
  }
  return sum / ((x1 - x0) * (y1 - y0));
}

function centreOfMass(ink: Float32Array, side: number): [x: number, y: number] {
  let mass = 0, cx = 0, cy = 0;
  ink.forEach((value, i) => {
    mass += value;
    cx += value * ((i % side) + 0.5);
    cy += value * (Math.floor(i / side) + 0.5);
  });
  return [cx / mass, cy / mass];
}

/** ink: side × side, 0…255. Nothing for a blank drawing, which is no digit. */
export function toDigitImage(ink: Float32Array, side: number): Float32Array | undefined {
  const bounds = inkBounds(ink, side);
  if (!bounds) return undefined;
  const extent = Math.max(bounds.right - bounds.left, bounds.bottom - bounds.top);
  const scale = extent / kBox;
  const [cx, cy] = centreOfMass(ink, side);
  const image = new Float32Array(kSide * kSide);
  for (let i = 0; i < image.length; i++) {
    const x0 = cx + ((i % kSide) - kSide / 2) * scale;
    const y0 = cy + (Math.floor(i / kSide) - kSide / 2) * scale;
    image[i] = sampleArea(ink, side, { x0, y0, x1: x0 + scale, y1: y0 + scale });
  }
  return image;
}

export function drawingImage(strokes: readonly Stroke[]): Float32Array | undefined {
  return toDigitImage(rasterize(strokes, kGrid), kGrid);
}

/** Scores as probabilities: as they are if they sum to 1, else their softmax. */
export function toProbabilities(scores: ArrayLike<number>): number[] {
  const values = Array.from(scores, Number);
  const sum = values.reduce((a, b) => a + b, 0);
  if (values.every((v) => v >= 0 && v <= 1) && Math.abs(sum - 1) < 1e-3) return values;
  const most = Math.max(...values);
  const powers = values.map((v) => Math.exp(v - most));
  const total = powers.reduce((a, b) => a + b, 0);
  return powers.map((p) => p / total);
}

/** Index of the largest value. */
export function argmax(values: ArrayLike<number>): number {
  let best = 0;
  for (let i = 1; i < values.length; i++) if (values[i]! > values[best]!) best = i;
  return best;
}
