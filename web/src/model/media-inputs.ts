// SPDX-License-Identifier: Apache-2.0
// Pictures and sounds as tensors: what a parameter has to be to take one, the size that it is
// wanted in, and the elements of it. Decoding is the browser's.
import type { Parameter, Tensor, TypedArray } from 'tern-runtime';

/** Samples are wanted at this rate: that of the speech models. */
export const kSampleRate = 16000;

type Extent = number | string;

/** How the last axes of a parameter are a picture's. */
interface PictureAxes {
  readonly height: number;
  readonly width: number;
  /** None for a picture of grey without an axis for it. */
  readonly channels?: number;
}

const isLeading = (extents: readonly Extent[]): boolean =>
  extents.every((extent) => extent === 1 || typeof extent === 'string');

const isOneOf = (extent: Extent | undefined): boolean => extent === 1 || extent === 3;

function axesOf({ shape = [] }: Parameter): PictureAxes | undefined {
  const rank = shape.length;
  if (rank < 2) return undefined;
  if (rank === 2) return { height: 0, width: 1 };
  const before = shape.slice(0, -3);
  if (!isLeading(before)) return undefined;
  if (isOneOf(shape[rank - 3]))
    return { channels: rank - 3, height: rank - 2, width: rank - 1 };
  if (isOneOf(shape[rank - 1]))
    return { height: rank - 3, width: rank - 2, channels: rank - 1 };
  return isLeading(shape.slice(0, -2)) ? { height: rank - 2, width: rank - 1 } : undefined;
}

const isSampled = ({ dtype }: Parameter): boolean => dtype === 'f32' || dtype === 'u8';

/** The size in which a parameter wants a picture; undefined for one that takes none. */
export function pictureSize(
  parameter: Parameter, natural: { width: number; height: number },
): { width: number; height: number } | undefined {
  const axes = axesOf(parameter);
  if (!axes || !isSampled(parameter)) return undefined;
  const extent = (axis: number, otherwise: number): number => {
    const wanted = parameter.shape![axis]!;
    return typeof wanted === 'number' ? wanted : otherwise;
  };
  return {
    width: extent(axes.width, natural.width), height: extent(axes.height, natural.height),
  };
}

/** Rec. 601, as most libraries make grey of colours. */
const grey = (pixels: Uint8ClampedArray, at: number): number =>
  0.299 * pixels[at]! + 0.587 * pixels[at + 1]! + 0.114 * pixels[at + 2]!;

function arrayFor(dtype: string, count: number): TypedArray {
  return dtype === 'u8' ? new Uint8Array(count) : new Float32Array(count);
}

/** Of pixels in RGBA. Floats are from 0 to 1, bytes from 0 to 255; opaque white lies behind. */
export function pictureTensor(
  parameter: Parameter, { data, width, height }: ImageData,
): Tensor {
  const axes = axesOf(parameter)!;
  const shape = parameter.shape!.map((extent) => (typeof extent === 'number' ? extent : 1));
  shape[axes.height] = height;
  shape[axes.width] = width;
  const channels = axes.channels === undefined ? 1 : shape[axes.channels]!;
  const isLast = axes.channels !== undefined && axes.channels > axes.width;
  const result = arrayFor(parameter.dtype!, width * height * channels);
  const share = parameter.dtype === 'u8' ? 1 : 1 / 255;
  for (let pixel = 0; pixel < width * height; pixel++) {
    for (let channel = 0; channel < channels; channel++) {
      const value = channels === 1 ? grey(data, 4 * pixel) : data[4 * pixel + channel]!;
      const at = isLast ? pixel * channels + channel : channel * width * height + pixel;
      result[at] = share === 1 ? Math.round(value) : value * share;
    }
  }
  return { dtype: parameter.dtype!, shape, data: result };
}

export function takesSound({ dtype, shape }: Parameter): boolean {
  return dtype === 'f32' && shape !== undefined && shape.length > 0 &&
    shape[shape.length - 1] !== 1 && isLeading(shape.slice(0, -1));
}

/** Cut to what the parameter wants, or followed by silence. */
export function soundTensor({ shape = [] }: Parameter, samples: Float32Array): Tensor {
  const last = shape[shape.length - 1]!;
  const count = typeof last === 'number' ? last : samples.length;
  const data = new Float32Array(count);
  data.set(samples.subarray(0, count));
  return { dtype: 'f32', shape: [...shape.slice(0, -1).map(() => 1), count], data };
}

/** Whether a tensor has the type and the fixed extents of a parameter. */
export function fits({ dtype, shape }: Parameter, tensor: Tensor): boolean {
  return dtype === tensor.dtype && shape?.length === tensor.shape.length &&
    shape.every((extent, axis) => typeof extent === 'string' || extent === tensor.shape[axis]);
}

/** What the symbols of a parameter stand for where a tensor fills it. */
export function symbolsFrom(
  { shape = [] }: Parameter, tensor: Tensor,
): Record<string, number> {
  return Object.fromEntries(shape.flatMap((extent, axis) =>
    (typeof extent === 'string' && /^[A-Za-z_]\w*$/.test(extent)
      ? [[extent, tensor.shape[axis]!]] : [])));
}
