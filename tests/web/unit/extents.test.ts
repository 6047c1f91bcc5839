// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { kExtents, stopOf } from '../../../web/src/model/extents.js';

describe('stops of a slider of extents', () => {
  it('go from 1 to 4096, each once, upwards, through all powers of two', () => {
    expect(kExtents[0]).toBe(1);
    expect(kExtents.at(-1)).toBe(4096);
    expect([...kExtents].sort((a, b) => a - b)).toEqual(kExtents);
    expect(new Set(kExtents).size).toBe(kExtents.length);
    for (let power = 1; power <= 4096; power *= 2) expect(kExtents).toContain(power);
  });

  it('are found by the extent that is nearest', () => {
    kExtents.forEach((extent, stop) => expect(stopOf(extent)).toBe(stop));
    expect(kExtents[stopOf(0)]).toBe(1);
    expect(kExtents[stopOf(1000)]).toBe(1024);
    expect(kExtents[stopOf(71)]).toBe(76);
    expect(kExtents[stopOf(69)]).toBe(64);
    expect(kExtents[stopOf(1e9)]).toBe(4096);
  });
});
