// SPDX-License-Identifier: Apache-2.0
// What is selected or about to run, in words. Everything told is a field of the core's answers.
import type { DebugState, ProgramInfo } from 'tern-runtime';
import { type InstructionRow, rowAt } from './instructions.js';
import { meaningOf } from './meanings.js';
import { type Bar, barSentence } from './lifetimes.js';
import { type RegisterRow, registerRows } from './registers.js';

export interface Facts {
  info: ProgramInfo;
  /** The frame that is shown, if there is one. */
  state: Pick<DebugState, 'frames'> | undefined;
  frame: number;
  bars: readonly Bar[];
}

const list = (parts: readonly string[]): string =>
  parts.length < 2 ? (parts[0] ?? '') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;

const unique = (numbers: readonly number[]): number[] => [...new Set(numbers)];

/** "%1 (f32[18, 64])". */
function named(index: number, rows: readonly RegisterRow[]): string {
  const row = rows[index];
  return row && !row.empty ? `%${index} (${row.type})` : `%${index}`;
}

const readsOf = ({ operands, opcode }: InstructionRow): number[] =>
  opcode === 'kill' ? [] : unique(operands.flatMap(({ register }) =>
    (register === undefined ? [] : [register])));

/** Two or three sentences about an instruction. */
export function explainInstruction(pc: number, { info, state, frame, bars }: Facts): string {
  const row = rowAt(info, pc);
  if (!row) return `There is no instruction ${pc}.`;
  const rows = registerRows(state, frame);
  const head = `${row.opcode}${row.callee ? ` ${row.callee}` : ''}`;
  const reads = readsOf(row).map((index) => named(index, rows));
  const parts: string[] = [];
  if (reads.length > 0) parts.push(`reads ${list(reads)}`);
  if (row.destination) parts.push(`writes ${row.destination}`);
  if (row.targets.length > 0) parts.push(`may go to ${list(row.targets.map(String))}`);
  const what = parts.length > 0 ? `Instruction ${pc}, ${head}, ${parts.join('; ')}.`
    : `Instruction ${pc}, ${head}.`;
  const made = bars.filter(({ definedPc }) => definedPc === pc);
  const last = made.at(-1);
  const result = last ? ` Its ${made.length > 1 ? 'last ' : ''}result: ${barSentence(last)}` : '';
  return `${what} ${meaningOf(row.opcode)}${result}`;
}

/** What a register holds, and its life. */
export function explainRegister(index: number, step: number, facts: Facts): string {
  const row = registerRows(facts.state, facts.frame)[index];
  if (!row) return `The frame has no register %${index}.`;
  const name = row.name ? ` (${row.name})` : '';
  const holds = row.empty ? 'holds nothing now' : `holds ${row.type} ${row.value}`.trimEnd();
  const bar = [...facts.bars].reverse().find((each) =>
    each.register === index && (each.wasThere || each.defined < step) && step <= each.ended);
  return `%${index}${name} ${holds}.${bar ? ` ${barSentence(bar)}` : ''}`;
}

/** How much is announced of a step. */
export type Verbosity = 'off' | 'short' | 'full';

/** What a step is announced as. */
export function announcement(
  verbosity: Verbosity, place: string, explained: string,
): string {
  if (verbosity === 'off') return '';
  return verbosity === 'short' ? place : `${place}. ${explained}`;
}
