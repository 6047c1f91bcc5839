// SPDX-License-Identifier: Apache-2.0
import type { MachineState } from 'tern-runtime';
import { describe, expect, it } from 'vitest';
import { registerRows } from '../../../web/src/model/registers.js';

function state(values: Record<string, unknown>[], name = 'main', depth = 1): MachineState {
  const frame = {
    function: name,
    pc: 0,
    registers: values.map((value, index) => ({ index, value })),
  };
  return {
    state: 'paused',
    steps: 0,
    frames: Array.from({ length: depth }, () => frame),
    memory: { live: 0, peak: 0 },
  };
}

const kTensor = {
  kind: 'tensor',
  dtype: 'f32',
  shape: [2, 512],
  min: -1,
  mean: 0.25,
  max: 3.5,
  nan: 0,
  inf: 0,
  elements: [1, 2, 3, 4, 5, 6, 7, 8],
};

describe('registerRows', () => {
  it('marks what the step changed, and nothing at the start', () => {
    const before = state([{ kind: 'int', value: 1 }, { kind: 'none' }]);
    const after = state([{ kind: 'int', value: 1 }, kTensor]);
    expect(registerRows(after, before).map((row) => row.changed)).toEqual([false, true]);
    expect(registerRows(after, undefined).some((row) => row.changed)).toBe(false);
  });
  it('describes a tensor by type, range, mean and size', () => {
    expect(registerRows(state([kTensor]), undefined)[0]).toMatchObject({
      kind: 'tensor',
      type: 'f32[2, 512]',
      value: '−1 … 3.5, mean 0.25 · 4.0 KiB',
    });
  });
  it('writes small tensors and scalars out', () => {
    const rows = registerRows(
      state([
        { ...kTensor, shape: [2], elements: [0.5, -2] },
        { kind: 'float', value: 1.5 },
        { kind: 'shape', value: [2, 3] },
        { kind: 'tuple', size: 2, items: [] },
        { kind: 'bool', value: true },
      ]),
      undefined,
    );
    expect(rows.map((row) => row.value)).toEqual(['0.5, −2', '1.5', '[2, 3]', '', 'true']);
    expect(rows[3]!.type).toBe('tuple of 2');
  });
  it('does not compare frames of different functions or depths', () => {
    const before = state([{ kind: 'int', value: 1 }], 'other');
    const after = state([{ kind: 'int', value: 2 }]);
    expect(registerRows(after, before)[0]!.changed).toBe(false);
    expect(registerRows(after, state([{ kind: 'int', value: 1 }], 'main', 2))[0]!.changed).toBe(
      false,
    );
  });
});

describe('odd states', () => {
  it('has no rows without a frame', () => {
    expect(registerRows(undefined, undefined)).toEqual([]);
    expect(registerRows({ ...state([]), frames: [] }, state([kTensor]))).toEqual([]);
  });
  it('counts what is not a number, and has no range without any number', () => {
    const nothing = { kind: 'tensor', dtype: 'f32', shape: [100], nan: 98, inf: 2, elements: [] };
    expect(registerRows(state([nothing]), undefined)[0]!.value).toBe('400 B · 98 NaN · 2 ∞');
  });
  it('shows empty registers and unknown kinds', () => {
    const rows = registerRows(
      state([{ kind: 'none' }, {}, { kind: 'closure', text: 'closure(#1)' }]),
      undefined,
    );
    expect(rows.map((row) => row.empty)).toEqual([true, true, false]);
    expect(rows[2]!.value).toBe('closure(#1)');
  });
  it('survives a tensor of an unknown dtype', () => {
    const odd = { kind: 'tensor', dtype: 'q7', shape: [8] };
    expect(registerRows(state([odd]), undefined)[0]!.type).toBe('q7[8]');
  });
});
