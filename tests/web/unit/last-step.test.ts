// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { lastStep } from '../../../web/src/model/last-step.js';
import { kProgram } from '../support/fake-worker.js';

const frame = (value: Record<string, unknown>, changed: boolean) => ({
  function: 'main',
  pc: 1,
  instruction: '',
  registers: [{ index: 0, value, changed }],
});

describe('lastStep', () => {
  it('says what was called and what it wrote', () => {
    const frames = [frame({ kind: 'tensor', dtype: 'f32', shape: [2] }, true)];
    expect(lastStep(kProgram, { lastPc: 0, frames })).toEqual({
      what: '0 add',
      result: '%0 f32[2]',
    });
  });
  it('says no more where nothing was written, or a register was emptied', () => {
    const one = { kind: 'int', value: 1 };
    const returned = { what: '3 ret', result: '' };
    expect(lastStep(kProgram, { lastPc: 3, frames: [frame(one, false)] })).toEqual(returned);
    expect(lastStep(kProgram, { lastPc: 3, frames: [frame({}, true)] })).toEqual(returned);
    expect(lastStep(kProgram, { lastPc: 3, frames: [] })).toEqual(returned);
  });
  it('is nothing at the beginning, and of an instruction that is not there', () => {
    expect(lastStep(kProgram, { frames: [] })).toBeUndefined();
    expect(lastStep(kProgram, { lastPc: 99, frames: [] })).toBeUndefined();
    expect(lastStep(kProgram, { lastPc: -1, frames: [] })).toBeUndefined();
  });
});
