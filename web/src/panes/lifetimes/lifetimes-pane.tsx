// SPDX-License-Identifier: Apache-2.0
// What the registers of a frame held over the run, and how much of it was held for nothing.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { LifetimesView } from 'tern-runtime';
import { formatBytes, formatCount } from '../../model/format.js';
import {
  type Bar, barLabel, barSentence, barsOf, deadShare, type LifetimeOrder, rowsOf,
} from '../../model/lifetimes.js';
import { recordKey, useRunView } from '../../state/debug.js';
import { seek } from '../../state/runs.js';
import { highlighted, pin } from '../../state/selection.js';
import { now } from '../../state/store.js';
import '../../style/debug.css';
import { CanvasPicture } from '../../widgets/canvas-picture.js';
import { type Column, DataTable } from '../../widgets/data-table.js';
import { Pane } from '../pane.js';
import { drawLifetimes, kLabelWidth, kRowHeight, xOf } from './draw-lifetimes.js';

/** Rows of the table; above, the largest values are told. */
const kMostRows = 500;

const kOrders: readonly [LifetimeOrder, string][] = [
  ['register', 'by register'], ['first', 'by first value'], ['bytes', 'by byte-steps'],
];

function pickedRegister(): number | undefined {
  const selection = highlighted.value;
  return selection?.kind === 'register' ? selection.index : undefined;
}

/** Selects a value: its register, at the first step that has it. */
function pick(bar: Bar): void {
  pin({ kind: 'register', index: bar.register, frame: 0 });
  void seek(bar.wasThere ? bar.defined : bar.defined + 1);
}

interface PictureProps {
  view: LifetimesView;
  bars: readonly Bar[];
  rows: readonly number[];
  scaled: boolean;
}

function Picture({ view, bars, rows, scaled }: PictureProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState({ top: 0, height: 200 });
  const measure = (): void => {
    const element = scroller.current;
    if (element) setPlace({ top: element.scrollTop, height: element.clientHeight });
  };
  useEffect(measure, [rows.length]);
  const picked = pickedRegister();
  const names = useMemo(
    () => new Map(view.registers.map(({ index, name }) => [index, name])), [view]);
  // The canvas is as high as what is in sight and stays there while the rows scroll: browsers limit
  // how large a canvas may be.
  const height = Math.max(Math.min(rows.length * kRowHeight, 2000, Math.max(place.height, 60)), 20);
  const onPoint = (x: number, y: number): void => {
    const register = rows[Math.floor((y + place.top) / kRowHeight)];
    const width = scroller.current?.clientWidth ?? 0;
    const at = xOf(view, width);
    // Short bars get two pixels and one around them, so that a pointer can meet them.
    const hit = bars.find((bar) => bar.register === register &&
      at(bar.defined) - 1 <= x && x <= Math.max(at(bar.ended), at(bar.defined) + 2) + 1);
    if (hit) pick(hit);
    else if (register !== undefined) pin({ kind: 'register', index: register, frame: 0 });
  };
  const share = deadShare(view);
  const name = `Registers of ${view.function} over time: ${formatCount(view.count, 'value')} in ` +
    `${formatCount(rows.length, 'register')}${share ? `, ${share}` : ''}`;
  return (
    <div class="bars-scroll" ref={scroller} onScroll={measure} tabIndex={0} role="group"
      aria-label="Registers over time">
      <div style={{ height: `${rows.length * kRowHeight}px` }}>
        <div class="sticky">
          <CanvasPicture
            name={name} height={height} onPoint={onPoint} testid="lifetimes-picture"
            of={[view, rows, scaled, place.top, picked]}
            draw={(surface) => drawLifetimes(surface, {
              view, bars, rows, names, scaled, scrollTop: place.top, picked,
            })}
          />
          <Cursor view={view} />
        </div>
      </div>
    </div>
  );
}

/** Steps of this frame alone; outside of them it stands at an edge. */
function Cursor({ view }: { view: LifetimesView }) {
  const { steps } = now;
  const part = (steps - view.enter) / Math.max(view.leave - view.enter, 1);
  const at = Math.min(Math.max(part, 0), 1);
  return (
    <i
      class="cursor" aria-hidden="true"
      style={{ insetInlineStart: `calc(${kLabelWidth}px + (100% - ${kLabelWidth + 4}px) * ${at})` }}
    />
  );
}

const place = (step: number, pc: number): string => (pc < 0 ? '' : `step ${step}, pc ${pc}`);

const kColumns: readonly Column<Bar>[] = [
  { title: 'value', value: barLabel, cell: (bar) => (
    <button type="button" class="link" title={barSentence(bar)} onClick={() => pick(bar)}>
      {barLabel(bar)}
    </button>
  ) },
  { title: 'written by',
    value: (bar) => (bar.wasThere ? 'argument' : place(bar.defined, bar.definedPc)) },
  { title: 'last read', value: ({ uses, lastUse }) => (uses === 0 ? 'never' : `step ${lastUse}`) },
  { title: 'ended', value: ({ ended, endedPc }) => place(ended, endedPc) },
  { title: 'how', value: ({ end }) => end },
  { title: 'kind', value: ({ kind }) => kind },
  { title: 'bytes', class: 'number', value: ({ bytes }) => bytes,
    cell: ({ bytes }) => (bytes ? formatBytes(bytes) : '') },
];

function Table({ bars }: { bars: readonly Bar[] }) {
  const rows = bars.length > kMostRows ? [...bars].sort((a, b) => b.bytes - a.bytes) : bars;
  return (
    <DataTable
      name="lifetimes-table" label="Registers over time as a table" class="facts" rows={rows}
      columns={kColumns} most={kMostRows} chosen="the largest"
    />
  );
}

export function LifetimesPane() {
  const { machine, frame } = now;
  const [order, setOrder] = useState<LifetimeOrder>('register');
  const [scaled, setScaled] = useState(false);
  const [asTable, setAsTable] = useState(false);
  const frames = machine?.frames;
  // The picked frame may have returned since.
  const shown = frames?.length ? Math.min(frame, frames.length - 1) : 0;
  // Within a frame the picture is the same at every step, so that only another frame asks anew.
  const place = `${frames?.length ?? 0} ${frames?.[shown]?.function} ${frames?.[shown]?.entered}`;
  const view = useRunView({ view: 'lifetimes', frame: shown }, `${recordKey()} ${place}`);
  const bars = useMemo(() => (view ? barsOf(view) : []), [view]);
  const rows = useMemo(() => (view ? rowsOf(view, bars, order) : []), [view, bars, order]);
  const share = view && deadShare(view);
  return (
    <Pane
      id="lifetimes" title="Registers over time"
      note={view ? (
        <span data-testid="dead-share">@{view.function}{share ? ` · ${share}` : ''}</span>
      ) : undefined}
      tools={
        <>
          <select aria-label="Order of the registers" value={order} data-testid="lifetimes-order"
            onChange={(event) => setOrder(event.currentTarget.value as LifetimeOrder)}>
            {kOrders.map(([id, text]) => <option key={id} value={id}>{text}</option>)}
          </select>
          <button type="button" class="small" aria-pressed={scaled}
            onClick={() => setScaled(!scaled)}>Sizes</button>
          <button type="button" class="small" aria-pressed={asTable} disabled={!view}
            data-testid="lifetimes-as-table" onClick={() => setAsTable(!asTable)}>Table</button>
        </>
      }
    >
      {!view ? (
        <p class="hint padded">Step or run to see how long each register holds what.</p>
      ) : asTable ? <Table bars={bars} /> : (
        <Picture view={view} bars={bars} rows={rows} scaled={scaled} />
      )}
    </Pane>
  );
}
