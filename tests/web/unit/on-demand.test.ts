// SPDX-License-Identifier: Apache-2.0
// What is made when it is first needed: once, and again after a failure.
import { describe, expect, it } from 'vitest';
import { onDemand } from '../../../web/src/engine/on-demand.js';

/** Attempts whose ends are in the test's hands. */
function attempts() {
  const begun: { resolve: (made: string) => void; reject: (error: Error) => void }[] = [];
  const get = onDemand(() => new Promise<string>((resolve, reject) => {
    begun.push({ resolve, reject });
  }));
  return { begun, get };
}

describe('what is made on demand', () => {
  it('is made once, for all who ask', async () => {
    const { begun, get } = attempts();
    expect(begun).toHaveLength(0);
    const asked = [get(), get()];
    begun[0]!.resolve('engine');
    expect(await Promise.all(asked)).toEqual(['engine', 'engine']);
    expect(await get()).toBe('engine');
    expect(begun).toHaveLength(1);
  });

  it('is made again after a failure, which all who asked hear of', async () => {
    const { begun, get } = attempts();
    const asked = [get(), get()];
    begun[0]!.reject(new Error('offline'));
    for (const each of asked) await expect(each).rejects.toThrow('offline');
    const again = get();
    begun[1]!.resolve('engine');
    expect(await again).toBe('engine');
    expect(begun).toHaveLength(2);
  });

  it('is not given up for a failure of the attempt before', async () => {
    const { begun, get } = attempts();
    // Whoever hears of the failure first asks again at once.
    const first = get().catch(() => get());
    const second = get().catch(() => undefined);
    begun[0]!.reject(new Error('offline'));
    await second;
    begun[1]!.resolve('engine');
    expect(await first).toBe('engine');
    expect(await get()).toBe('engine');
    expect(begun).toHaveLength(2);
  });
});
