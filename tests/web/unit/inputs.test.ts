// SPDX-License-Identifier: Apache-2.0
import type { Parameter, Tensor } from 'tern-runtime';
import { describe, expect, it } from 'vitest';
import {
  defaultExtents,
  evaluateExtent,
  InputError,
  lcg,
  makeInput,
  symbolsOf,
  takesDrawing,
} from '../../../web/src/model/inputs.js';
import { parseNpy } from '../../../web/src/model/npy.js';
import { elementAt } from '../../../web/src/model/elements.js';

function param(dtype: string, shape: (number | string)[], name = 'x'): Parameter {
  return { name, type: `${dtype}[${shape.join(', ')}]`, dtype, shape };
}
const info = (...params: Parameter[]) => ({
  name: 'main',
  params,
  results: [],
  first: 0,
  count: 0,
  registers: 0,
});

function codeOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    if (error instanceof InputError) return error.code;
    throw error;
  }
  return 'no error';
}

describe('dimensions', () => {
  it('collects names from plain and computed extents, once each', () => {
    const names = symbolsOf(info(param('f32', ['n', 3, '2*h']), param('i64', ['h', 'w', 'n'])));
    expect(names).toEqual(['n', 'h', 'w']);
  });
  it('gives batches 1 and the others room', () => {
    expect(defaultExtents(info(param('f32', ['n', 3, 'h', 'w'])))).toEqual({ n: 1, h: 32, w: 32 });
  });
  it('computes sums of products', () => {
    expect(evaluateExtent('2*n + 3', { n: 5 })).toBe(13);
    expect(evaluateExtent(7, {})).toBe(7);
    expect(evaluateExtent('n', {})).toBe(1);
    expect(evaluateExtent('?', {})).toBe(1);
  });
});

describe('makeInput', () => {
  it('draws the numbers that model folders draw', () => {
    const random = lcg(1);
    expect(random.next().value).toBeCloseTo((1015568748 >>> 8) / 16777216, 12);
    const { data } = makeInput(
      param('f32', [2, 2]),
      { fill: 'random', seed: 1 },
      {},
      undefined,
    ) as Tensor;
    expect(data[0]).toBeCloseTo(1015568748 / 2 ** 32, 6);
    expect(new Set(data as Float32Array).size).toBe(4);
  });
  it('gives the same numbers for the same seed, others for another', () => {
    const make = (seed: number) =>
      (makeInput(param('f32', [16]), { fill: 'random', seed }, {}, undefined) as Tensor).data;
    expect(make(3)).toEqual(make(3));
    expect(make(3)).not.toEqual(make(4));
  });
  it('draws integers, bools and 16-bit floats by chance too', () => {
    const make = (dtype: string) =>
      makeInput(param(dtype, [200]), { fill: 'random', seed: 1 }, {}, undefined) as Tensor;
    for (const [dtype, below] of [['i32', 8], ['i64', 8], ['u8', 8], ['bool', 2]] as const) {
      const values = Array.from(make(dtype).data as Int32Array, Number);
      expect(new Set(values).size, dtype).toBe(below);
      expect(Math.min(...values)).toBe(0);
      expect(Math.max(...values)).toBe(below - 1);
    }
    for (const dtype of ['f16', 'bf16']) {
      const tensor = make(dtype);
      const values = Array.from({ length: 200 }, (_, i) => elementAt(tensor, i));
      expect(values.filter((value) => !Number.isInteger(value * 256))).toEqual([]);
      expect(Math.min(...values), dtype).toBeLessThan(0.1);
      expect(Math.max(...values), dtype).toBeGreaterThan(0.9);
      expect(Math.max(...values), dtype).toBeLessThan(1);
    }
  });
  it.each([
    ['f32', 1],
    ['i64', 1n],
    ['bool', 1],
    ['f16', 0x3c00],
    ['bf16', 0x3f80],
  ])('knows one in %s', (dtype, one) => {
    const { data } = makeInput(param(dtype, [3]), { fill: 'ones' }, {}, undefined) as Tensor;
    expect(Array.from(data as Float32Array)).toEqual([one, one, one]);
  });
  it('gives a float by chance a fraction: a whole number would come as an int', () => {
    const float = { name: 'x', type: 'float' } as Parameter;
    for (const seed of [1, 2, 3]) {
      const value = makeInput(float, { fill: 'random', seed }, {}, undefined) as number;
      expect(Number.isInteger(value)).toBe(false);
      expect(value).toBeGreaterThan(0);
      expect(value).toBeLessThan(1);
    }
  });
  it('puts the drawing into every image of a batch', () => {
    const drawing = new Float32Array(784).fill(9);
    const tensor = makeInput(
      param('f32', ['n', 1, 28, 28]),
      { fill: 'drawing' },
      { n: 2 },
      drawing,
    ) as Tensor;
    expect(tensor.shape).toEqual([2, 1, 28, 28]);
    expect((tensor.data as Float32Array).every((v) => v === 9)).toBe(true);
  });
  it('leaves a missing drawing blank, and takes scalars', () => {
    const tensor = makeInput(
      param('f32', [1, 1, 28, 28]),
      { fill: 'drawing' },
      {},
      undefined,
    ) as Tensor;
    expect((tensor.data as Float32Array).every((v) => v === 0)).toBe(true);
    expect(makeInput({ name: 'n', type: 'int' }, { fill: 'ones' }, {}, undefined)).toBe(1);
  });
  it('takes drawings only for images of 28 by 28', () => {
    expect(takesDrawing(param('f32', ['n', 1, 28, 28]))).toBe(true);
    expect(takesDrawing(param('f32', [1, 3, 28, 28]))).toBe(false);
    expect(takesDrawing(param('u8', [1, 1, 28, 28]))).toBe(false);
    expect(takesDrawing({ name: 'x', type: 'any' })).toBe(false);
  });
});

describe('inputs that cannot be made', () => {
  it('refuses what would not fit in memory', () => {
    const huge = param('f32', ['n', 65536]);
    expect(codeOf(() => makeInput(huge, { fill: 'zeros' }, { n: 65536 }, undefined))).toBe('E0203');
    expect(codeOf(() => makeInput(huge, { fill: 'zeros' }, { n: Infinity }, undefined))).toBe(
      'E0203',
    );
  });
  it('refuses types without an array', () => {
    expect(codeOf(() => makeInput(param('string', [2]), { fill: 'zeros' }, {}, undefined))).toBe(
      'E0205',
    );
    expect(
      codeOf(() => makeInput({ name: 'f', type: 'closure' }, { fill: 'zeros' }, {}, undefined)),
    ).toBe('E0205');
  });
});

/** A .npy file by its header and data. */
function npy(header: string, data: number[], version = 1): Uint8Array {
  const text = new TextEncoder().encode(header);
  const length = version === 1 ? [text.length & 255, text.length >> 8] : [text.length, 0, 0, 0];
  return new Uint8Array([
    0x93,
    0x4e,
    0x55,
    0x4d,
    0x50,
    0x59,
    version,
    0,
    ...length,
    ...text,
    ...data,
  ]);
}
const kHeader = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }\n";
const kTwoFloats = [0, 0, 128, 63, 0, 0, 0, 192];

describe('parseNpy', () => {
  it.each([1, 2])('reads version %d', (version) => {
    const tensor = parseNpy(npy(kHeader, kTwoFloats, version));
    expect(tensor).toMatchObject({ dtype: 'f32', shape: [1, 2] });
    expect([...(tensor.data as Float32Array)]).toEqual([1, -2]);
  });
  it('reads a scalar and a vector', () => {
    expect(parseNpy(npy(kHeader.replace('(1, 2)', '()'), kTwoFloats.slice(4))).shape).toEqual([]);
    expect(parseNpy(npy(kHeader.replace('(1, 2)', '(2,)'), kTwoFloats)).shape).toEqual([2]);
  });
  it.each<[string, Uint8Array, RegExp]>([
    ['nothing', new Uint8Array(), /NumPy’s mark/],
    ['another file', new TextEncoder().encode('<!doctype html>'), /NumPy’s mark/],
    ['a header cut short', npy(kHeader, []).subarray(0, 30), /within its header/],
    ['a wide header cut short', npy(kHeader, [], 2).subarray(0, 11), /within its header/],
    ['data cut short', npy(kHeader, kTwoFloats.slice(1)), /7 bytes of data.*takes 8/],
    ['too much data', npy(kHeader, [...kTwoFloats, 0]), /9 bytes/],
    ['big-endian numbers', npy(kHeader.replace('<f4', '>f4'), kTwoFloats), /'>f4'/],
    ['complex numbers', npy(kHeader.replace('<f4', '<c8'), kTwoFloats), /'<c8'/],
    ['Fortran order', npy(kHeader.replace('False', 'True'), kTwoFloats), /Fortran/],
    ['no shape', npy("{'descr': '<f4', 'fortran_order': False}", kTwoFloats), /no readable shape/],
    [
      'a negative shape',
      npy(kHeader.replace('(1, 2)', '(-1, 2)'), kTwoFloats),
      /no readable shape/,
    ],
  ])('refuses %s', (_, file, message) => {
    expect(() => parseNpy(file)).toThrow(message);
    expect(codeOf(() => parseNpy(file))).toBe('E0502');
  });
});
