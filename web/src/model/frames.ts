// SPDX-License-Identifier: Apache-2.0
// The call stack as lines; a deep recursion is folded into one.
import type { DebugState, ProgramInfo } from 'tern-runtime';
import { registerRows } from './registers.js';

export interface FrameLine {
  /** 0 is the innermost. */
  index: number;
  function: string;
  pc: number;
  args: string;
  entered: number | undefined;
  registers: number;
  source: string;
  /** Frames of the same call behind it that are left out. */
  folded: number;
}

/** So many are shown of a recursion before the rest is folded. */
const kShown = 3;
const kMostFrames = 100;

function argumentsOf(
  state: Pick<DebugState, 'frames'>, index: number, info: ProgramInfo | undefined,
): string {
  const frame = state.frames[index]!;
  const count = info?.functions.find(({ name }) => name === frame.function)?.params.length ?? 0;
  return registerRows(state, index).slice(0, count)
    .map(({ name, index: register, type, value, kind }) =>
      `${name || `%${register}`} = ${kind === 'tensor' ? type : value || type}`)
    .join(', ');
}

/** Lines from the innermost frame; above a hundred frames those of a recursion are one line. */
export function foldFrames(
  state: Pick<DebugState, 'frames'>, info: ProgramInfo | undefined,
): FrameLine[] {
  const { frames } = state;
  const folds = frames.length > kMostFrames;
  const lines: FrameLine[] = [];
  let run = 0;
  frames.forEach((frame, index) => {
    const before = frames[index - 1];
    run = before?.function === frame.function && before.pc === frame.pc ? run + 1 : 0;
    const last = lines.at(-1);
    if (folds && run >= kShown && last && index < frames.length - 1) {
      last.folded++;
      return;
    }
    lines.push({
      index, function: frame.function, pc: frame.pc, entered: frame.entered,
      args: argumentsOf(state, index, info), registers: frame.registers.length,
      source: frame.source ?? '', folded: 0,
    });
  });
  return lines;
}
