// SPDX-License-Identifier: Apache-2.0
// What the instruction before the cursor did, in one line: for screens on which neither the
// bytecode nor the registers are in sight.
import type { DebugState, ProgramInfo } from 'tern-runtime';
import { rowAt } from './instructions.js';
import { registerRows } from './registers.js';

export interface LastStep {
  /** "5 conv2d". */
  what: string;
  /** "%1 f32[1, 28, 28, 16]"; empty where no register was written. */
  result: string;
}

/** Nothing at the beginning of a run. */
export function lastStep(
  info: ProgramInfo, state: Pick<DebugState, 'frames' | 'lastPc'>,
): LastStep | undefined {
  const { lastPc } = state;
  const row = lastPc === undefined ? undefined : rowAt(info, lastPc);
  if (!row) return undefined;
  const written = registerRows(state).find(({ changed, empty }) => changed && !empty);
  const result = written ? `%${written.index} ${written.type}` : '';
  return { what: `${row.pc} ${row.callee || row.opcode}`, result };
}
