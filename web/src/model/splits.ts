// SPDX-License-Identifier: Apache-2.0
// How much of the window each region has, and what keys and limits make of it. Lengths are in CSS
// pixels.
import type { Arrangement, Preset, Split } from './presets.js';

export interface SplitRule {
  readonly start: number;
  readonly least: number;
  /** Of the window's width, or height. */
  readonly mostOf: number;
  readonly label: string;
}

export const kSplits: Readonly<Record<Split, SplitRule>> = {
  left: { start: 344, least: 220, mostOf: 0.45, label: 'Width of the panes on the left' },
  right: { start: 368, least: 220, mostOf: 0.45, label: 'Width of the panes on the right' },
  bottom: { start: 272, least: 96, mostOf: 0.6, label: 'Height of the panes at the bottom' },
};

export const kSplitNames = Object.keys(kSplits) as Split[];

/** The length that a preset begins with. */
export const startOf = (split: Split, { sizes }: Preset): number =>
  sizes?.[split] ?? kSplits[split].start;

const kKeyStep = 16;
const kPageStep = 96;

/** Largest length of a region in a window of this extent. */
export function mostOf(split: Split, extent: number): number {
  const { least, mostOf: share } = kSplits[split];
  return Math.max(least, Math.round(extent * share));
}

export function clampSplit(split: Split, length: number, extent: number): number {
  const whole = Math.round(Number.isFinite(length) ? length : kSplits[split].least);
  return Math.min(Math.max(whole, kSplits[split].least), mostOf(split, extent));
}

/** The key that makes the region larger; its opposite makes it smaller. */
const kGrow: Readonly<Record<Split, string>> = {
  left: 'ArrowRight', right: 'ArrowLeft', bottom: 'ArrowUp',
};
const kShrink: Readonly<Record<Split, string>> = {
  left: 'ArrowLeft', right: 'ArrowRight', bottom: 'ArrowDown',
};

/** The length after a key (WAI-ARIA window splitter); nothing for keys that are none of its. */
export function splitAfterKey(
  split: Split, key: string, length: number, extent: number,
): number | undefined {
  const moves: Record<string, number> = {
    [kGrow[split]]: length + kKeyStep,
    [kShrink[split]]: length - kKeyStep,
    PageUp: length + kPageStep,
    PageDown: length - kPageStep,
    Home: kSplits[split].least,
    End: mostOf(split, extent),
  };
  const next = moves[key];
  return next === undefined ? undefined : clampSplit(split, next, extent);
}

export interface GridTemplate {
  readonly columns: string;
  readonly rows: string;
  readonly areas: string;
}

/** The CSS grid of a wide window; regions without panes have no track and no splitter. */
export function gridTemplate(arrangement: Arrangement): GridTemplate {
  const has = (split: Split): boolean => arrangement[split].length > 0;
  const start = has('left') ? ['left', 'split-left'] : [];
  const end = has('right') ? ['split-right', 'right'] : [];
  const across = (name: string): string[] => ['centre', ...end].map(() => name);
  const lines = [[...start, 'centre', ...end]];
  if (has('bottom')) {
    lines.push([...start, ...across('split-bottom')], [...start, ...across('bottom')]);
  }
  const centre = 'minmax(0, 1fr)';
  const columns = [
    ...(has('left') ? ['var(--left)', 'var(--gap)'] : []), centre,
    ...(has('right') ? ['var(--gap)', 'var(--right)'] : []),
  ];
  return {
    columns: columns.join(' '),
    rows: has('bottom') ? `${centre} var(--gap) var(--bottom)` : centre,
    areas: lines.map((line) => `"${line.join(' ')}"`).join(' '),
  };
}
