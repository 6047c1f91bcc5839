// SPDX-License-Identifier: Apache-2.0
// The objects of the run: what is alive at the cursor, what was ever there, what was leaked, what
// changed between two steps; of each why it is alive.
import { useState } from 'preact/hooks';
import type { HeapDifference, ObjectKind, ObjectsView, ObjectView } from 'tern-runtime';
import { formatBytes, formatCount } from '../../model/format.js';
import { retainingPath } from '../../model/objects.js';
import { cursorKey, useRunView } from '../../state/debug.js';
import { seek } from '../../state/runs.js';
import { highlighted, pin } from '../../state/selection.js';
import { now } from '../../state/store.js';
import '../../style/debug.css';
import { type Column, DataTable } from '../../widgets/data-table.js';
import { Sparkline } from '../../widgets/sparkline.js';
import { Pane } from '../pane.js';

const kKinds: readonly [ObjectKind | 'difference', string][] = [
  ['live', 'alive now'], ['all', 'all of the run'], ['leaked', 'leaked'],
  ['difference', 'changed since a step'],
];

// A constant may be held by hundreds of registers and objects.
const kMostHolders = 3;

function Holders({ holders }: ObjectView) {
  const shown = holders.slice(0, kMostHolders);
  return (
    <>
      {shown.map(({ text }, i) => <span key={i} class="chip">{text}</span>)}
      {holders.length > shown.length ? <span class="detail">
        and {holders.length - shown.length} more</span> : null}
    </>
  );
}

function Step({ step, pc }: { step: number; pc?: number | null }) {
  return (
    <button type="button" class="link" onClick={() => seek(step)}>
      {step}{pc === undefined || pc === null ? '' : `, pc ${pc}`}
    </button>
  );
}

/** Parts of the record, in each of which the registers that held an object are counted. */
const kParts = 24;

function Held({ held = [] }: ObjectView) {
  const { trace, steps } = now;
  const most = Math.max(0, ...held);
  const label = `over the record, held by ${formatCount(most, 'register')} at most`;
  const at = trace && trace.end > trace.first
    ? (steps - trace.first) / (trace.end - trace.first) : undefined;
  return <span title={label}><Sparkline counts={held} label={label} at={at} /></span>;
}

/** An object, and of a difference whether it came or went. */
interface HeapRow extends ObjectView {
  readonly sign?: string;
}

// Ids are of the record: an object keeps its own while one goes back and forth.
function isPicked({ id }: HeapRow): boolean {
  const selection = highlighted.value;
  return selection?.kind === 'object' && selection.id === id;
}

const nameOf = ({ sign = '', id, type }: HeapRow): string => `${sign}#${id} ${type}`;

function Name({ object }: { object: HeapRow }) {
  const { id, type, sign, leaked } = object;
  const picked = isPicked(object);
  return (
    <>
      {sign ? <b class="sign">{sign}</b> : null}
      <button
        type="button" class="link" aria-pressed={picked} title="Why it is alive"
        onClick={() => pin(picked ? undefined : { kind: 'object', id })}
      >
        #{id} {type}
      </button>
      {leaked ? <span class="badge">leaked</span> : null}
    </>
  );
}

/** Not told of what came and went between two steps. */
const kHeld: Column<HeapRow> = {
  title: 'over time', value: ({ held = [] }) => held.join(' '),
  cell: (object) => <Held {...object} />,
};

const kColumns: readonly Column<HeapRow>[] = [
  { title: 'object', value: nameOf, cell: (object) => <Name object={object} /> },
  kHeld,
  { title: 'bytes', class: 'number', value: ({ bytes }) => bytes,
    cell: ({ bytes }) => formatBytes(bytes) },
  { title: 'counted', class: 'number', value: ({ references }) => references,
    cell: ({ references }) => references || '' },
  { title: 'created', value: ({ created, createdPc }) =>
    (createdPc === null ? 'argument' : created + 1),
  cell: ({ created, createdPc }) => (createdPc === null ? 'argument'
    : <Step step={created + 1} pc={createdPc} />) },
  { title: 'released', value: ({ released }) => (released === null ? '' : released + 1),
    cell: ({ released }) => (released === null ? '' : <Step step={released + 1} />) },
  { title: 'held by', class: 'wide', value: ({ holders }) =>
    holders.map(({ text }) => text).join(', '), cell: (object) => <Holders {...object} /> },
];

function Table({ rows, label }: { rows: readonly HeapRow[]; label: string }) {
  const columns = kColumns.filter((each) => each !== kHeld || rows.some(({ held }) => held));
  return (
    <DataTable
      name="heap-table" label={label} class="facts" columns={columns} rows={rows}
      row={(object) => ({
        class: [isPicked(object) && 'picked', !object.live && 'gone'].filter(Boolean).join(' '),
        'data-row-id': object.id,
      })}
    />
  );
}

function Why({ objects }: ObjectsView) {
  const selection = highlighted.value;
  if (selection?.kind !== 'object') return null;
  // From a register or a constant to the object: the first reason why it is alive.
  const path = retainingPath(objects, selection.id);
  if (!path) return null;
  return <p class="row-detail" data-testid="why-alive">{path}</p>;
}

function Objects({ kind }: { kind: ObjectKind }) {
  const view = useRunView({ view: 'objects', list: kind, parts: kParts }, cursorKey());
  if (!view) return null;
  const { objects, count, bytes } = view;
  // What is alive when the run has ended, and nobody was given.
  const word = kind === 'leaked' ? 'leak' : 'object';
  return (
    <>
      <p class="summary" data-testid="heap-summary">
        {formatCount(count, word)}{count > 0 ? `, ${formatBytes(bytes)}` : ''}
        {count > objects.length ? `; the largest ${objects.length} are shown` : ''}
      </p>
      {objects.length > 0 ? <Table label="Objects" rows={objects} /> : null}
      <Why {...view} />
    </>
  );
}

function Changes({ added, removed, bytes }: HeapDifference) {
  const rows = [
    ...added.map((object) => ({ ...object, sign: '+' })),
    ...removed.map((object) => ({ ...object, sign: '−' })),
  ];
  return (
    <>
      <p class="summary" data-testid="heap-summary">
        +{formatCount(added.length, 'object')}, −{formatCount(removed.length, 'object')},{' '}
        {bytes < 0 ? '−' : '+'}{formatBytes(Math.abs(bytes))}
      </p>
      <Table label="Objects that came and went" rows={rows} />
    </>
  );
}

function Difference() {
  const { trace, steps } = now;
  const [from, setFrom] = useState<number | undefined>();
  const first = trace?.first ?? 0;
  const end = trace?.end ?? 0;
  // The record may have lost the step that was asked for, or not reached it yet.
  const begin = Math.min(Math.max(from ?? first, first), end);
  const view = useRunView(
    { view: 'difference', from: begin, to: Math.min(Math.max(steps, first), end) }, cursorKey());
  return (
    <>
      <p class="summary">
        <label>
          from step{' '}
          <input
            type="number" min={first} max={end} value={begin} data-testid="difference-from"
            onChange={(event) => setFrom(event.currentTarget.valueAsNumber || 0)}
          />
        </label>{' '}
        to step {steps}{' '}
        <button type="button" class="small" onClick={() => setFrom(steps)}>From here</button>
      </p>
      {view ? <Changes {...view} /> : null}
    </>
  );
}

export function HeapPane() {
  const { trace, machine } = now;
  const [kind, setKind] = useState<ObjectKind | 'difference'>('live');
  return (
    <Pane
      id="heap" title="Heap"
      note={machine ? `${formatBytes(machine.memory.live)} allocated` : undefined}
      tools={
        <select aria-label="Which objects" value={kind} data-testid="heap-kind"
          onChange={(event) => setKind(event.currentTarget.value as typeof kind)}>
          {kKinds.map(([id, text]) => <option key={id} value={id}>{text}</option>)}
        </select>
      }
    >
      {!trace ? <p class="hint padded">Step or run to see which objects there are.</p>
        : kind === 'difference' ? <Difference /> : <Objects key={kind} kind={kind} />}
    </Pane>
  );
}
