// SPDX-License-Identifier: Apache-2.0
// Tensors as pictures and tables: slices along two axes, the range of a slice, and a colour for
// each value.
import type { Tensor } from 'tern-runtime';
import { elementAt } from './elements.js';

export interface Slice {
  rows: number;
  columns: number;
  values: Float64Array;
  /** Over the finite values; both 0 where there are none. */
  low: number;
  high: number;
}

/** The axes that lie down and across; a vector has no rows, a scalar neither. */
export interface Axes {
  row: number;
  column: number;
}

/**
 * Pairs of neighbouring axes that a picture may show, the likely one first. Axes of one element
 * have nothing to show and lie between no others; of one long axis there is a row.
 */
export function axesOf({ shape }: Tensor): Axes[] {
  const rank = shape.length;
  if (rank < 3) return [{ row: rank - 2, column: rank - 1 }];
  const long = shape.flatMap((extent, axis) => (extent === 1 ? [] : [axis]));
  if (long.length < 2) return [{ row: -1, column: long[0] ?? rank - 1 }];
  const pairs = long.slice(1).map((column, i) => ({ row: long[i]!, column })).reverse();
  // Of four axes two of one size are an image's: channels-last tensors have them in the middle.
  const square = ({ row, column }: Axes): boolean =>
    shape[row] === shape[column] && shape[row]! > 1;
  const likely = (rank === 4 ? pairs.find(square) : undefined) ?? pairs[0]!;
  return [likely, ...pairs.filter((pair) => pair !== likely)];
}

const isRest = (axis: number, { row, column }: Axes): boolean => axis !== row && axis !== column;

export function sliceCount({ shape }: Tensor, axes: Axes): number {
  return shape.reduce((count, extent, axis) => (isRest(axis, axes) ? count * extent : count), 1);
}

/** Where a slice begins: an index for each axis, 0 for those that are shown. */
function indexOf({ shape }: Tensor, axes: Axes, slice: number): number[] {
  const index = shape.map(() => 0);
  let rest = slice;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    if (!isRest(axis, axes)) continue;
    index[axis] = rest % shape[axis]!;
    rest = Math.floor(rest / shape[axis]!);
  }
  return index;
}

/** "[0, 3, :, :]" for slice number 3 of f32[1, 8, 14, 14]. */
export function sliceName(tensor: Tensor, axes: Axes, slice: number): string {
  const index = indexOf(tensor, axes, slice);
  return `[${index.map((at, axis) => (isRest(axis, axes) ? at : ':')).join(', ')}]`;
}

/** Elements from one index of an axis to the next, for each axis. */
function stridesOf({ shape }: Tensor): number[] {
  const strides = shape.map(() => 1);
  for (let axis = shape.length - 2; axis >= 0; axis--) {
    strides[axis] = strides[axis + 1]! * shape[axis + 1]!;
  }
  return strides;
}

function rangeOf(values: Float64Array): [low: number, high: number] {
  let low = Infinity,
    high = -Infinity;
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return low <= high ? [low, high] : [0, 0];
}

/** The numbers along two axes at a position of the others. */
export function sliceOf(tensor: Tensor, axes: Axes, slice: number): Slice {
  const { shape } = tensor;
  const strides = stridesOf(tensor);
  const rows = shape[axes.row] ?? 1,
    columns = shape[axes.column] ?? 1;
  const down = strides[axes.row] ?? 0,
    across = strides[axes.column] ?? 0;
  const start = indexOf(tensor, axes, slice).reduce(
    (sum, at, axis) => sum + at * strides[axis]!,
    0,
  );
  const values = new Float64Array(rows * columns);
  for (let i = 0; i < values.length; i++) {
    const y = Math.floor(i / columns),
      x = i % columns;
    values[i] = elementAt(tensor, start + y * down + x * across);
  }
  const [low, high] = rangeOf(values);
  return { rows, columns, values, low, high };
}

// Five points of cividis, which reads the same with and without red and green.
const kRamp = [
  [0, 34, 78],
  [66, 78, 108],
  [124, 123, 120],
  [187, 173, 108],
  [254, 232, 56],
];

/** How wide a picture is for its height: long ones are stretched, so that they can be seen. */
export function pictureRatio({ rows, columns }: Slice): number {
  const kLongest = 6;
  return Math.min(Math.max(columns / Math.max(rows, 1), 1 / kLongest), kLongest);
}

/** [red, green, blue] for a fraction of the range. */
export function rampColour(fraction: number): [number, number, number] {
  const at = Math.min(Math.max(fraction, 0), 1) * (kRamp.length - 1);
  const low = Math.min(Math.floor(at), kRamp.length - 2);
  const mix = (channel: number): number => {
    const from = kRamp[low]![channel]!,
      to = kRamp[low + 1]![channel]!;
    return Math.round(from + (to - from) * (at - low));
  };
  return [mix(0), mix(1), mix(2)];
}

/** RGBA pixels of a slice, row by row. What is not finite is transparent. */
export function heatmap({ values, low, high }: Slice): Uint8ClampedArray<ArrayBuffer> {
  const pixels = new Uint8ClampedArray(values.length * 4);
  const span = high > low ? high - low : 1;
  values.forEach((value, i) => {
    if (Number.isFinite(value)) pixels.set([...rampColour((value - low) / span), 255], i * 4);
  });
  return pixels;
}
