// SPDX-License-Identifier: Apache-2.0
// A long table of rows of one height, of which only those in sight are in the page. One tab stop:
// arrows, PgUp, PgDn, Home and End move the row at hand, left and right its parts.
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { visibleRange } from '../model/instructions.js';

export interface TreeGridProps {
  /** Begins the ids of rows: `${id}-${index}`. */
  id: string;
  label: string;
  rowCount: number;
  columnCount: number;
  rowHeight: number;
  /** The row at hand. */
  focus: number;
  onFocus: (index: number) => void;
  /** The part of that row that is at hand, by its id; none: the row itself. */
  part?: string | undefined;
  heading: ComponentChildren;
  /** Rows [first, last). */
  lines: (first: number, last: number) => ComponentChildren;
  /** Other keys; true where it was one of them. */
  onKey?: (event: KeyboardEvent) => boolean;
  /** The list begins anew when it changes. */
  fresh?: unknown;
  style?: Record<string, string>;
  testid?: string;
  class?: string;
}

/** Where a key moves the row at hand to; nothing for other keys. */
function target(key: string, at: number, count: number, page: number): number | undefined {
  const moves: Record<string, number> = {
    ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page, PageUp: at - page, Home: 0,
    End: count - 1,
  };
  const wanted = moves[key];
  return wanted === undefined ? undefined : Math.min(Math.max(wanted, 0), count - 1);
}

/** Scrolls so that the row is in sight below the heading. */
function reveal(element: HTMLElement | null, index: number, rowHeight: number): void {
  if (!element) return;
  const top = index * rowHeight;
  const bottom = top + 2 * rowHeight;
  if (top < element.scrollTop) element.scrollTop = top;
  else if (bottom > element.scrollTop + element.clientHeight) {
    element.scrollTop = bottom - element.clientHeight;
  }
}

function useScroll(ref: { current: HTMLElement | null }, fresh: unknown) {
  const [scroll, setScroll] = useState({ top: 0, height: 600 });
  const measure = (): void => {
    const element = ref.current;
    if (!element) return;
    const { scrollTop: top, clientHeight: height } = element;
    setScroll((old) => (old.top === top && old.height === height ? old : { top, height }));
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

// Browsers place nothing beyond some ten million pixels.
const kMostPixels = 8_000_000;

function Spacer({ pixels }: { pixels: number }) {
  return <div aria-hidden="true" style={{ height: `${Math.min(pixels, kMostPixels)}px` }} />;
}

export function TreeGrid(props: TreeGridProps) {
  const { id, rowCount, rowHeight, focus, onFocus, onKey, fresh, part } = props;
  const grid = useRef<HTMLDivElement>(null);
  const { scroll, measure } = useScroll(grid, fresh);
  useEffect(() => {
    reveal(grid.current, focus, rowHeight);
    measure();
  }, [focus, fresh]);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor(scroll.height / rowHeight) - 2);
    const next = target(event.key, focus, rowCount, page);
    if (next !== undefined) onFocus(next);
    else if (!onKey?.(event)) return;
    event.preventDefault();
  };
  const [first, last] = visibleRange(rowCount, rowHeight, scroll.top, scroll.height);
  const isThere = focus >= first && focus < last && rowCount > 0;
  return (
    <div
      ref={grid} class={`grid ${props.class ?? ''}`} role="treegrid" tabIndex={0}
      aria-label={props.label} aria-rowcount={rowCount + 1} aria-colcount={props.columnCount}
      aria-activedescendant={isThere ? (part ?? `${id}-${focus}`) : undefined}
      style={props.style ?? {}} onScroll={measure} onKeyDown={onKeyDown} data-testid={props.testid}
    >
      {props.heading}
      <Spacer pixels={first * rowHeight} />
      {props.lines(first, last)}
      <Spacer pixels={(rowCount - last) * rowHeight} />
    </div>
  );
}
