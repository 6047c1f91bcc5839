// SPDX-License-Identifier: Apache-2.0
// What the bytecode grid shows of a program: a filter, functions that are folded, arrows of jumps.
import {
  type CodeRow, type FunctionRow, type InstructionRow, isFunctionRow,
} from './instructions.js';

/** Words of a filter: `op:call fn:matmul reg:R5 src:12`, and text that is found anywhere. */
type Test = (row: InstructionRow, functionName: string) => boolean;

const has = (text: string, part: string): boolean => text.toLowerCase().includes(part);

const registersOf = ({ operands, destinationRegister }: InstructionRow): (number | undefined)[] =>
  [destinationRegister, ...operands.map(({ register }) => register)];

const kFields: Record<string, (word: string) => Test> = {
  op: (word) => ({ opcode }) => has(opcode, word),
  fn: (word) => ({ callee }, functionName) => has(callee, word) || has(functionName, word),
  reg: (word) => {
    const index = Number(word.replace(/^[r%]/, ''));
    return (row) => registersOf(row).includes(index);
  },
  src: (word) => ({ source }) => has(source, word),
  pc: (word) => ({ pc }) => pc === Number(word),
};

function testOf(word: string): Test {
  const colon = word.indexOf(':');
  const field = kFields[word.slice(0, colon)];
  if (colon > 0 && field) return field(word.slice(colon + 1));
  return ({ text, source }) => has(text, word) || has(source, word);
}

/** Whether an instruction of a function has all of what the words ask for. */
export function filterOf(text: string): Test {
  const tests = text.toLowerCase().split(/\s+/).filter(Boolean).map(testOf);
  return (row, functionName) => tests.every((test) => test(row, functionName));
}

/** The rows that are left of a filter and of folded functions; a function without any goes too. */
export function shownRows(
  rows: readonly CodeRow[], filter: string, folded: ReadonlySet<string>,
): CodeRow[] {
  const matches = filter.trim() === '' ? undefined : filterOf(filter);
  if (!matches && folded.size === 0) return rows as CodeRow[];
  const shown: CodeRow[] = [];
  let heading: FunctionRow | undefined;
  let isPending = false;
  for (const row of rows) {
    if (isFunctionRow(row)) {
      heading = row;
      isPending = matches !== undefined;
      if (!isPending) shown.push(row);
    } else if (!matches || matches(row, heading?.functionName ?? '')) {
      if (isPending && heading) shown.push(heading);
      isPending = false;
      if (!folded.has(heading?.functionName ?? '')) shown.push(row);
    }
  }
  return shown;
}

/** A jump in the gutter: from one instruction to another, in a lane of its own. */
export interface Arrow {
  readonly from: number;
  readonly to: number;
  /** 0 is next to the code; arrows that enclose others lie further out. */
  readonly lane: number;
}

export const kLanes = 4;
const kBlock = 64;

export class Arrows {
  /** Those that touch each block of instructions. */
  private readonly blocks = new Map<number, Arrow[]>();

  constructor(rows: readonly CodeRow[]) {
    const jumps = rows.flatMap((row) =>
      isFunctionRow(row) ? [] : row.targets.map((to) => ({ from: row.pc, to })));
    // Short ones first: those that enclose them find their lanes taken.
    jumps.sort((a, b) => Math.abs(a.to - a.from) - Math.abs(b.to - b.from) || a.from - b.from);
    for (const jump of jumps) {
      // The next instruction needs no arrow.
      if (jump.to !== jump.from + 1) this.add(jump.from, jump.to);
    }
  }

  private add(from: number, to: number): void {
    const [low, high] = from < to ? [from, to] : [to, from];
    const taken = new Set<number>();
    for (let block = this.blockOf(low); block <= this.blockOf(high); block++) {
      for (const other of this.blocks.get(block) ?? []) {
        const isBefore = Math.max(other.from, other.to) < low;
        const isBehind = Math.min(other.from, other.to) > high;
        if (!isBefore && !isBehind) taken.add(other.lane);
      }
    }
    let lane = 0;
    while (taken.has(lane) && lane < kLanes - 1) lane++;
    const arrow = { from, to, lane };
    for (let block = this.blockOf(low); block <= this.blockOf(high); block++) {
      const there = this.blocks.get(block);
      if (there) there.push(arrow);
      else this.blocks.set(block, [arrow]);
    }
  }

  private blockOf(pc: number): number {
    return Math.floor(pc / kBlock);
  }

  /** The arrows that begin at an instruction, end there or go past it. */
  at(pc: number): readonly Arrow[] {
    const there = this.blocks.get(this.blockOf(pc)) ?? [];
    return there.filter(({ from, to }) => Math.min(from, to) <= pc && pc <= Math.max(from, to));
  }
}
