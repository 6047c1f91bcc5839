// SPDX-License-Identifier: Apache-2.0
// Tensors as pictures and tables: number access for every dtype, slices of the last two axes, the
// range of a slice, and a colour for each value.
import type { Tensor } from 'tern-runtime';

export interface Slice {
  rows: number;
  columns: number;
  values: Float64Array;
  /** Over the finite values; both 0 where there are none. */
  low: number;
  high: number;
}

function fromBits16(bits: number, exponentBits: number, fractionBits: number): number {
  const sign = bits >> 15 ? -1 : 1;
  const exponent = (bits >> fractionBits) & ((1 << exponentBits) - 1);
  const fraction = (bits & ((1 << fractionBits) - 1)) / (1 << fractionBits);
  const bias = (1 << (exponentBits - 1)) - 1;
  if (exponent === (1 << exponentBits) - 1) return fraction ? NaN : sign * Infinity;
  if (exponent === 0) return sign * fraction * 2 ** (1 - bias);
  return sign * (1 + fraction) * 2 ** (exponent - bias);
}

/** One element as a number; f16 and bf16 come as their bits. */
export function elementAt({ dtype, data }: Tensor, index: number): number {
  const raw = Number(data[index]);
  if (dtype === 'f16') return fromBits16(raw, 5, 10);
  if (dtype === 'bf16') return fromBits16(raw, 8, 7);
  return raw;
}

export function sliceCount({ shape }: Tensor): number {
  return shape.slice(0, -2).reduce((a, b) => a * b, 1);
}

/** "[0, 3, :, :]" for slice number 3 of f32[1, 8, 14, 14]. */
export function sliceName({ shape }: Tensor, slice: number): string {
  const index: (number | string)[] = shape.slice(-2).map(() => ':');
  let rest = slice;
  for (const extent of shape.slice(0, -2).reverse()) {
    index.unshift(rest % extent);
    rest = Math.floor(rest / extent);
  }
  return `[${index.join(', ')}]`;
}

/** The last two axes at a position of the others; a vector is one row. */
export function sliceOf(tensor: Tensor, slice: number): Slice {
  const { shape } = tensor;
  const columns = shape.at(-1) ?? 1;
  const rows = shape.at(-2) ?? 1;
  const values = new Float64Array(rows * columns);
  let low = Infinity, high = -Infinity;
  for (let i = 0; i < values.length; i++) {
    const value = elementAt(tensor, slice * values.length + i);
    values[i] = value;
    if (!Number.isFinite(value)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return low <= high ? { rows, columns, values, low, high } : { rows, columns, values, low: 0, high: 0 };
}

// Five points of cividis, which reads the same with and without red and green.
const kRamp = [[0, 34, 78], [66, 78, 108], [124, 123, 120], [187, 173, 108], [254, 232, 56]];

/** [red, green, blue] for a fraction of the range. */
export function rampColour(fraction: number): [number, number, number] {
  const at = Math.min(Math.max(fraction, 0), 1) * (kRamp.length - 1);
  const low = Math.min(Math.floor(at), kRamp.length - 2);
  const mix = (channel: number): number => {
    const from = kRamp[low]![channel]!, to = kRamp[low + 1]![channel]!;
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
