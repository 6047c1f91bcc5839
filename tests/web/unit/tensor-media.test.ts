// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import {
  type ImageAxes, mediaAxes, mediaPixels, pictureRange, samplesOf, waveFile,
} from '../../../web/src/model/tensor-media.js';

const f32 = (shape: number[], data: number[]) =>
  ({ dtype: 'f32', shape, data: new Float32Array(data) });

describe('what a tensor may be besides numbers', () => {
  it.each([
    ['f32', [1, 3, 8, 9], { kind: 'image', height: 2, width: 3, channels: 1 }],
    ['u8', [8, 9, 3], { kind: 'image', height: 0, width: 1, channels: 2 }],
    ['f32', [2, 8, 9, 4], { kind: 'image', height: 1, width: 2, channels: 3 }],
    ['f32', [16000], { kind: 'sound', time: 0 }],
    ['f16', [1, 1, 400], { kind: 'sound', time: 2 }],
  ])('%s%j', (dtype, shape, axes) => expect(mediaAxes({ dtype, shape })).toEqual(axes));

  it.each([
    ['f32', []], ['f32', [3]], ['f32', [28, 28]], ['f32', [2, 8, 8]], ['f32', [3, 3, 3]],
    ['i64', [8, 8, 3]], ['f32', [399]], ['i32', [16000]], ['f32', [2, 16000]], ['f32', [0]],
    ['f32', [3, 4096, 4096]], ['bool', [8, 8, 3]],
  ])('%s%j is neither', (dtype, shape) =>
    expect(mediaAxes({ dtype, shape })).toBeUndefined());
});

describe('pictures', () => {
  const axes = (shape: number[]) => mediaAxes({ dtype: 'f32', shape }) as ImageAxes;
  const count = 16;

  it('are the same with colours last and colours first', () => {
    const planes = Array.from({ length: 3 * count }, (_, i) => i / (3 * count));
    const last = Array.from({ length: 3 * count }, (_, i) =>
      planes[(i % 3) * count + Math.floor(i / 3)]!);
    const range = { low: 0, high: 1 };
    const first = mediaPixels(f32([3, 4, 4], planes), axes([3, 4, 4]), range);
    expect(mediaPixels(f32([4, 4, 3], last), axes([4, 4, 3]), range)).toEqual(first);
    expect([...first.pixels.slice(4, 8)])
      .toEqual([1, 17, 33].map((i) => Math.round((255 * i) / 48)).concat(255));
    expect(first.bad).toBe(0);
  });

  it('show what is no number, and count it', () => {
    const tensor = f32([4, 4, 3], Array(48).fill(0.5));
    tensor.data[4] = NaN;
    tensor.data[5] = Infinity;
    const { pixels, bad } = mediaPixels(tensor, axes([4, 4, 3]), pictureRange(tensor));
    expect(bad).toBe(1);
    expect([0, 255]).toContain(pixels[4]);
    expect(pixels[4]).toBe(pixels[5]);
    expect(pixels[0]).toBe(128);
  });

  it('have the range of bytes, of fractions, or their own', () => {
    const of = (...values: number[]) => pictureRange(f32([values.length], values));
    expect(of(0.2, 0.9)).toEqual({ low: 0, high: 1 });
    expect(of(3, 200)).toEqual({ low: 0, high: 255 });
    expect(of(-2, 2)).toEqual({ low: -2, high: 2 });
    expect(of(300, 900)).toEqual({ low: 300, high: 900 });
    expect(of(-5, -5)).toEqual({ low: -5, high: -4 });
    expect(of(NaN, Infinity)).toEqual({ low: 0, high: 1 });
    expect(pictureRange({ dtype: 'u8', shape: [1], data: Uint8Array.of(9) }))
      .toEqual({ low: 0, high: 255 });
  });
});

describe('sounds', () => {
  it('stay within what can be played', () => {
    expect([...samplesOf(f32([5], [0.5, 3, -3, NaN, -Infinity]))]).toEqual([0.5, 1, -1, 0, 0]);
  });
  it('are WAVE files of 16 bits', () => {
    const bytes = waveFile(Float32Array.of(0, 1, -1), 16000);
    const view = new DataView(bytes.buffer);
    expect(Buffer.from(bytes.slice(0, 4)).toString()).toBe('RIFF');
    expect([view.getUint32(4, true), view.getUint32(24, true), view.getUint32(40, true)])
      .toEqual([bytes.length - 8, 16000, 6]);
    expect([0, 2, 4].map((at) => view.getInt16(44 + at, true))).toEqual([0, 32767, -32767]);
  });
});
