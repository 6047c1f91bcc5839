// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { changeOf } from '../../../web/src/model/change.js';

describe('a time beside that of a baseline', () => {
  it('is more or less where it changed by more than the threshold', () => {
    expect(changeOf(111, 100, 10)).toBe('more');
    expect(changeOf(89, 100, 10)).toBe('less');
    expect(changeOf(100.5, 100, 0)).toBe('more');
  });

  it('is alike up to the threshold, and equal where nothing changed', () => {
    expect(changeOf(110, 100, 10)).toBe('alike');
    expect(changeOf(90, 100, 10)).toBe('alike');
    expect(changeOf(100, 100, 0)).toBe('equal');
    expect(changeOf(0, 0, 50)).toBe('equal');
  });

  it('is new without a baseline, and more than no time at all', () => {
    expect(changeOf(0, undefined, 50)).toBe('new');
    expect(changeOf(1, 0, 50)).toBe('more');
  });
});
