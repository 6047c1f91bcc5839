// SPDX-License-Identifier: Apache-2.0
// Tensors that are pictures or sounds: told by their shapes, and made into pixels and WAVE files.
// Which numbers are black and white is told too, since nothing in a tensor says it.
import type { Tensor } from 'tern-runtime';
import { elementAt } from './elements.js';
import { crossPixel } from './tensor-picture.js';

export interface ImageAxes {
  readonly kind: 'image';
  readonly height: number;
  readonly width: number;
  /** The axis of 3 colours, or of 4 with how opaque it is. */
  readonly channels: number;
}

export interface SoundAxes {
  readonly kind: 'sound';
  /** The axis of the samples. */
  readonly time: number;
}

export type MediaAxes = ImageAxes | SoundAxes;

const kFewestPixels = 4;
/** Pixels of one picture; larger ones are seen as heatmaps, of which a part is computed. */
const kMostPixels = 2 ** 22;
const kFewestSamples = 400;
/** Ten minutes at 16 kHz. */
const kMostSamples = 2 ** 24;
const kSounding = ['f16', 'bf16', 'f32', 'f64'];

const isColours = (extent: number | undefined): boolean => extent === 3 || extent === 4;

function imageAxes(shape: readonly number[]): ImageAxes | undefined {
  const rank = shape.length;
  if (rank < 3) return undefined;
  const isImage = (height: number, width: number): boolean => {
    const [rows, columns] = [shape[height]!, shape[width]!];
    return Math.min(rows, columns) >= kFewestPixels && rows * columns <= kMostPixels;
  };
  // Colours last, as in files of pictures, or before height and width, as models of ONNX want them.
  if (isColours(shape[rank - 1]) && isImage(rank - 3, rank - 2))
    return { kind: 'image', height: rank - 3, width: rank - 2, channels: rank - 1 };
  if (isColours(shape[rank - 3]) && isImage(rank - 2, rank - 1))
    return { kind: 'image', height: rank - 2, width: rank - 1, channels: rank - 3 };
  return undefined;
}

/** What else than numbers a tensor may be; undefined for what is neither picture nor sound. */
export function mediaAxes(
  { dtype, shape }: { dtype: string; shape: readonly number[] },
): MediaAxes | undefined {
  const image = dtype === 'u8' || kSounding.includes(dtype) ? imageAxes(shape) : undefined;
  if (image) return image;
  const time = shape.findIndex((extent) => extent > 1);
  const count = shape[time] ?? 0;
  const isRow = shape.every((extent, axis) => axis === time || extent === 1);
  const isLong = count >= kFewestSamples && count <= kMostSamples;
  return isRow && isLong && kSounding.includes(dtype) ? { kind: 'sound', time } : undefined;
}

/** The numbers that are black and white. */
export interface ValueRange {
  readonly low: number;
  readonly high: number;
}

/** Bytes and fractions as pictures have them; other numbers from the least to the largest. */
export function pictureRange(tensor: Tensor): ValueRange {
  if (tensor.dtype === 'u8') return { low: 0, high: 255 };
  let low = Infinity;
  let high = -Infinity;
  for (let i = 0; i < tensor.data.length; i++) {
    const value = elementAt(tensor, i);
    if (!Number.isFinite(value)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (low > high) return { low: 0, high: 1 };
  if (low >= 0 && high <= 1) return { low: 0, high: 1 };
  if (low >= 0 && high <= 255 && high > 2) return { low: 0, high: 255 };
  return { low, high: high > low ? high : low + 1 };
}

export interface MediaPixels {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8ClampedArray<ArrayBuffer>;
  /** Pixels with NaN or infinity: black and white by turns. */
  readonly bad: number;
}

/** RGBA of one picture, which is all that the tensor holds. */
export function mediaPixels(
  tensor: Tensor, axes: ImageAxes, { low, high }: ValueRange,
): MediaPixels {
  const { shape } = tensor;
  const [height, width, channels] =
    [shape[axes.height]!, shape[axes.width]!, shape[axes.channels]!];
  const isLast = axes.channels > axes.width;
  const pixels = new Uint8ClampedArray(width * height * 4);
  const scale = 255 / (high - low);
  let bad = 0;
  for (let pixel = 0; pixel < width * height; pixel++) {
    let isBad = false;
    pixels[pixel * 4 + 3] = 255;
    for (let channel = 0; channel < channels; channel++) {
      const at = isLast ? pixel * channels + channel : channel * width * height + pixel;
      const value = elementAt(tensor, at);
      if (!Number.isFinite(value)) isBad = true;
      else pixels[pixel * 4 + channel] = (value - low) * scale;
    }
    if (!isBad) continue;
    bad++;
    const shade = crossPixel(0, 0, 1, (pixel % width) + Math.floor(pixel / width));
    pixels.set([shade, shade, shade, 255], pixel * 4);
  }
  return { width, height, pixels, bad };
}

/** Samples between -1 and 1; what is no number is silence. */
export function samplesOf(tensor: Tensor): Float32Array<ArrayBuffer> {
  return Float32Array.from({ length: tensor.data.length }, (_, i) => {
    const value = elementAt(tensor, i);
    return Number.isFinite(value) ? Math.min(Math.max(value, -1), 1) : 0;
  });
}

/** A WAVE file of one channel of 16 bits. */
export function waveFile(samples: Float32Array, rate: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(44 + samples.length * 2);
  const view = new DataView(bytes.buffer);
  const text = (at: number, letters: string): void =>
    bytes.set([...letters].map((letter) => letter.charCodeAt(0)), at);
  text(0, 'RIFF');
  view.setUint32(4, bytes.length - 8, true);
  text(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true); // uncompressed
  view.setUint16(22, 1, true);
  view.setUint32(24, rate, true);
  view.setUint32(28, rate * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  text(36, 'data');
  view.setUint32(40, samples.length * 2, true);
  samples.forEach((sample, i) => view.setInt16(44 + i * 2, Math.round(sample * 32767), true));
  return bytes;
}
