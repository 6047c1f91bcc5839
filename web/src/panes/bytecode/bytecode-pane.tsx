// SPDX-License-Identifier: Apache-2.0
// The instructions as a virtual grid. The row at hand is spelled out in full below; b toggles a
// breakpoint, left and right go along its parts, Enter follows them.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { LoadedProgram } from '../../engine/protocol.js';
import { Arrows, shownRows } from '../../model/bytecode-view.js';
import { formatCount } from '../../model/format.js';
import {
  type CodeRow, codeRows, type InstructionRow, isFunctionRow, rowOfPc,
} from '../../model/instructions.js';
import { registerRows } from '../../model/registers.js';
import { measureTimes, recordKey, times, useRunView } from '../../state/debug.js';
import { toggleBreakpoint } from '../../state/runs.js';
import { links } from '../../state/links.js';
import { highlighted, pin } from '../../state/selection.js';
import { currentPc, lastPc } from '../../state/session.js';
import { engine, guarded, now } from '../../state/store.js';
import { TreeGrid } from '../../widgets/tree-grid.js';
import '../../style/bytecode.css';
import { Pane } from '../pane.js';
import {
  type ColumnName, FunctionHeading, Heading, InstructionLine, kColumns, type Part, partsOf,
  type RowActions, type RowExtras,
} from './rows.js';

// As in bytecode.css: rows that are not drawn have to be counted.
const kRowHeight = 28;

function useCode(program: LoadedProgram | undefined) {
  return useMemo(() => {
    const all = program ? codeRows(program.info) : [];
    const opcode = (row: CodeRow): number => (isFunctionRow(row) ? 0 : row.opcode.length);
    return {
      all, arrows: new Arrows(all),
      // The column of mnemonics is as wide as the longest of this program.
      longest: all.reduce((most, row) => Math.max(most, opcode(row)), 4),
      hasJumps: all.some((row) => !isFunctionRow(row) && row.targets.length > 0),
    };
  }, [program]);
}

/** The bytes of all instructions, asked for when they are first shown. */
function useBytes(isShown: boolean): readonly string[] | undefined {
  const { program } = now;
  const [bytes, setBytes] = useState<{ of: unknown; texts: string[] } | undefined>();
  // Bytes belong to a program: after another was loaded they are asked for again.
  const isKnown = bytes?.of === program;
  useEffect(() => {
    if (!isShown || !program || isKnown) return;
    void guarded(async () => {
      const { view } = await engine.request({ kind: 'view', query: { view: 'encoding' } });
      setBytes({ of: program, texts: view as string[] });
    });
  }, [isShown, program]);
  return isShown && isKnown ? bytes?.texts : undefined;
}

/** What each instruction left in a register that still holds it. */
function results(): ReadonlyMap<number, string> {
  const { machine, before, frame } = now;
  // Gone back in, a run shows the registers of that step.
  const shown = before ?? machine;
  const writers = shown?.frames[frame]?.registers ?? [];
  const found = new Map<number, string>();
  registerRows(shown, frame).forEach(({ empty, type, value }, i) => {
    const pc = writers[i]?.writtenBy;
    // A register that was written again tells of its last writer only.
    if (pc !== undefined && !empty) found.set(pc, `${type} ${value}`);
  });
  return found;
}

function Detail({ row }: { row: CodeRow | undefined }) {
  if (!row) return null;
  if (isFunctionRow(row)) {
    return <p class="row-detail"><code>@{row.functionName}{row.signature}</code></p>;
  }
  return (
    <p class="row-detail" data-testid="row-detail">
      <code>{row.pc} {row.text}</code>
      {row.source ? <span class="detail"> from {row.source}</span> : null}
    </p>
  );
}

interface ToolsProps {
  filter: string;
  onFilter: (text: string) => void;
  showsBytes: boolean;
  onBytes: (on: boolean) => void;
}

function Tools({ filter, onFilter, showsBytes, onBytes }: ToolsProps) {
  const { program, run } = now;
  return (
    <>
      <input
        type="search" class="filter" value={filter} placeholder="op:call reg:%5 fn:… src:…"
        aria-label="Filter of the bytecode" data-testid="bytecode-filter" spellcheck={false}
        onInput={(event) => onFilter(event.currentTarget.value)}
      />
      <button
        type="button" class="small" aria-pressed={showsBytes} data-testid="show-bytes"
        onClick={() => onBytes(!showsBytes)}
      >
        Bytes
      </button>
      <button
        type="button" class="small" disabled={!program || run === 'running'}
        title="Runs the function once more, under the profiler of the core"
        data-testid="measure-times" onClick={() => measureTimes()}
      >
        Time it
      </button>
    </>
  );
}

function useColumns(shown: Record<'bytes' | 'arrows' | 'hits' | 'time' | 'result', boolean>) {
  const names = kColumns.map(([id]) => id);
  // Columns that are not asked about are always there.
  const chosen = names.filter((id) => shown[id as keyof typeof shown] ?? true);
  return useMemo<ReadonlySet<ColumnName>>(() => new Set(chosen), [chosen.join()]);
}

/**
 * Acts while the pane is drawn, when a value is not the one of the drawing before: what it sets is
 * drawn at once. Set in an effect, it would be drawn a second time, one frame later.
 */
function useOnChange(values: readonly unknown[], act: () => void): void {
  const before = useRef<readonly unknown[] | undefined>(undefined);
  const isSame = values.every((value, i) => before.current && Object.is(value, before.current[i]));
  before.current = values;
  if (!isSame) act();
}

/** Where the grid is: its row, the part of it, what is folded, what is filtered. */
function usePlace(all: readonly CodeRow[], program: unknown) {
  const [filter, setFilter] = useState('');
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const [focus, setFocus] = useState(0);
  const [part, setPart] = useState<number | undefined>();
  const rows = useMemo(() => shownRows(all, filter, folded), [all, filter, folded]);
  const rowAt = useMemo(() => rowOfPc(rows), [rows]);
  // A row that cannot be gone to before the list is made anew without the filter.
  const wanted = useRef<number | undefined>(undefined);
  const go = (index: number): void => {
    setFocus(index);
    setPart(undefined);
  };
  const fold = (name: string, on = !folded.has(name)): void => {
    // A new set, or nobody would hear of the change.
    const next = new Set(folded);
    if (on) next.add(name);
    else next.delete(name);
    setFolded(next);
  };
  // An instruction that a filter or a folded function hides is shown first.
  const goTo = (pc: number): void => {
    const index = rowAt.get(pc);
    if (index !== undefined) return go(index);
    wanted.current = pc;
    setFilter('');
    setFolded(new Set());
  };
  useOnChange([rows], () => {
    const index = wanted.current === undefined ? undefined : rowAt.get(wanted.current);
    wanted.current = undefined;
    if (index !== undefined) go(index);
    else if (focus >= rows.length) go(Math.max(0, rows.length - 1));
  });
  useOnChange([program], () => {
    go(0);
    setFolded(new Set());
    setFilter('');
  });
  return { filter, setFilter, folded, fold, focus, go, goTo, part, setPart, rows, rowAt };
}

type Place = ReturnType<typeof usePlace>;

function follow(part: Part, { goTo }: Place): void {
  // Jumps and functions lead to their code; a register is shown in its pane.
  if (part.leadsTo !== undefined) goTo(part.leadsTo);
  else if (part.register !== undefined) {
    pin({ kind: 'register', index: part.register, frame: now.frame });
  }
}

/** Keys of the row at hand; false for others. */
function handleKey(event: KeyboardEvent, place: Place): boolean {
  const { rows, focus, part, setPart, fold, folded, go } = place;
  const row = rows[focus];
  if (!row) return false;
  const { key } = event;
  if (isFunctionRow(row)) {
    const isFolded = folded.has(row.functionName);
    // The pattern of tree grids: right unfolds, left folds.
    const turns = key === 'Enter' || key === (isFolded ? 'ArrowRight' : 'ArrowLeft');
    if (turns) fold(row.functionName);
    return turns;
  }
  const parts = partsOf(row);
  if (key === 'b') toggleBreakpoint(row.pc);
  else if (key === 'ArrowRight') setPart(Math.min((part ?? -1) + 1, parts.length - 1));
  else if (key === 'ArrowLeft' && part !== undefined) setPart(part > 0 ? part - 1 : undefined);
  // From the first part left leads to the function, as to a parent.
  else if (key === 'ArrowLeft') go(headingOf(rows, focus));
  else if (key === 'Enter' && part !== undefined && parts[part]) follow(parts[part], place);
  else if (key === 'Enter') pin({ kind: 'pc', pc: row.pc });
  else return false;
  return true;
}

function headingOf(rows: readonly CodeRow[], index: number): number {
  let at = index;
  while (at > 0 && !isFunctionRow(rows[at]!)) at--;
  return at;
}

/** The part's id, where the row has parts. */
function partAt({ rows, focus, part }: Place): string | undefined {
  const row = rows[focus];
  if (part === undefined || !row || isFunctionRow(row)) return undefined;
  return partsOf(row)[part]?.id;
}

/** What rows know beside the program: counts, times, results, bytes. */
function useExtras(showsBytes: boolean) {
  const { program, trace } = now;
  const bytes = useBytes(showsBytes);
  // Counted by the worker over the record, anew when it has grown.
  const hits = useRunView({ view: 'hits' }, recordKey());
  // Times of another program would be shown beside the wrong instructions.
  const timed = times.value?.of === program ? times.value : undefined;
  const spent = useMemo(() => new Map(timed?.rows.map((row) => [row.pc, row])), [timed]);
  const mostNanoseconds = useMemo(
    () => (timed?.rows ?? []).reduce((a, { nanoseconds }) => Math.max(a, nanoseconds), 0), [timed]);
  const kept = results();
  return {
    shown: {
      bytes: bytes !== undefined, hits: trace !== undefined, time: timed !== undefined,
      result: trace !== undefined,
    },
    of: (pc: number): RowExtras => ({
      bytes: bytes?.[pc], hits: hits?.[pc], nanoseconds: spent.get(pc)?.nanoseconds,
      mostNanoseconds, result: kept.get(pc),
    }),
  };
}

/** Follows the run, and what is selected elsewhere. */
function useFollowing({ goTo }: Place): void {
  const { program } = now;
  const pc = currentPc(now);
  const [selected] = links.value.pcs;
  // Not when rows change: filtering must not take the reader back to the run.
  useOnChange([pc, program], () => {
    if (pc !== undefined) goTo(pc);
  });
  useOnChange([selected], () => {
    if (selected !== undefined && selected !== pc) goTo(selected);
  });
}

/** What rows do, at the place where the grid is then. */
function useActions(place: Place): RowActions {
  const latest = useRef(place);
  latest.current = place;
  return useMemo(() => ({
    goTo: (index) => latest.current.go(index),
    follow: (part) => follow(part, latest.current),
    fold: (name) => latest.current.fold(name),
  }), []);
}

interface LineMakerProps {
  place: Place;
  columns: ReadonlySet<ColumnName>;
  arrows: Arrows;
  extras: (pc: number) => RowExtras;
}

/** Makes a row, of what it has to know: rows for which that is the same as before stay. */
function useLineMaker({ place, columns, arrows, extras }: LineMakerProps) {
  const actions = useActions(place);
  const { focus, folded } = place;
  const [current, last] = [currentPc(now), lastPc(now)];
  const selection = highlighted.value;
  const register = selection?.kind === 'register' ? selection.index : undefined;
  const { pcs } = links.value;
  const { breakpoints } = now;
  // By its id, which is what the grid tells screen readers (aria-activedescendant).
  const part = partAt(place);
  const line = (row: CodeRow, index: number) => {
    const focused = index === focus;
    if (isFunctionRow(row)) {
      return (
        <FunctionHeading
          key={`@${row.functionName}`} row={row} index={index} columnCount={columns.size}
          focused={focused} folded={folded.has(row.functionName)} actions={actions}
        />
      );
    }
    const { pc } = row;
    return (
      <InstructionLine
        key={pc} row={row} index={index} columns={columns} arrows={arrows} focused={focused}
        part={focused ? part : undefined} register={register} selected={pcs.has(pc)}
        current={pc === current} executed={pc === last} breaks={breakpoints.has(pc)}
        actions={actions} {...extras(pc)}
      />
    );
  };
  return { line, part };
}

export function BytecodePane() {
  const { program } = now;
  const { all, arrows, longest, hasJumps } = useCode(program);
  const place = usePlace(all, program);
  const { rows, focus, go } = place;
  const [showsBytes, setShowsBytes] = useState(false);
  const extras = useExtras(showsBytes);
  useFollowing(place);
  const columns = useColumns({ ...extras.shown, arrows: hasJumps });
  const { line, part } = useLineMaker({ place, columns, arrows, extras: extras.of });
  const lines = (first: number, last: number) =>
    rows.slice(first, last).map((row, i) => line(row, first + i));
  const note = program ? formatCount(program.info.instructions.length, 'instruction') : undefined;
  return (
    <Pane
      id="bytecode" title="Bytecode" note={note}
      tools={
        <Tools
          filter={place.filter} onFilter={place.setFilter} showsBytes={showsBytes}
          onBytes={setShowsBytes}
        />
      }
    >
      <TreeGrid
        id="row" label="Instructions" rowCount={rows.length} columnCount={columns.size}
        rowHeight={kRowHeight} focus={focus} onFocus={go} part={part} fresh={program}
        onKey={(event) => handleKey(event, place)} testid="bytecode-grid"
        style={{ '--op': `${longest}ch` }} heading={<Heading columns={columns} />} lines={lines}
      />
      {program && rows.length === 0 ? (
        <p class="hint padded">No instruction has all of that.</p>
      ) : null}
      <Detail row={rows[focus]} />
    </Pane>
  );
}
