// SPDX-License-Identifier: Apache-2.0
// Lines of a text that is edited: where a line of the text before stands now, and at which
// instructions the lines of a program begin. Lines count from 1.
import type { Instruction } from 'tern-runtime';

const breaksIn = (text: string, from: number, to: number): number => {
  let count = 0;
  for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1))
    count++;
  return count;
};

/** What one edit did: `[from, to)` of the text before became `[from, end)` of the one after. */
function editOf(before: string, after: string): { from: number; to: number; end: number } {
  const shorter = Math.min(before.length, after.length);
  let from = 0;
  while (from < shorter && before[from] === after[from]) from++;
  let tail = 0;
  while (tail < shorter - from && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  return { from, to: before.length - tail, end: after.length - tail };
}

/**
 * Where lines of a text stand after an edit. Those behind it move with the text; those that were
 * replaced stay as far as there are lines in their place.
 */
export function movedLines(
  lines: readonly number[], before: string, after: string,
): readonly number[] {
  if (lines.length === 0) return lines;
  const { from, to, end } = editOf(before, after);
  const first = 1 + breaksIn(before, 0, from);
  const removed = breaksIn(before, from, to);
  const added = breaksIn(after, from, end);
  if (removed === added) return lines;
  // The line in which the edit begins stays, unless the edit stands before all of it.
  const isBefore = (from === 0 || before[from - 1] === '\n') && removed === 0;
  const moved = lines.map((line) => {
    if (line < first || (line === first && !isBefore)) return line;
    if (line > first + removed || isBefore) return line + added - removed;
    return Math.min(line, first + added);
  });
  return [...new Set(moved)];
}

/** Instructions of a text by the line that they were made from. */
export function instructionsByLine(
  instructions: readonly Instruction[], file: string,
): ReadonlyMap<number, readonly number[]> {
  const lines = new Map<number, number[]>();
  for (const { pc, line, source } of instructions) {
    if (line === undefined || source !== file) continue;
    const known = lines.get(line);
    if (known) known.push(pc);
    else lines.set(line, [pc]);
  }
  return lines;
}

/**
 * Where a line begins: a function that was put into others has its instructions in each of them,
 * and no run need come by the one that it stands alone in.
 */
export function beginningsOf(pcs: readonly number[]): readonly number[] {
  return pcs.filter((pc, i) => i === 0 || pcs[i - 1] !== pc - 1);
}

/** How often the instruction of a line that was executed most often was, by line. */
export function hitsByLine(
  lines: ReadonlyMap<number, readonly number[]>, hits: readonly number[],
): ReadonlyMap<number, number> {
  const most = [...lines].map(([line, pcs]): [number, number] =>
    [line, pcs.reduce((sofar, pc) => Math.max(sofar, hits[pc] ?? 0), 0)]);
  return new Map(most.filter(([, count]) => count > 0));
}
