// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { parseNpy } from '../../../web/src/model/npy.js';
import {
  colourAt, crossPixel, defaultView, keepView, picturePixels, rangeOf, viewName,
} from '../../../web/src/model/tensor-picture.js';
import {
  csvText, elementText, hexLines, npyBytes, specialKind,
} from '../../../web/src/model/tensor-text.js';

const f32 = (shape: number[], ...values: number[]) =>
  ({ dtype: 'f32', shape, data: Float32Array.from(values) });

describe('elements as text', () => {
  it('have three formats', () => {
    const one = f32([1], 1);
    expect(elementText(one, 0, 'g')).toBe('1');
    expect(elementText(one, 0, 'hex')).toBe('3f800000');
    expect(elementText(one, 0, 'bits')).toBe('00111111 10000000 00000000 00000000');
  });

  it('say what is special', () => {
    const tensor = f32([6], NaN, Infinity, -0, 1e-40, 0, 1);
    expect([0, 1, 2, 3, 4, 5].map((i) => specialKind(tensor, i)))
      .toEqual(['nan', 'infinite', 'negative zero', 'denormal', '', '']);
  });

  it('are files that come back', () => {
    const tensor = f32([2, 2], 1, -2.5, NaN, 4);
    expect(parseNpy(npyBytes(tensor)!)).toEqual(tensor);
    expect(npyBytes(f32([3], 1, 2, 3))!.length % 4).toBe(0);
    expect(npyBytes({ dtype: 'f8e4m3', shape: [1], data: new Uint8Array(1) })).toBeUndefined();
    expect(csvText(tensor)).toBe('1,-2.5\nNaN,4\n');
  });

  it('are bytes by 16', () => {
    const lines = hexLines({ dtype: 'u8', shape: [17], data: new Uint8Array(17).fill(65) });
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/^00000000 {2}(41 ){15}41 {2}A{16}$/);
  });
});

describe('views', () => {
  it('begin with the likely axes', () => {
    expect(defaultView([1, 28, 28, 16])).toMatchObject({ rowAxis: 1, columnAxis: 2 });
    expect(defaultView([1, 1000, 1, 1])).toMatchObject({ rowAxis: -1, columnAxis: 1 });
    expect(defaultView([5])).toMatchObject({ rowAxis: -1, columnAxis: 0 });
    expect(defaultView([])).toMatchObject({ rowAxis: -1, columnAxis: -1 });
  });

  it('are kept as far as the next shape has them', () => {
    const view = { rowAxis: 0, columnAxis: 1, index: [0, 0, 7] };
    expect(keepView(view, [2, 2, 4]).index).toEqual([0, 0, 3]);
    expect(keepView(view, [2, 2])).toEqual(defaultView([2, 2]));
    expect(viewName(view)).toBe('[:, :, 7]');
  });
});

describe('pictures', () => {
  const plane = (...values: number[]) => Float32Array.from(values);

  it('are about zero where both signs occur', () => {
    expect(rangeOf({ low: plane(-1, 2), high: plane(-1, 4) }))
      .toEqual({ low: -4, high: 4, diverging: true });
    expect(rangeOf({ low: plane(1, 2), high: plane(1, 4) }))
      .toEqual({ low: 1, high: 4, diverging: false });
    expect(rangeOf({ low: plane(NaN), high: plane(NaN) })).toMatchObject({ low: 0, high: 0 });
  });

  it('show what is not finite as black and white crosses, which no colour is', () => {
    const mean = plane(0, NaN);
    const picture = {
      rows: 1, columns: 2, mean, low: mean, high: plane(1, NaN), bad: plane(0, 1),
    };
    const scale = 5;
    const pixels = picturePixels(picture, rangeOf(picture), scale);
    const at = (x: number, y: number) =>
      [...pixels.subarray((y * 10 + x) * 4, (y * 10 + x) * 4 + 4)];
    expect(at(5, 0)).toEqual([0, 0, 0, 255]);
    expect(at(7, 2)).toEqual([0, 0, 0, 255]);
    expect(at(7, 0)).toEqual([255, 255, 255, 255]);
    expect(at(0, 0)).toEqual([...colourAt(0, rangeOf(picture)), 255]);
    expect(crossPixel(0, 0, 1, 0)).not.toBe(crossPixel(0, 0, 1, 1));
  });
});
