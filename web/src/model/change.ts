// SPDX-License-Identifier: Apache-2.0
// What a time is beside that of a baseline.

export type Change = 'new' | 'equal' | 'alike' | 'more' | 'less';

/** `percent`: of the baseline, up to which a change is none; of no time any change is one. */
export function changeOf(now: number, before: number | undefined, percent: number): Change {
  if (before === undefined) return 'new';
  const by = now - before;
  if (by === 0) return 'equal';
  if (Math.abs(by) <= (before * percent) / 100) return 'alike';
  return by > 0 ? 'more' : 'less';
}
