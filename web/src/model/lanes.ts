// SPDX-License-Identifier: Apache-2.0
// The Lanes view as rows and cells. All figures are the core's; what is computed here is only
// where things are drawn and what they are called.
import type { LaneRun } from '../engine/loops-protocol.js';
import { formatWhole } from './format.js';

export {
  clampSize, clampVScale, isLegal, kLegalVScales, kMaxSize, kMaxVScale, nextLegal,
} from './vscale.js';

export type LaneIteration = NonNullable<LaneRun['iterations']>[number];
export type LaneAccess = LaneIteration['accesses'][number];
export type LaneBuffer = NonNullable<LaneRun['buffers']>[number];

export type StrategyName = 'fixed' | 'cleanup' | 'predicated';
export const kStrategyNames: readonly StrategyName[] = ['fixed', 'cleanup', 'predicated'];

export interface StrategyWords {
  letter: string;
  title: string;
  /** What its loop of scalars is called. */
  rest: string;
  about: string;
}
export const kStrategyWords: Record<StrategyName, StrategyWords> = {
  fixed: {
    letter: 'A', title: 'Fixed 128 bits + scalar epilogue', rest: 'epilogue',
    about: 'knows its length when it is compiled; a longer vector changes nothing',
  },
  cleanup: {
    letter: 'B', title: 'Scalable + clean-up loop', rest: 'clean-up',
    about: 'the longer the vector, the more is left over for scalars',
  },
  predicated: {
    letter: 'C', title: 'Scalable, predicated', rest: 'epilogue',
    about: 'a mask turns off the lanes past the end: no scalars at all',
  },
};

/** What a program is emitted as; behind the stages of lowering, and made when it is looked at. */
export interface CodeStage {
  title: string;
  /** Who makes it: `LoopCompiler.llvm` or `wat`; listings have been made before (listings.ts). */
  form: 'llvm' | 'wat' | 'listing';
  target: string;
}

/**
 * WebAssembly has no vectors of unknown length: of a target that takes all strategies they are as
 * long as its own.
 */
export const kCodeStages: Readonly<Record<string, CodeStage>> = {
  llvm: { title: 'LLVM IR', form: 'llvm', target: 'reference' },
  'llvm-sve': { title: 'LLVM IR, AArch64 SVE', form: 'llvm', target: 'aarch64+sve' },
  listing: { title: 'AArch64 listing', form: 'listing', target: 'aarch64+sve' },
  wat: { title: 'WebAssembly', form: 'wat', target: 'reference' },
};

/** Of a cache line, as the core has them. */
export const kLineBytes = 64;

/** Where a lane's element is and whether it is touched. */
export type LaneState = 'active' | 'scalar' | 'off' | 'outside';

export interface LaneCell {
  lane: number;
  element: number;
  state: LaneState;
}

export function lanesOf(access: LaneAccess, buffer: LaneBuffer): number {
  return (access.bytes + access.masked_bytes) / buffer.element_bytes;
}

export function elementOf(access: LaneAccess, lane: number): number {
  return access.indices?.[lane] ?? (access.index ?? 0) + lane * (access.step ?? 0);
}

/** The accesses that the row's cells are drawn from: its stores, or its first loads. */
function drawnAccesses({ accesses, lanes }: LaneIteration, buffers: readonly LaneBuffer[]) {
  const wide = accesses.filter((access) => lanesOf(access, buffers[access.buffer]!) >= lanes);
  const first = wide.find(({ op }) => op === 'store') ?? wide[0] ?? accesses[0];
  return wide.filter(({ buffer, op }) => buffer === first?.buffer && op === first.op);
}

/** One cell a lane; of several vectors in one iteration, one after the other. */
export function cellsOf(row: LaneIteration, buffers: readonly LaneBuffer[]): LaneCell[] {
  const cells: LaneCell[] = [];
  for (const access of drawnAccesses(row, buffers)) {
    const buffer = buffers[access.buffer]!;
    const count = lanesOf(access, buffer);
    for (let i = 0; i < count; ++i) {
      const element = elementOf(access, i);
      const on = access.mask === null || access.mask[i] === '1';
      const past = buffer.elements !== null && element >= buffer.elements;
      const off = past ? 'outside' : 'off';
      cells.push({
        lane: cells.length, element, state: on ? (row.vector ? 'active' : 'scalar') : off,
      });
    }
  }
  return cells;
}

/** The bits of the row's mask, or nothing where it has none. */
export function maskOf(row: LaneIteration, buffers: readonly LaneBuffer[]): string | undefined {
  return drawnAccesses(row, buffers)[0]?.mask ?? undefined;
}

/** What the part of the program is called that the row belongs to. */
export function partName(row: LaneIteration, strategy: StrategyName): string {
  if (row.part === 'epilogue') return kStrategyWords[strategy].rest;
  return row.part === 'vector' ? 'main' : 'scalar';
}

/** "0–3", "16"; of cells that do not lie side by side the first and the last too. */
export function rangeOf(cells: readonly LaneCell[]): string {
  const on = cells.filter(({ state }) => state === 'active' || state === 'scalar');
  const [first, last] = [on[0]?.element, on.at(-1)?.element];
  if (first === undefined) return 'none';
  return first === last ? String(first) : `${first}–${last}`;
}

const kStateWords: Record<LaneState, string> = {
  active: 'on', scalar: 'one at a time', off: 'off',
  outside: 'off: it lies past the end, and would be read out of bounds without the mask',
};

/** A cell in one sentence, as it is spoken too. */
export function describeCell(
  run: LaneRun, row: LaneIteration, cell: LaneCell, strategy: StrategyName,
): string {
  const buffers = run.buffers ?? [];
  const lane = row.vector ? `lane ${cell.lane} of ${row.lanes}` : 'a scalar';
  const where = row.accesses.map((access) => {
    const buffer = buffers[access.buffer]!;
    const count = lanesOf(access, buffer);
    const at = elementOf(access, count > cell.lane ? cell.lane : 0);
    const off = access.mask !== null && access.mask[cell.lane] !== '1';
    const does = access.op === 'load' ? 'loads' : 'stores';
    const text = `${buffer.name}[${at}] at byte ${at * buffer.element_bytes}`;
    return off ? `${does.slice(0, -1)} of ${text} masked off` : `${does} ${text}`;
  });
  return `Iteration ${row.k} (${partName(row, strategy)}), ${lane}: ` +
    `element ${cell.element} is ${kStateWords[cell.state]}; ${[...new Set(where)].join(', ')}.`;
}

export interface LaneCursor {
  strategy: StrategyName;
  /** The iteration's number. */
  k: number;
  lane: number;
}

export function rowsOf(run: LaneRun | undefined): LaneIteration[] {
  return run?.iterations ?? [];
}

export function rowAt(run: LaneRun | undefined, k: number): LaneIteration | undefined {
  return rowsOf(run).find((row) => row.folded === 1 && row.k === k);
}

/** Of those that stand for one iteration: the one behind, the first of all, or none. */
export function iterationAfter(
  run: LaneRun | undefined, k: number | undefined,
): LaneIteration | undefined {
  return rowsOf(run).find((row) => row.folded === 1 && (k === undefined || row.k > k));
}

/** Where a key leads from a cell; rows that stand for several are passed over. */
export function moveCursor(run: LaneRun, cursor: LaneCursor, key: string): LaneCursor | undefined {
  const rows = rowsOf(run).filter(({ folded }) => folded === 1);
  const at = Math.max(rows.findIndex(({ k }) => k === cursor.k), 0);
  const cells = (row: LaneIteration): number => cellsOf(row, run.buffers ?? []).length;
  const here = rows[at];
  if (!here) return undefined;
  const to = (row: LaneIteration, lane: number): LaneCursor => ({
    ...cursor, k: row.k, lane: Math.min(Math.max(lane, 0), Math.max(cells(row) - 1, 0)),
  });
  switch (key) {
    case 'ArrowLeft': return to(here, cursor.lane - 1);
    case 'ArrowRight': return to(here, cursor.lane + 1);
    case 'ArrowUp': return to(rows[Math.max(at - 1, 0)]!, cursor.lane);
    case 'ArrowDown': return to(rows[Math.min(at + 1, rows.length - 1)]!, cursor.lane);
    case 'Home': return to(here, 0);
    case 'End': return to(here, cells(here) - 1);
    case 'PageUp': return to(rows[0]!, cursor.lane);
    case 'PageDown': return to(rows.at(-1)!, cursor.lane);
    default: return undefined;
  }
}

export interface CounterRow {
  name: string;
  /** By strategy, in order. */
  values: string[];
}

const kClasses = ['load', 'store', 'arith', 'predicate', 'control'] as const;
const kClassWords: Record<(typeof kClasses)[number], string> = {
  load: 'loads', store: 'stores', arith: 'arithmetic', predicate: 'predicates',
  control: 'loop control',
};

export function instructionsOf(run: LaneRun): number {
  return kClasses.reduce((sum, each) => sum + run.instructions[each], 0);
}

export function formatShare(share: number): string {
  return `${(share * 100).toFixed(1)}\u202f%`;
}

/** The counters of all strategies side by side. */
export function counterRows(runs: readonly LaneRun[]): CounterRow[] {
  const row = (name: string, of: (run: LaneRun) => string): CounterRow =>
    ({ name, values: runs.map(of) });
  return [
    row('vector iterations', (run) => formatWhole(run.vector_iterations)),
    row('scalar iterations', (run) => formatWhole(run.scalar_iterations)),
    row('lanes used', (run) => (run.issued_lanes === 0 ? '–' : formatShare(run.utilisation))),
    row('lanes wasted', (run) => formatWhole(run.issued_lanes - run.active_lanes)),
    row('instructions', (run) => formatWhole(instructionsOf(run))),
    ...kClasses.map((each) => row(kClassWords[each], (run) => formatWhole(run.instructions[each]))),
    row('bytes loaded', (run) => formatWhole(run.bytes_loaded)),
    row('bytes stored', (run) => formatWhole(run.bytes_stored)),
    row('cache lines', (run) => {
      const lines = (run.buffers ?? []).map((buffer) => buffer.lines);
      return lines.includes(null) ? 'not known'
        : formatWhole(lines.reduce<number>((sum, count) => sum + (count ?? 0), 0));
    }),
  ];
}

/** How the counters were found. */
export function methodOf(run: LaneRun): string {
  if (run.method === 'run') return 'counted by a full run, because data decide what runs';
  if (run.checked === null) return 'counted without running';
  return run.checked ? 'a full run counts the same ✓' : 'a full run counts otherwise ✗';
}

/** The lines of a listing, from 0, that belong to the loop of a row; LLVM IR has no such marks. */
export function linesOfPart(text: string, part: LaneIteration['part'] | undefined): Set<number> {
  const found = new Set<number>();
  if (!part || part === 'plain') return found;
  let depth = -1;
  text.split('\n').forEach((line, i) => {
    const indent = line.length - line.trimStart().length;
    if (depth < 0 && new RegExp(`^\\s*(?:for|while)\\b.*\\) ${part} \\{$`).test(line)) {
      depth = indent;
    } else if (depth >= 0 && indent <= depth) {
      found.add(i);
      depth = -1;
    }
    if (depth >= 0) found.add(i);
  });
  return found;
}
