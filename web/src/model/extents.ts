// SPDX-License-Identifier: Apache-2.0
// The stops of a slider for the extent of a symbol: from 1 to 4096, each a quarter of a doubling
// after the one before, as far as whole numbers are that close.

export const kExtents: readonly number[] =
  [...new Set(Array.from({ length: 49 }, (_, quarter) => Math.round(2 ** (quarter / 4))))];

/** The stop that is nearest to an extent, by its place among them. */
export function stopOf(extent: number): number {
  const above = kExtents.findIndex((each) => each >= extent);
  if (above < 0) return kExtents.length - 1;
  const below = Math.max(above - 1, 0);
  return kExtents[above]! - extent < extent - kExtents[below]! ? above : below;
}
