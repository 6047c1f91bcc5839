// SPDX-License-Identifier: Apache-2.0
// The objects of the run: what is alive at the cursor, what was ever there, what was leaked, what
// changed between two steps; of each why it is alive.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { HeapDifference, ObjectKind, ObjectsView, ObjectView } from 'tern-runtime';
import { formatBytes, formatCount } from '../../model/format.js';
import { retainingPath } from '../../model/objects.js';
import { cursorKey, useRunView } from '../../state/debug.js';
import { seek } from '../../state/runs.js';
import { highlighted, pin } from '../../state/selection.js';
import { session } from '../../state/store.js';
import '../../style/debug.css';
import { Pane } from '../pane.js';

const kKinds: readonly [ObjectKind | 'difference', string][] = [
  ['live', 'alive now'], ['all', 'all of the run'], ['leaked', 'leaked'],
  ['difference', 'changed since a step'],
];

const kTitles = ['object', 'bytes', 'counted', 'created', 'released', 'held by'];

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

function Row({ object, sign }: { object: ObjectView; sign?: string }) {
  const selection = highlighted.value;
  const picked = selection?.kind === 'object' && selection.id === object.id;
  const classes = [picked && 'picked', !object.live && 'gone'].filter(Boolean).join(' ');
  return (
    <tr class={classes} data-row-id={object.id}>
      <th scope="row">
        {sign ? <b class="sign">{sign}</b> : null}
        <button
          type="button" class="link" aria-pressed={picked} title="Why it is alive"
          onClick={() => pin(picked ? undefined : { kind: 'object', id: object.id })}
        >
          #{object.id} {object.type}
        </button>
        {object.leaked ? <span class="badge">leaked</span> : null}
      </th>
      <td class="number">{formatBytes(object.bytes)}</td>
      <td class="number">{object.references || ''}</td>
      <td>{object.createdPc === null ? 'argument'
        : <Step step={object.created + 1} pc={object.createdPc} />}</td>
      <td>{object.released === null ? '' : <Step step={object.released + 1} />}</td>
      <td class="wide"><Holders {...object} /></td>
    </tr>
  );
}

function Table({ children, label }: { children: ComponentChildren; label: string }) {
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label={label}>
      <table class="facts" data-testid="heap-table">
        <thead><tr>{kTitles.map((title) => <th key={title} scope="col">{title}</th>)}</tr></thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

function Why({ objects }: ObjectsView) {
  const selection = highlighted.value;
  if (selection?.kind !== 'object') return null;
  const path = retainingPath(objects, selection.id);
  if (!path) return null;
  return <p class="row-detail" data-testid="why-alive">{path}</p>;
}

function Objects({ kind }: { kind: ObjectKind }) {
  const view = useRunView({ view: 'objects', list: kind }, cursorKey());
  if (!view) return null;
  const { objects, count, bytes } = view;
  const word = kind === 'leaked' ? 'leak' : 'object';
  return (
    <>
      <p class="summary" data-testid="heap-summary">
        {formatCount(count, word)}{count > 0 ? `, ${formatBytes(bytes)}` : ''}
        {count > objects.length ? `; the largest ${objects.length} are shown` : ''}
      </p>
      {objects.length > 0 ? (
        <Table label="Objects">
          {objects.map((object) => <Row key={object.id} object={object} />)}
        </Table>
      ) : null}
      <Why {...view} />
    </>
  );
}

function Changes({ added, removed, bytes }: HeapDifference) {
  return (
    <>
      <p class="summary" data-testid="heap-summary">
        +{formatCount(added.length, 'object')}, −{formatCount(removed.length, 'object')},{' '}
        {bytes < 0 ? '−' : '+'}{formatBytes(Math.abs(bytes))}
      </p>
      <Table label="Objects that came and went">
        {added.map((object) => <Row key={`+${object.id}`} object={object} sign="+" />)}
        {removed.map((object) => <Row key={`-${object.id}`} object={object} sign="−" />)}
      </Table>
    </>
  );
}

function Difference() {
  const { trace, steps } = session.value;
  const [from, setFrom] = useState<number | undefined>();
  const first = trace?.first ?? 0;
  const end = trace?.end ?? 0;
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
  const { trace, machine } = session.value;
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
