// SPDX-License-Identifier: Apache-2.0
// NumPy's archives, and pictures and sounds as tensors. The archives are NumPy's own.
import { describe, expect, it } from 'vitest';
import type { Parameter } from 'tern-runtime';
import { inputKind } from '../../../web/src/model/file-kind.js';
import { InputError } from '../../../web/src/model/inputs.js';
import {
  fits, pictureSize, pictureTensor, soundTensor, symbolsFrom, takesSound,
} from '../../../web/src/model/media-inputs.js';
import { parseNpz } from '../../../web/src/model/npz.js';

const bytesOf = (base64: string): Uint8Array => new Uint8Array(Buffer.from(base64, 'base64'));

/** numpy.savez_compressed(f, x=numpy.array([[1.5, -2, 0.25]], 'f4'), k=numpy.array(7, 'i8')) */
const kPacked = bytesOf(
  'UEsDBBQAAAAIAAAAIQBbNLBmUQAAAIwAAAAFABQAeC5ucHkBABAAjAAAAAAAAABRAAAAAAAAAJvsF+obEMnIUMZQrZ' +
  '6SWpxcpG6loG6TZqKuo6Cell9UUpSYF59flJIKEndLzClOBYoXZyQWpAL5GoY6CsaaOgq1CmQDLgaGA/YMQIKBocEO' +
  'AFBLAwQUAAAACAAAACEAI7jwbEYAAACIAAAABQAUAGsubnB5AQAQAIgAAAAAAAAARgAAAAAAAACb7BfqGxDJyFDGUK' +
  '2eklqcXKRupaBuk2mhrqOgnpZfVFKUmBefX5SSChJ3S8wpTgWKF2ckFqQC+RqaOgq1ChQBLnYGCAAAUEsBAhQDFAAA' +
  'AAgAAAAhAFs0sGZRAAAAjAAAAAUAAAAAAAAAAAAAAIABAAAAAHgubnB5UEsBAhQDFAAAAAgAAAAhACO48GxGAAAAiA' +
  'AAAAUAAAAAAAAAAAAAAIABiAAAAGsubnB5UEsFBgAAAAACAAIAZgAAAAUBAAAAAA==',
);
/** numpy.savez(f, numpy.arange(4, dtype='u1')) */
const kStored = bytesOf(
  'UEsDBBQAAAAAAAAAIQAkA95YhAAAAIQAAAAJABQAYXJyXzAubnB5AQAQAIQAAAAAAAAAhAAAAAAAAACTTlVNUFkBAH' +
  'YAeydkZXNjcic6ICd8dTEnLCAnZm9ydHJhbl9vcmRlcic6IEZhbHNlLCAnc2hhcGUnOiAoNCwpLCB9ICAgICAgICAg' +
  'ICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgCgABAgNQSwECFAMUAAAAAA' +
  'AAACEAJAPeWIQAAACEAAAACQAAAAAAAAAAAAAAgAEAAAAAYXJyXzAubnB5UEsFBgAAAAABAAEANwAAAL8AAAAAAA==',
);

function param(dtype: string, shape: (number | string)[], name = 'x'): Parameter {
  return { name, type: `${dtype}[${shape.join(', ')}]`, dtype, shape };
}

async function failure(bytes: Uint8Array): Promise<string> {
  try {
    await parseNpz(bytes);
  } catch (error) {
    if (error instanceof InputError) return `${error.code}: ${error.message}`;
    throw error;
  }
  return 'no error';
}

describe('archives of arrays', () => {
  it('are read, packed or not, each array under its name', async () => {
    expect(await parseNpz(kPacked)).toEqual([
      { name: 'x', tensor: { dtype: 'f32', shape: [1, 3], data: Float32Array.of(1.5, -2, 0.25) } },
      { name: 'k', tensor: { dtype: 'i64', shape: [], data: BigInt64Array.of(7n) } },
    ]);
    expect(await parseNpz(kStored)).toEqual([
      { name: 'arr_0', tensor: { dtype: 'u8', shape: [4], data: Uint8Array.of(0, 1, 2, 3) } },
    ]);
  });
  it('are told from other archives', () => {
    expect(inputKind(kPacked)).toBe('archive');
    const other = kStored.slice();
    other.set(new TextEncoder().encode('.txt'), 30 + 'arr_0'.length);
    expect(inputKind(other)).toBeUndefined();
  });
  it('are refused where they are cut short, wherever that is', async () => {
    for (let length = 0; length < kPacked.length; length += 7) {
      const cut = kPacked.slice(0, length);
      expect(await failure(cut), `${length}`).toMatch(/^E0502: the \.npz file/);
    }
  });
  it('never give other numbers than were written, whatever bit is flipped', async () => {
    const whole = (await parseNpz(kPacked)).map(({ tensor }) => tensor);
    for (let at = 0; at < kPacked.length; at++) {
      const flipped = kPacked.slice();
      flipped[at]! ^= 1 << (at % 8);
      try {
        const tensors = (await parseNpz(flipped)).map(({ tensor }) => tensor);
        expect(tensors, `${at}`).toEqual(whole.slice(0, tensors.length));
      } catch (error) {
        expect(error, `${at}`).toBeInstanceOf(InputError);
      }
    }
  });
  it('claim no more than there is room for', async () => {
    const claims = kStored.slice();
    const end = claims.length - 22;
    const view = new DataView(claims.buffer);
    const list = view.getUint32(end + 16, true);
    view.setUint32(list + 24, 0xfffffff0, true);
    expect(await failure(claims)).toContain('claims more than 536870912 bytes');
    view.setUint32(list + 24, 132, true);
    view.setUint16(list + 10, 12, true);
    expect(await failure(claims)).toContain("packs 'arr_0' in a way that is not known here (12)");
  });
});

/** Two pixels: red, and a blue that is half as bright. */
const kPixels = {
  width: 2, height: 1, data: Uint8ClampedArray.of(255, 0, 0, 255, 0, 0, 128, 255),
} as ImageData;

describe('pictures', () => {
  it('come in the size that the parameter wants, or in their own', () => {
    const natural = { width: 640, height: 480 };
    expect(pictureSize(param('f32', ['n', 1, 28, 20]), natural)).toEqual({ width: 20, height: 28 });
    expect(pictureSize(param('u8', ['h', 'w', 3]), natural)).toEqual(natural);
    for (const none of [param('f32', [4]), param('i64', [28, 28]), param('f32', [1, 7, 28, 28])])
      expect(pictureSize(none, natural)).toBeUndefined();
  });
  it('are planes or pixels of colours, or grey', () => {
    const data = (parameter: Parameter) => Array.from(
      pictureTensor(parameter, kPixels).data as Float32Array, (value) => Number(value.toFixed(3)));
    expect(data(param('u8', [1, 3, 'h', 'w']))).toEqual([255, 0, 0, 0, 0, 128]);
    expect(data(param('f32', ['h', 'w', 3]))).toEqual([1, 0, 0, 0, 0, 0.502]);
    expect(data(param('f32', ['h', 'w']))).toEqual([0.299, 0.057]);
    expect(pictureTensor(param('u8', ['n', 1, 'h', 'w']), kPixels)).toEqual(
      { dtype: 'u8', shape: [1, 1, 1, 2], data: Uint8Array.of(76, 15) });
  });
});

describe('sounds', () => {
  it('are cut, or followed by silence, where the length is fixed', () => {
    const samples = Float32Array.of(0.5, -0.5, 0.25);
    expect(soundTensor(param('f32', ['batch', 2]), samples)).toEqual(
      { dtype: 'f32', shape: [1, 2], data: Float32Array.of(0.5, -0.5) });
    expect(soundTensor(param('f32', [5]), samples).data)
      .toEqual(Float32Array.of(0.5, -0.5, 0.25, 0, 0));
    expect(soundTensor(param('f32', ['n']), samples).shape).toEqual([3]);
  });
  it('fill floats in one row only', () => {
    expect(takesSound(param('f32', ['n']))).toBe(true);
    for (const none of [param('i64', ['n']), param('f32', [2, 'n']), param('f32', ['n', 1]),
      param('f32', [])])
      expect(takesSound(none), none.type).toBe(false);
  });
});

it('an array fits by type and fixed extents, and says what symbols stand for', () => {
  const array = { dtype: 'f32', shape: [5, 3], data: new Float32Array(15) };
  expect(fits(param('f32', ['n', 3]), array)).toBe(true);
  for (const other of [param('f64', ['n', 3]), param('f32', ['n', 4]), param('f32', ['n'])])
    expect(fits(other, array), other.type).toBe(false);
  expect(symbolsFrom(param('f32', ['n', 3]), array)).toEqual({ n: 5 });
  expect(symbolsFrom(param('f32', ['2*n', 3]), array)).toEqual({});
});
