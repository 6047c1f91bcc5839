// SPDX-License-Identifier: Apache-2.0
// Elements as a grid of any size, of which only the part in sight is fetched and made.
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Tensor } from 'tern-runtime';
import { extentOf, type TensorView } from '../../model/tensor-picture.js';
import {
  elementText, kFormats, type NumberFormat, specialKind,
} from '../../model/tensor-text.js';
import { editAt } from '../../state/edit-input.js';
import {
  inspector, kWindowColumns, kWindowRows, numberFormat, scrollTo, type TensorWindow,
} from '../../state/inspector.js';

const kRowHeight = 22;
// As many characters as the format can take, so that columns never move while one scrolls.
const kColumnWidths: Record<NumberFormat, number> = { g: 84, hex: 140, bits: 320 };
const kFormatNames = Object.keys(kFormats) as NumberFormat[];
// Browsers lay out nothing beyond some 17 million pixels.
const kMostPixels = 8e6;

/** Where in the window a row and a column are, whichever of the axes comes first. */
function indexIn({ shape }: Tensor, view: TensorView, row: number, column: number): number {
  // The window is a copy, which lies row by row whatever the tensor's own strides are.
  const strides = shape.map(() => 1);
  for (let axis = shape.length - 2; axis >= 0; axis--)
    strides[axis] = strides[axis + 1]! * shape[axis + 1]!;
  return row * (strides[view.rowAxis] ?? 0) + column * (strides[view.columnAxis] ?? 0);
}

/** In the whole tensor. */
function positionOf(
  { rowAxis, columnAxis, index }: TensorView, row: number, column: number,
): number[] {
  return index.map((at, axis) => (axis === rowAxis ? row : axis === columnAxis ? column : at));
}

function Row({ window, view, row, columns, width }: {
  window: TensorWindow; view: TensorView; row: number; columns: number; width: number;
}) {
  const line = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    line.current!.style.top = `${(window.row + row + 1) * kRowHeight}px`;
  });
  const cells = Array.from({ length: columns }, (_, i) => i);
  return (
    <div ref={line} class="grid-row" role="row" aria-rowindex={window.row + row + 2}>
      <Cell role="rowheader" at={0} width={56} column={1}>{window.row + row}</Cell>
      {cells.map((column) => {
        const index = indexIn(window.tensor, view, row, column);
        const kind = specialKind(window.tensor, index);
        return (
          <Cell
            key={column} role="gridcell" at={56 + (window.column + column) * width} width={width}
            column={window.column + column + 2} kind={kind}
            onPick={() => editAt(positionOf(view, window.row + row, window.column + column))}
          >
            {elementText(window.tensor, index, numberFormat.value)}
          </Cell>
        );
      })}
    </div>
  );
}

function Cell({ role, at, width, column, kind = '', onPick, children }: {
  role: 'gridcell' | 'rowheader' | 'columnheader'; at: number; width: number; column: number;
  kind?: string; onPick?: () => void; children: preact.ComponentChildren;
}) {
  const cell = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    // By the object model: the policy of the page allows no style attributes.
    cell.current!.style.left = `${at}px`;
    cell.current!.style.width = `${width}px`;
  }, [at, width]);
  return (
    <span
      ref={cell} role={role} class={`grid-cell ${kind.replace(' ', '-')}`} aria-colindex={column}
      title={kind || undefined} data-kind={kind || undefined} onClick={onPick}
    >
      {children}
    </span>
  );
}

function FormatPicker() {
  return (
    <label>
      as{' '}
      <select
        value={numberFormat.value} data-testid="number-format"
        onChange={(event) => {
          const name = kFormatNames.find((each) => each === event.currentTarget.value);
          if (name) numberFormat.value = name;
        }}
      >
        {kFormatNames.map((name) => <option key={name} value={name}>{kFormats[name]}</option>)}
      </select>
    </label>
  );
}

export function TableTab() {
  const { layout, view, window, name } = inspector.value;
  const spacer = useRef<HTMLDivElement>(null);
  const width = kColumnWidths[numberFormat.value];
  const rows = layout && view ? extentOf(layout.shape, view.rowAxis) : 0;
  const columns = layout && view ? extentOf(layout.shape, view.columnAxis) : 0;
  // The whole grid's size, for the scroll bars; only the window's cells are made.
  useLayoutEffect(() => {
    if (!spacer.current) return;
    spacer.current.style.height = `${Math.min((rows + 1) * kRowHeight, kMostPixels)}px`;
    spacer.current.style.width = `${Math.min(56 + columns * width, kMostPixels)}px`;
  });
  if (!window || !view || !layout) return <p class="hint">reading…</p>;
  const shownRows = view.rowAxis < 0 ? 1 : (window.tensor.shape[view.rowAxis] ?? 1);
  const shownColumns = view.columnAxis < 0 ? 1 : (window.tensor.shape[view.columnAxis] ?? 1);
  const onScroll = (event: Event & { currentTarget: HTMLElement }): void => {
    const { scrollTop, scrollLeft } = event.currentTarget;
    // A few rows and columns ahead, so that small moves ask for nothing.
    const first = (pixels: number, size: number, most: number): number =>
      Math.max(0, Math.min(Math.floor(pixels / size / 8) * 8 - 8, most - 1));
    scrollTo(first(scrollTop, kRowHeight, rows), first(scrollLeft, width, columns));
  };
  return (
    <>
      <div class="grid-tools"><FormatPicker /></div>
      <div
        class="value-grid" role="grid" tabIndex={0} aria-label={`Elements of ${name}`}
        aria-rowcount={rows + 1} aria-colcount={columns + 1} data-testid="value-grid"
        onScroll={onScroll}
      >
        <div ref={spacer} class="grid-space" role="rowgroup">
          <div class="grid-row grid-head" role="row" aria-rowindex={1}>
            <Cell role="columnheader" at={0} width={56} column={1}>
              <span class="visually-hidden">row</span>
            </Cell>
            {Array.from({ length: shownColumns }, (_, i) => (
              <Cell
                key={i} role="columnheader" at={56 + (window.column + i) * width} width={width}
                column={window.column + i + 2}
              >
                {window.column + i}
              </Cell>
            ))}
          </div>
          {Array.from({ length: shownRows }, (_, i) => (
            <Row
              key={window.row + i} window={window} view={view} row={i} columns={shownColumns}
              width={width}
            />
          ))}
        </div>
      </div>
      <p class="hint">
        {rows} × {columns}{rows > kWindowRows || columns > kWindowColumns
          ? '; more is read as you scroll' : ''}
      </p>
    </>
  );
}
