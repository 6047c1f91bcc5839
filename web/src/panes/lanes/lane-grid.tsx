// SPDX-License-Identifier: Apache-2.0
// One strategy: its iterations as rows of lanes. The grid has one tab stop; arrows walk its cells.
import type { LaneRun } from '../../engine/loops-protocol.js';
import { formatCount } from '../../model/format.js';
import {
  cellsOf, describeCell, kStrategyWords, type LaneCell, type LaneIteration, maskOf, moveCursor,
  partName, rangeOf, rowAt, rowsOf, type StrategyName,
} from '../../model/lanes.js';
import { togglePlay } from '../../state/lane-play.js';
import { lanesNow, pick, pickedElement, runOf, unfold } from '../../state/lanes.js';
import { DataTable } from '../../widgets/data-table.js';
import { Disclosure } from '../../widgets/disclosure.js';
import { SavePicture } from '../../widgets/save-picture.js';

/** Lanes in one line of a strip; longer vectors go on in the line below. Heights are pixels. */
const kLine = 32;
const kHeight = 20;

/** Wide where few lanes leave room for the elements' numbers. */
function cellWidth(lanes: number): number {
  if (lanes <= 8) return 30;
  return lanes <= 16 ? 18 : 10;
}

interface StripProps {
  row: LaneIteration;
  cells: readonly LaneCell[];
  strategy: StrategyName;
  /** Lane under the cursor; elements that the cursor's cell has, here. */
  at: number | undefined;
  also: number | undefined;
}

// One path for each state and not a rectangle for each lane: a picture has thousands of lanes, and
// drawing it again must keep up with the slider.
function Strip({ row, cells, strategy, at, also }: StripProps) {
  const width = cellWidth(cells.length);
  const columns = Math.min(cells.length, kLine);
  const lines = Math.ceil(cells.length / kLine);
  const xy = (lane: number) =>
    ({ x: (lane % kLine) * width, y: Math.floor(lane / kLine) * (kHeight + 2) });
  const pathOf = (state: LaneCell['state']): string =>
    cells.filter((cell) => cell.state === state).map(({ lane }) => {
      const { x, y } = xy(lane);
      return `M${x + 1} ${y + 1}h${width - 2}v${kHeight - 2}h${2 - width}z`;
    }).join('');
  const box = (lane: number, name: string) => {
    const { x, y } = xy(lane);
    return <rect class={name} x={x + 1} y={y + 1} width={width - 2} height={kHeight - 2} />;
  };
  // Numbers are left out all together where one would not fit: lanes with and without one would
  // look different for no reason.
  const labelled = width >= 18 && cells.every(({ element }) => element < (width > 20 ? 1e4 : 100));
  const size = { width: columns * width, height: lines * (kHeight + 2) - 2 };
  // The lane is found by arithmetic, because paths of many lanes tell nothing of a single one. The
  // picture may be shown smaller than it is, hence the scale.
  const onClick = (event: MouseEvent & { currentTarget: SVGSVGElement }): void => {
    const bounds = event.currentTarget.getBoundingClientRect();
    const scale = size.width / bounds.width;
    const column = Math.floor(((event.clientX - bounds.left) * scale) / width);
    const line = Math.floor(((event.clientY - bounds.top) * scale) / (kHeight + 2));
    const lane = line * kLine + column;
    if (lane >= 0 && lane < cells.length) pick({ strategy, k: row.k, lane });
  };
  return (
    <svg
      class="strip" viewBox={`0 0 ${size.width} ${size.height}`} width={size.width}
      height={size.height} aria-hidden="true" onClick={onClick}
    >
      {(['active', 'scalar', 'off', 'outside'] as const).map((state) => (
        <path key={state} class={`lane-${state}`} d={pathOf(state)} />
      ))}
      {(['off', 'outside'] as const).map((state) => (
        <path key={state} class="hatch" fill={`url(#hatch-${state})`} d={pathOf(state)} />
      ))}
      {labelled ? cells.map(({ lane, element, state }) => (
        <text
          key={lane} class={`label-${state}`} x={xy(lane).x + width / 2} y={xy(lane).y + 14}
        >
          {state === 'off' ? '–' : state === 'outside' ? '×' : element}
        </text>
      )) : null}
      {also === undefined ? null : box(also, 'also')}
      {at === undefined ? null : box(at, 'cursor')}
    </svg>
  );
}

/** Bits of a mask, in groups of four; of long ones that are on up to some lane, how many are. */
function maskText(mask: string): string {
  const on = mask.indexOf('0') < 0 ? mask.length : mask.indexOf('0');
  const isPrefix = !mask.includes('1', on);
  if (mask.length <= kLine / 2 || !isPrefix) return mask.replace(/(.{4})(?=.)/g, '$1 ');
  const all = on === mask.length;
  return all ? `1 in all ${on} lanes` : `1 in the first ${on} of ${mask.length} lanes`;
}

function Row({ run, row, strategy }: { run: LaneRun; row: LaneIteration; strategy: StrategyName }) {
  const { cursor } = lanesNow;
  const buffers = run.buffers ?? [];
  const cells = cellsOf(row, buffers);
  const mask = maskOf(row, buffers);
  // The element under the cursor is marked in the other strategies and iterations as well: that is
  // what the three pictures are side by side for.
  const element = pickedElement.value;
  const here = cursor?.strategy === strategy && cursor.k === row.k;
  const twin = here || element === undefined ? undefined
    : cells.find((cell) => cell.element === element && cell.state !== 'outside')?.lane;
  return (
    <div class={`lane-row part-${row.part}`} data-k={row.k}>
      <span class="k">{row.k}</span>
      <Strip row={row} cells={cells} strategy={strategy} at={here ? cursor.lane : undefined}
        also={twin} />
      <span class="range">{rangeOf(cells)}</span>
      {mask === undefined ? null : <span class="mask">p = {maskText(mask)}</span>}
    </div>
  );
}

// Iterations that are alike came as one row from the core; which of them are shown is asked for
// anew.
function Folded({ row, strategy }: { row: LaneIteration; strategy: StrategyName }) {
  return (
    <button
      type="button" class="small folded" data-testid={`folded-${strategy}`}
      onClick={() => void unfold(row.k, row.folded)}
    >
      … {formatCount(row.folded, 'iteration')} like it
    </button>
  );
}

/** Rows of the main loop, then of what is left over, each under its name. */
function Rows({ run, strategy }: { run: LaneRun; strategy: StrategyName }) {
  const rows = rowsOf(run);
  return (
    <>
      {rows.map((row, i) => {
        const isNew = rows[i - 1]?.part !== row.part;
        return (
          <div key={i}>
            {isNew ? <p class="part">{partName(row, strategy)}</p> : null}
            {row.folded > 1 ? (
              <Folded row={row} strategy={strategy} />
            ) : (
              <Row run={run} row={row} strategy={strategy} />
            )}
          </div>
        );
      })}
      {rows.length === 0 ? <p class="hint">No iteration runs.</p> : null}
      {run.left_out ? (
        <p class="hint">and {formatCount(run.left_out, 'iteration')} that are not shown</p>
      ) : null}
    </>
  );
}

/** The same rows for who cannot see strips, and for files. */
function LaneTable({ run, strategy }: { run: LaneRun; strategy: StrategyName }) {
  const buffers = run.buffers ?? [];
  return (
    <DataTable
      name={`lane-table-${strategy}`} label={`Lanes of ${kStrategyWords[strategy].title}`}
      rows={rowsOf(run)}
      columns={[
        { title: 'iteration', value: ({ k, folded }) =>
          (folded > 1 ? `${k}–${k + folded - 1}` : k) },
        { title: 'part', value: (row) => partName(row, strategy) },
        { title: 'lanes on', value: ({ active, lanes: all }) => `${active} of ${all}` },
        { title: 'elements', value: (row) =>
          (row.folded > 1 ? 'alike' : rangeOf(cellsOf(row, buffers))) },
        { title: 'mask', value: (row) => maskOf(row, buffers) ?? 'none' },
      ]}
    />
  );
}

/** Keys of the grid as a whole. Those of buttons and fields within it are their own. */
function onKey(event: KeyboardEvent, run: LaneRun, strategy: StrategyName): void {
  const modified = event.ctrlKey || event.metaKey || event.altKey;
  if (modified || event.target !== event.currentTarget) return;
  if (event.key === ' ') {
    event.preventDefault();
    // A key that is held would start and stop many times a second.
    if (!event.repeat) togglePlay();
    return;
  }
  const { cursor } = lanesNow;
  // Rows that stand for several iterations have no cells to go to.
  const first = rowsOf(run).find(({ folded }) => folded === 1);
  if (!first) return;
  // A cursor in another strategy stays there until a key is pressed here; the first key then only
  // brings it over.
  const mine = cursor?.strategy === strategy;
  const start = { strategy, k: first.k, lane: 0 };
  const next = moveCursor(run, mine ? cursor : start, event.key);
  if (!next) return;
  event.preventDefault();
  pick(mine ? next : start);
}

function SaveLanes({ strategy }: { strategy: StrategyName }) {
  const { title, about } = kStrategyWords[strategy];
  const { vscale, n } = lanesNow;
  return (
    <SavePicture
      name={`lanes-${strategy}`} title={title} selector=".rows"
      about={`${about}: vscale ${vscale}, n = ${n}.`}
    />
  );
}

export function LaneGrid({ strategy }: { strategy: StrategyName }) {
  const run = runOf(strategy);
  const words = kStrategyWords[strategy];
  // Whose stages are shown, which is another thing than where the cursor is.
  const picked = lanesNow.strategy === strategy;
  if (!run) return null;
  return (
    <section class={picked ? 'strategy picked' : 'strategy'} aria-labelledby={`title-${strategy}`}
      data-testid={`strategy-${strategy}`}>
      <h3 id={`title-${strategy}`}>
        <span class="letter" aria-hidden="true">{words.letter}</span> {words.title}
      </h3>
      <p class="detail about">{words.about}</p>
      <div
        class="rows scroll" tabIndex={0} role="group" data-testid={`grid-${strategy}`}
        aria-label={`Lanes of ${words.title}: arrows walk from cell to cell, Space plays`}
        aria-describedby="lane-readout" onKeyDown={(event) => onKey(event, run, strategy)}
      >
        <Rows run={run} strategy={strategy} />
      </div>
      <SaveLanes strategy={strategy} />
      <Disclosure summary="As a table" testid={`lanes-as-table-${strategy}`}>
        {() => <LaneTable run={run} strategy={strategy} />}
      </Disclosure>
    </section>
  );
}

/** The cell under the cursor in words; what a screen reader hears on every step. */
export function Readout() {
  const { cursor } = lanesNow;
  const run = cursor && runOf(cursor.strategy);
  const row = cursor && rowAt(run, cursor.k);
  const cell = row && cellsOf(row, run?.buffers ?? [])[cursor.lane];
  return (
    <p class="readout" id="lane-readout" role="status" data-testid="lane-readout">
      {run && row && cell
        ? describeCell(run, row, cell, cursor.strategy)
        : 'Pick a cell, or walk with the arrows, to see its element in all three.'}
    </p>
  );
}
