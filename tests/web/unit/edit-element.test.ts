// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { canBeWritten, flatIndex, withElement } from '../../../web/src/model/edit-element.js';

const f32 = { dtype: 'f32', shape: [2, 3], data: new Float32Array(6) };

describe('positions', () => {
  it('are one for each axis', () => {
    expect(flatIndex('1, 2', [2, 3])).toBe(5);
    expect(flatIndex(' 0,1 ', [2, 3])).toBe(1);
    expect(flatIndex('', [])).toBe(0);
  });
  it.each([
    ['1', [2, 3], 'has 1 positions'], ['', [2], 'has 0 positions'], ['2, 0', [2, 3], 'axis 0'],
    ['0, -1', [2, 3], 'axis 1'], ['0, x', [2, 3], 'axis 1'], ['0.5, 1', [2, 3], 'axis 0'],
    ['0', [0], 'axis 0'], ['0,,1', [2, 3], 'has 3 positions'],
  ])('%j of %j is none', (text, shape, message) =>
    expect(() => flatIndex(text, shape)).toThrow(message));
});

describe('elements', () => {
  it('are changed in a copy', () => {
    const made = withElement(f32, 5, ' -1.5e1 ');
    expect([...made.data as Float32Array]).toEqual([0, 0, 0, 0, 0, -15]);
    expect(f32.data[5]).toBe(0);
    expect(withElement(f32, 0, 'nan').data[0]).toBeNaN();
    expect(withElement(f32, 0, '-inf').data[0]).toBe(-Infinity);
  });
  it('fit their type, to its ends', () => {
    const of = (dtype: string, data: Int8Array | Uint8Array | BigInt64Array, text: string) =>
      withElement({ dtype, shape: [1], data }, 0, text).data[0];
    expect(of('i8', new Int8Array(1), '-128')).toBe(-128);
    expect(of('u8', new Uint8Array(1), '255')).toBe(255);
    expect(of('bool', new Uint8Array(1), 'true')).toBe(1);
    expect(of('i64', new BigInt64Array(1), '-9223372036854775808')).toBe(-(2n ** 63n));
    for (const [dtype, data, text] of [
      ['i8', new Int8Array(1), '128'], ['u8', new Uint8Array(1), '-1'],
      ['u8', new Uint8Array(1), '1.5'], ['bool', new Uint8Array(1), '2'],
      ['i64', new BigInt64Array(1), '9223372036854775808'],
    ] as const)
      expect(() => of(dtype, data, text), `${dtype} ${text}`).toThrow(text);
  });
  it.each(['', 'one', '0x10', '1,5', '--1', 'Infinity'])('%j is no float', (text) =>
    expect(() => withElement(f32, 0, text)).toThrow('is no number'));
  it('that come as bits cannot be written', () => {
    expect(['f16', 'bf16', 'string', 'f8e4m3'].filter(canBeWritten)).toEqual([]);
    expect(['f32', 'f64', 'i4', 'u64', 'bool'].filter(canBeWritten))
      .toEqual(['f32', 'f64', 'u64', 'bool']);
  });
});
