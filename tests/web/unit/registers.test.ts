// SPDX-License-Identifier: Apache-2.0
import type { DebugState } from 'tern-runtime';
import { describe, expect, it } from 'vitest';
import { registerRows } from '../../../web/src/model/registers.js';

function state(values: Record<string, unknown>[], changed: number[] = []): DebugState {
  const registers = values.map((value, index) => ({
    index,
    value,
    changed: changed.includes(index),
  }));
  return {
    step: 0,
    past: false,
    frames: [{ function: 'main', pc: 0, instruction: '', registers }],
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
  it('shows the registers of the frame that is asked for', () => {
    const inner = state([{ kind: 'int', value: 1 }]);
    const outer = state([{ kind: 'int', value: 2 }, { kind: 'none' }]);
    const both = { frames: [...inner.frames, ...outer.frames] };
    expect(registerRows(both).map(({ value }) => value)).toEqual(['1']);
    expect(registerRows(both, 1)).toHaveLength(2);
    expect(registerRows(both, 2)).toEqual([]);
  });
  it('marks what the core says that the step changed', () => {
    const rows = registerRows(state([{ kind: 'int', value: 1 }, kTensor], [1]));
    expect(rows.map((row) => row.changed)).toEqual([false, true]);
  });
  it('describes a tensor by type, range, mean and size', () => {
    expect(registerRows(state([kTensor]))[0]).toMatchObject({
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
      ]));
    expect(rows.map((row) => row.value)).toEqual(['0.5, −2', '1.5', '[2, 3]', '', 'true']);
    expect(rows[3]!.type).toBe('tuple of 2');
  });
});

describe('odd states', () => {
  it('has no rows without a frame', () => {
    expect(registerRows(undefined)).toEqual([]);
    expect(registerRows({ ...state([]), frames: [] })).toEqual([]);
  });
  it('counts what is not a number, and has no range without any number', () => {
    const nothing = { kind: 'tensor', dtype: 'f32', shape: [100], nan: 98, inf: 2, elements: [] };
    expect(registerRows(state([nothing]))[0]!.value).toBe('400 B · 98 NaN · 2 ∞');
  });
  it('shows empty registers and unknown kinds', () => {
    const rows = registerRows(
      state([{ kind: 'none' }, {}, { kind: 'closure', text: 'closure(#1)' }]));
    expect(rows.map((row) => row.empty)).toEqual([true, true, false]);
    expect(rows[2]!.value).toBe('closure(#1)');
  });
  it('survives a tensor of an unknown dtype', () => {
    const odd = { kind: 'tensor', dtype: 'q7', shape: [8] };
    expect(registerRows(state([odd]))[0]!.type).toBe('q7[8]');
  });
});
