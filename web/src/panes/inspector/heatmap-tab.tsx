// SPDX-License-Identifier: Apache-2.0
// Two axes as a picture with a colour bar; a cell cursor is moved by keys and tells its value.
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { TensorPicture } from 'tern-runtime';
import { formatCount, formatNumber } from '../../model/format.js';
import {
  type ColourRange, colourAt, extentOf, picturePixels, rangeOf, scaleOf,
} from '../../model/tensor-picture.js';
import { editAt } from '../../state/edit-input.js';
import { inspector } from '../../state/inspector.js';
import { hover, pin } from '../../state/selection.js';
import { Pixels } from '../../widgets/pixels.js';
import { Disclosure } from '../../widgets/disclosure.js';
import { NumberTable } from '../../widgets/number-table.js';

interface Cell {
  row: number;
  column: number;
}

function ColourBar({ range }: { range: ColourRange }) {
  // More than eyes tell apart, and drawn by the same function as the cells, so the bar cannot
  // differ from them.
  const kSteps = 128;
  const pixels = useMemo(() => {
    const made = new Uint8ClampedArray(kSteps * 4);
    for (let i = 0; i < kSteps; i++) {
      const value = range.low + ((range.high - range.low) * i) / (kSteps - 1);
      made.set([...colourAt(value, range), 255], i * 4);
    }
    return made;
  }, [range.low, range.high]);
  return (
    <div class="colour-bar">
      <span class="number">{formatNumber(range.low)}</span>
      <Pixels width={kSteps} height={1} pixels={pixels} label="Colours from lowest to highest" />
      <span class="number">{formatNumber(range.high)}</span>
    </div>
  );
}

/** What a cell shows, in words. */
function cellText(picture: TensorPicture, { row, column }: Cell): string {
  const i = row * picture.columns + column;
  const bad = picture.bad[i]!;
  const place = `row ${row}, column ${column}`;
  const [low, high] = [picture.low[i]!, picture.high[i]!];
  // All its elements are NaN or infinite, so that it has no range.
  if (Number.isNaN(low)) return `${place}: not finite`;
  const value = low === high ? formatNumber(low)
    : `${formatNumber(low)} to ${formatNumber(high)}, mean ${formatNumber(picture.mean[i]!)}`;
  return bad > 0 ? `${place}: ${value}, ${formatCount(bad, 'element')} not finite`
    : `${place}: ${value}`;
}

/** The position in the tensor that a cell begins at. */
function elementOf(picture: TensorPicture, { row, column }: Cell): number[] {
  const { view, layout } = inspector.value;
  if (!view || !layout) return [];
  const index = [...view.index];
  // A picture has at most so many cells; then a cell stands for several elements, and this is its
  // first.
  const set = (axis: number, cell: number, cells: number): void => {
    if (axis >= 0) index[axis] = Math.floor((cell * extentOf(layout.shape, axis)) / cells);
  };
  set(view.rowAxis, row, picture.rows);
  set(view.columnAxis, column, picture.columns);
  return index;
}

const kMoves: Record<string, [number, number]> = {
  ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1],
  PageUp: [-10, 0], PageDown: [10, 0],
};

function moved(cell: Cell, key: string, { rows, columns }: TensorPicture): Cell | undefined {
  // As in a grid: along the row and not to a corner.
  if (key === 'Home') return { ...cell, column: 0 };
  if (key === 'End') return { ...cell, column: columns - 1 };
  const by = kMoves[key];
  if (!by) return undefined;
  const within = (at: number, count: number): number => Math.min(Math.max(at, 0), count - 1);
  return { row: within(cell.row + by[0], rows), column: within(cell.column + by[1], columns) };
}

/** The frame around the cell at hand; placed by the style object model. */
function CellFrame({ cell, picture }: { cell: Cell; picture: TensorPicture }) {
  const frame = useRef<HTMLSpanElement>(null);
  // The policy of the page allows no style attributes.
  useLayoutEffect(() => {
    const style = frame.current!.style;
    style.left = `${(100 * cell.column) / picture.columns}%`;
    style.top = `${(100 * cell.row) / picture.rows}%`;
    style.width = `${100 / picture.columns}%`;
    style.height = `${100 / picture.rows}%`;
  });
  return <span ref={frame} class="cell-frame" aria-hidden="true" />;
}

/** Which cell lies there. */
function cellAt(
  event: MouseEvent & { currentTarget: HTMLElement }, { rows, columns }: TensorPicture,
): Cell {
  const bounds = event.currentTarget.getBoundingClientRect();
  const part = (offset: number, length: number, count: number): number =>
    Math.min(Math.max(Math.floor((offset / length) * count), 0), count - 1);
  return {
    row: part(event.clientY - bounds.top, bounds.height, rows),
    column: part(event.clientX - bounds.left, bounds.width, columns),
  };
}

/** Whether a cell stands for several elements. */
function isDivided({ rows, columns }: TensorPicture): boolean {
  const { layout, view } = inspector.value;
  if (!layout || !view) return false;
  return rows < extentOf(layout.shape, view.rowAxis) ||
    columns < extentOf(layout.shape, view.columnAxis);
}

/** Moving shows in other panes where the element is; what is pinned stays there. */
function choose(index: readonly number[], isPinned: boolean): void {
  const { place } = inspector.value;
  editAt(index);
  const selection = { kind: 'element', register: place?.register ?? 0, index } as const;
  if (isPinned) pin(selection);
  else hover(selection);
}

interface PictureProps {
  picture: TensorPicture;
  cell: Cell;
  setCell: (cell: Cell) => void;
}

function Picture({ picture, cell, setCell }: PictureProps) {
  const range = useMemo(() => rangeOf(picture), [picture]);
  const { rows, columns } = picture;
  const scale = scaleOf(rows, columns);
  const pixels = useMemo(() => picturePixels(picture, range, scale), [picture]);
  // Another slice may have fewer cells than the one in which the cursor was set.
  const at = { row: Math.min(cell.row, rows - 1), column: Math.min(cell.column, columns - 1) };
  const { name } = inspector.value;
  const go = (to: Cell): void => {
    setCell(to);
    choose(elementOf(picture, to), false);
  };
  const finite = `${formatNumber(range.low)} to ${formatNumber(range.high)}`;
  return (
    <>
      <div
        class="heatmap-cells" tabIndex={0} role="application" aria-roledescription="heatmap"
        aria-label={`Cells of ${name}; arrows move`} aria-describedby="heatmap-cell"
        data-testid="heatmap-cells"
        onKeyDown={(event) => {
          const next = moved(at, event.key, picture);
          if (event.key === 'Enter') choose(elementOf(picture, at), true);
          if (!next) return;
          event.preventDefault();
          // Arrows are also keys of the page: they step the run.
          event.stopPropagation();
          go(next);
        }}
        onClick={(event) => go(cellAt(event, picture))}
      >
        <Pixels
          width={columns * scale} height={rows * scale} pixels={pixels} testid="inspector-heatmap"
          ratio={Math.min(Math.max(columns / rows, 1 / 6), 6)}
          label={`Heatmap of ${name}, ${rows} × ${columns} cells, ${finite}`}
        />
        <CellFrame cell={at} picture={picture} />
      </div>
      <p id="heatmap-cell" class="cell-value mono" aria-live="polite" data-testid="cell-value">
        [{elementOf(picture, at).join(', ')}] {cellText(picture, at)}
      </p>
      <ColourBar range={range} />
      {isDivided(picture) ? (
        <p class="hint">Each cell is the mean of several elements; its text tells their range.</p>
      ) : null}
      <Disclosure summary="View as table" testid="inspector-heatmap-table">
        {() => (
          <NumberTable
            name="cells-table" caption={name} rows={rows} columns={columns} values={picture.mean}
          />
        )}
      </Disclosure>
    </>
  );
}

export function HeatmapTab() {
  const { picture } = inspector.value;
  // Of the tab, so that it stays where it is while another slice is read.
  const [cell, setCell] = useState<Cell>({ row: 0, column: 0 });
  if (!picture) return <p class="hint">reading…</p>;
  if (picture.rows * picture.columns === 0) return <p class="hint">no elements</p>;
  return <Picture picture={picture} cell={cell} setCell={setCell} />;
}
