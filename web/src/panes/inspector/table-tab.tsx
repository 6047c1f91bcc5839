// SPDX-License-Identifier: Apache-2.0
// Elements as a grid of any size, of which only the part in sight is fetched and made.
import type { ComponentChildren } from 'preact';
import type { Tensor } from 'tern-runtime';
import { extentOf, type TensorView } from '../../model/tensor-picture.js';
import {
  elementText, kFormats, type NumberFormat, specialKind,
} from '../../model/tensor-text.js';
import { editAt } from '../../state/edit-input.js';
import {
  inspector, numberFormat, showRegion, type TensorWindow,
} from '../../state/inspector.js';

// As in inspector.css: rows that are not drawn have to be counted.
const kRowHeight = 22;
const kHeadWidth = 56;
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

interface RowProps {
  window: TensorWindow;
  view: TensorView;
  /** Within the window. */
  row: number;
  columns: number;
}

function Row({ window: { region, tensor }, view, row, columns }: RowProps) {
  const format = numberFormat.value;
  const cells = Array.from({ length: columns }, (_, column) => {
    const index = indexIn(tensor, view, row, column);
    const kind = specialKind(tensor, index);
    return (
      <Cell key={column} role="gridcell" column={region.column + column} kind={kind}>
        {elementText(tensor, index, format)}
      </Cell>
    );
  });
  const at = region.row + row;
  return (
    <div class="grid-row" role="row" aria-rowindex={at + 2}>
      <Cell role="rowheader">{at}</Cell>
      {cells}
    </div>
  );
}

interface CellProps {
  role: 'gridcell' | 'rowheader' | 'columnheader';
  /** Of the tensor; heads of rows are in none. */
  column?: number;
  kind?: string;
  children: ComponentChildren;
}

function Cell({ role, column = -1, kind = '', children }: CellProps) {
  return (
    <span
      role={role} class={`grid-cell ${kind.replace(' ', '-')}`} aria-colindex={column + 2}
      title={kind || undefined} data-kind={kind || undefined}
    >
      {children}
    </span>
  );
}

/** The cell that was clicked, by what it tells screen readers. */
function pick({ target }: Event, view: TensorView): void {
  const cell = (target as Element).closest('[role=gridcell]');
  const row = Number(cell?.parentElement?.getAttribute('aria-rowindex'));
  const column = Number(cell?.getAttribute('aria-colindex'));
  if (cell) editAt(positionOf(view, row - 2, column - 2));
}

// So many are made beside those in sight, in steps of as many: small moves ask for nothing.
const kAhead = 2;

/** Of rows, or columns, of one size in pixels: the first that is made, and how many are. */
function stretch(
  scrolled: number, shown: number, size: number, count: number,
): [first: number, count: number] {
  const first = Math.floor(scrolled / size / kAhead) * kAhead - kAhead;
  const most = Math.ceil(shown / size / kAhead) * kAhead + 3 * kAhead;
  return [Math.max(0, Math.min(first, count - 1)), most];
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

/** Numbers of the columns of the window; above those of the rows stands nothing to be seen. */
function Head({ first, count }: { first: number; count: number }) {
  return (
    <div class="grid-row grid-head" role="row" aria-rowindex={1}>
      <Cell role="columnheader"><span class="visually-hidden">row</span></Cell>
      {Array.from({ length: count }, (_, i) => (
        <Cell key={i} role="columnheader" column={first + i}>{first + i}</Cell>
      ))}
    </div>
  );
}

/** Extents down and across; 1 where the view has no such axis. */
function extents({ shape }: { readonly shape: readonly number[] }, view: TensorView) {
  return { rows: extentOf(shape, view.rowAxis), columns: extentOf(shape, view.columnAxis) };
}

const pixels = (count: number): string => `${Math.min(count, kMostPixels)}px`;

export function TableTab() {
  const { layout, view, window, name } = inspector.value;
  if (!window || !view || !layout) return <p class="hint">reading…</p>;
  const width = kColumnWidths[numberFormat.value];
  const { rows, columns } = extents(layout, view);
  const shown = extents(window.tensor, view);
  const { row: top, column: left } = window.region;
  const onScroll = ({ currentTarget: grid }: Event & { currentTarget: HTMLElement }): void => {
    const [row, rowCount] = stretch(grid.scrollTop, grid.clientHeight, kRowHeight, rows);
    const [column, columnCount] = stretch(grid.scrollLeft, grid.clientWidth, width, columns);
    showRegion({ row, column, rows: rowCount, columns: columnCount });
  };
  // As large as the whole grid, for the scroll bars; only the window's cells are made.
  const space = {
    height: pixels((rows + 1) * kRowHeight), width: pixels(kHeadWidth + columns * width),
    '--head': `${kHeadWidth}px`, '--cell': `${width}px`, '--before': `${left * width}px`,
  };
  return (
    <>
      <div class="grid-tools"><FormatPicker /></div>
      <div
        class="value-grid" role="grid" tabIndex={0} aria-label={`Elements of ${name}`}
        aria-rowcount={rows + 1} aria-colcount={columns + 1} data-testid="value-grid"
        onScroll={onScroll}
      >
        <div class="grid-space" role="none" style={space}>
          <Head first={left} count={shown.columns} />
          <div
            class="grid-window" role="rowgroup" style={{ top: `${(top + 1) * kRowHeight}px` }}
            onClick={(event) => pick(event, view)}
          >
            {Array.from({ length: shown.rows }, (_, i) => (
              <Row
                // Those that stay in sight keep their elements, and those that come take over.
                key={(top + i) % shown.rows} window={window} view={view} row={i}
                columns={shown.columns}
              />
            ))}
          </div>
        </div>
      </div>
      <p class="hint">
        {rows} × {columns}{rows > shown.rows || columns > shown.columns
          ? '; more is read as you scroll' : ''}
      </p>
    </>
  );
}
