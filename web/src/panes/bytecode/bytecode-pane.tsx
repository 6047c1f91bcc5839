// SPDX-License-Identifier: Apache-2.0
// The instructions as a virtual grid: only the rows in sight are in the page. One tab stop; arrows
// move, b toggles a breakpoint, and the row at hand is spelled out in full below.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { LoadedProgram } from '../../engine/protocol.js';
import { formatCount } from '../../model/format.js';
import {
  type CodeRow,
  codeRows,
  isFunctionRow,
  rowOfPc,
  visibleRange,
} from '../../model/instructions.js';
import { toggleBreakpoint } from '../../state/runs.js';
import { currentPc, lastPc } from '../../state/session.js';
import { session } from '../../state/store.js';
import { Pane } from '../pane.js';
import { FunctionHeading, Heading, InstructionLine } from './rows.js';

const kRowHeight = 28;
const kPageRows = 2;

/** Where a key moves the row at hand to; nothing for other keys. */
function target(key: string, at: number, count: number, page: number): number | undefined {
  const moves: Record<string, number> = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    PageDown: at + page,
    PageUp: at - page,
    Home: 0,
    End: count - 1,
  };
  const wanted = moves[key];
  return wanted === undefined ? undefined : Math.min(Math.max(wanted, 0), count - 1);
}

const longestOpcode = (rows: readonly CodeRow[]): number =>
  rows.reduce((most, row) => (isFunctionRow(row) ? most : Math.max(most, row.opcode.length)), 4);

/** Scrolls so that the row is in sight below the heading. */
function reveal(element: HTMLElement | null, index: number): void {
  if (!element) return;
  const top = index * kRowHeight;
  const bottom = top + 2 * kRowHeight;
  if (top < element.scrollTop) element.scrollTop = top;
  else if (bottom > element.scrollTop + element.clientHeight) {
    element.scrollTop = bottom - element.clientHeight;
  }
}

function useScroll(ref: { current: HTMLElement | null }, fresh: unknown) {
  const [scroll, setScroll] = useState({ top: 0, height: 600 });
  const measure = (): void => {
    const element = ref.current;
    if (element) setScroll({ top: element.scrollTop, height: element.clientHeight });
  };
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    element.scrollTop = 0;
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [fresh]);
  return { scroll, measure };
}

function useCode(program: LoadedProgram | undefined) {
  return useMemo(() => {
    const rows = program ? codeRows(program.info) : [];
    return { rows, rowAt: rowOfPc(rows), longest: longestOpcode(rows) };
  }, [program]);
}

function Detail({ row }: { row: CodeRow | undefined }) {
  if (!row) return null;
  if (isFunctionRow(row))
    return (
      <p class="row-detail">
        <code>
          @{row.functionName}
          {row.signature}
        </code>
      </p>
    );
  return (
    <p class="row-detail" data-testid="row-detail">
      <code>
        {row.pc} {row.text}
      </code>
      {row.source ? <span class="detail"> from {row.source}</span> : null}
    </p>
  );
}

function Spacer({ rows }: { rows: number }) {
  return <div aria-hidden="true" style={{ height: `${rows * kRowHeight}px` }} />;
}

function GridLine({
  row,
  index,
  focus,
  onFocus,
}: {
  row: CodeRow;
  index: number;
  focus: number;
  onFocus: (index: number) => void;
}) {
  const { breakpoints } = session.value;
  const focused = index === focus;
  if (isFunctionRow(row)) return <FunctionHeading row={row} index={index} focused={focused} />;
  return (
    <InstructionLine
      row={row}
      index={index}
      focused={focused}
      current={row.pc === currentPc(session.value)}
      executed={row.pc === lastPc(session.value)}
      breaks={breakpoints.has(row.pc)}
      onFocus={() => onFocus(index)}
    />
  );
}

/** Moves the focus or toggles a breakpoint; false for keys that are not the grid's. */
function handleKey(
  event: KeyboardEvent,
  rows: readonly CodeRow[],
  focus: number,
  next: number | undefined,
  go: (index: number) => void,
): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  const row = rows[focus];
  if (next !== undefined) go(next);
  else if (event.key === 'b' && row && !isFunctionRow(row)) toggleBreakpoint(row.pc);
  else return false;
  return true;
}

export function BytecodePane() {
  const { program } = session.value;
  const pc = currentPc(session.value);
  const { rows, rowAt, longest } = useCode(program);
  const grid = useRef<HTMLDivElement>(null);
  const { scroll, measure } = useScroll(grid, program);
  const [focus, setFocus] = useState(0);

  const go = (index: number): void => {
    setFocus(index);
    reveal(grid.current, index);
  };
  useEffect(() => setFocus(0), [program]);
  useEffect(() => {
    const index = pc === undefined ? undefined : rowAt.get(pc);
    if (index !== undefined) go(index);
  }, [pc, rowAt]);

  const onKeyDown = (event: KeyboardEvent): void => {
    const page = Math.max(1, Math.floor(scroll.height / kRowHeight) - kPageRows);
    if (handleKey(event, rows, focus, target(event.key, focus, rows.length, page), go)) {
      event.preventDefault();
    }
  };

  const [first, last] = visibleRange(rows.length, kRowHeight, scroll.top, scroll.height);
  const note = rows.length > 0 ? formatCount(rowAt.size, 'instruction') : undefined;
  return (
    <Pane id="bytecode" title="Bytecode" note={note}>
      <div
        ref={grid}
        class="grid"
        role="grid"
        tabIndex={0}
        aria-label="Instructions"
        aria-rowcount={rows.length + 1}
        aria-colcount={7}
        aria-activedescendant={focus >= first && focus < last ? `row-${focus}` : undefined}
        style={{ '--op': `${longest}ch` }}
        onScroll={measure}
        onKeyDown={onKeyDown}
        data-testid="bytecode-grid"
      >
        <Heading />
        <Spacer rows={first} />
        {rows.slice(first, last).map((row, i) => (
          <GridLine
            key={isFunctionRow(row) ? `@${row.functionName}` : row.pc}
            row={row}
            index={first + i}
            focus={focus}
            onFocus={setFocus}
          />
        ))}
        <Spacer rows={rows.length - last} />
      </div>
      <Detail row={rows[focus]} />
    </Pane>
  );
}
