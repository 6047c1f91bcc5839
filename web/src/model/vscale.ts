// SPDX-License-Identifier: Apache-2.0
// How long vectors and data may be in the page: what its sliders, fields and links are held to.
export const kMaxVScale = 16;
export const kLegalVScales: readonly number[] = [1, 2, 4, 8, 16];
export const kMaxSize = 1_000_000_000;

export const isLegal = (vscale: number): boolean => kLegalVScales.includes(vscale);

export function clampVScale(value: number): number {
  return Math.min(Math.max(Math.round(value) || 1, 1), kMaxVScale);
}

export function clampSize(value: number): number {
  return Math.min(Math.max(Math.floor(value) || 0, 0), kMaxSize);
}

/** The next vscale that processors may have, in a direction. */
export function nextLegal(vscale: number, by: 1 | -1): number {
  const further = kLegalVScales.filter((legal) => (by > 0 ? legal > vscale : legal < vscale));
  return (by > 0 ? further[0] : further.at(-1)) ?? vscale;
}
