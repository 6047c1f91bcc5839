// SPDX-License-Identifier: Apache-2.0
// The cache lines of one iteration: which the core says it touches, of those that a buffer has.
import { kLineBytes, type LaneAccess, type LaneBuffer, type LaneIteration } from './lanes.js';

export interface FootprintCell {
  line: number;
  touched: boolean;
}

export interface FootprintStream {
  name: string;
  op: LaneAccess['op'];
  cells: FootprintCell[];
  /** Lines before and after those that are shown. */
  before: number;
  after: number;
  bytes: number;
  masked: number;
  lines: number;
}

export const kShownLines = 16;

/** Lines of the buffer, those that are touched in the middle where there are many. */
function windowOf(access: LaneAccess, all: number): { from: number; to: number } {
  if (all <= kShownLines) return { from: 0, to: all };
  const [first, last] = [access.lines[0] ?? 0, access.lines.at(-1) ?? 0];
  const middle = Math.floor((first + last) / 2);
  const from = Math.min(Math.max(middle - kShownLines / 2, 0), all - kShownLines);
  return { from, to: from + kShownLines };
}

export function footprintOf(
  row: LaneIteration, buffers: readonly LaneBuffer[],
): FootprintStream[] {
  return row.accesses.map((access) => {
    const { name, elements, element_bytes: size } = buffers[access.buffer]!;
    const last = access.lines.at(-1) ?? 0;
    const all = elements === null ? last + 1 : Math.ceil((elements * size) / kLineBytes);
    const { from, to } = windowOf(access, all);
    const touched = new Set(access.lines);
    const cells = Array.from({ length: Math.max(to - from, 0) }, (_, i) =>
      ({ line: from + i, touched: touched.has(from + i) }));
    return {
      name, op: access.op, cells, before: from, after: Math.max(all - to, 0), bytes: access.bytes,
      masked: access.masked_bytes, lines: access.lines.length,
    };
  });
}
