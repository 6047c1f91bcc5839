// SPDX-License-Identifier: Apache-2.0
// The shape heap: what each slot stands for, and the rules of the function with the numbers of this
// run put in.
import type { ShapeHeapView } from 'tern-runtime';
import { kExtents, stopOf } from '../../model/extents.js';
import { cursorKey, useRunView } from '../../state/debug.js';
import { runWith, seek } from '../../state/runs.js';
import { links } from '../../state/links.js';
import { highlighted, pin } from '../../state/selection.js';
import { now } from '../../state/store.js';
import '../../style/debug.css';
import { type Column, DataTable } from '../../widgets/data-table.js';
import { Pane } from '../pane.js';

type Rule = ShapeHeapView['rules'][number];
type Slot = ShapeHeapView['slots'][number];

const kSigns: Record<Rule['state'], [sign: string, word: string]> = {
  pending: ['○', 'not executed yet'], holds: ['✓', 'holds'], fails: ['✗', 'fails'],
};

function PcButton({ pc }: { pc: number }) {
  return (
    <button type="button" class="link" onClick={() => pin({ kind: 'pc', pc })}>pc {pc}</button>
  );
}

function isPicked(index: number): boolean {
  const selection = highlighted.value;
  return selection?.kind === 'slot' && selection.slot === index;
}

function Writer({ slot: { step, pc } }: { slot: Slot }) {
  if (step === null || pc === null) return null;
  return (
    <>
      <PcButton pc={pc} />, <button type="button" class="link" onClick={() => seek(step + 1)}>
        step {step}
      </button>
    </>
  );
}

const kColumns: readonly Column<Slot>[] = [
  { title: 'slot', value: ({ symbol }, index) => `${index} ${symbol}`,
    cell: ({ symbol }, index) => (
      <button
        type="button" class="link" aria-pressed={isPicked(index)}
        onClick={() => pin(isPicked(index) ? undefined : { kind: 'slot', slot: index })}
      >
        {index} {symbol}
      </button>
    ) },
  { title: 'value', class: 'number', value: ({ step, value }) => (step === null ? '' : value),
    cell: ({ step, value }) => (step === null ? <span class="detail">not written</span> : value) },
  { title: 'written by', value: ({ step, pc }) => (step === null ? '' : `pc ${pc}, step ${step}`),
    cell: (slot) => <Writer slot={slot} /> },
  { title: 'read by', value: ({ readers }) => readers.map((pc) => `pc ${pc}`).join(', '),
    cell: ({ readers }) => readers.map((pc) => <PcButton key={pc} pc={pc} />) },
];

function RuleLine({ rule }: { rule: Rule }) {
  const selection = highlighted.value;
  const [sign, word] = kSigns[rule.state];
  const picked = (selection?.kind === 'slot' && selection.slot === rule.slot) ||
    links.value.pcs.has(rule.pc);
  return (
    <li class={`rule ${rule.state}${picked ? ' picked' : ''}`} data-state={rule.state}>
      <span class="sign" title={word} aria-hidden="true">{sign}</span>
      <span class="visually-hidden">{word}: </span>
      <span class="sentence">{rule.sentence}</span> <PcButton pc={rule.pc} />
    </li>
  );
}

function Heap({ slots, rules }: ShapeHeapView) {
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label="Shape heap">
      {slots.length > 0 ? (
        <DataTable
          name="shape-slots" label="Slots of the shape heap" class="facts" rows={slots} bare
          columns={kColumns}
          row={(_, i) => ({ class: isPicked(i) ? 'picked' : '', 'data-row-id': i })}
        />
      ) : <p class="hint padded">The heap is not made yet.</p>}
      <ol class="rules" data-testid="shape-rules">
        {rules.map((rule, i) => <RuleLine key={i} rule={rule} />)}
      </ol>
    </div>
  );
}

/** Other extents, with inputs that are made for them; the same step is shown then. */
function Extents() {
  const entries = Object.entries(now.symbols);
  if (entries.length === 0) return null;
  return (
    <div class="extents" role="group" aria-label="Run with other extents">
      {entries.map(([name, extent]) => (
        <span key={name}>
          <label>
            <code>{name}</code>{' '}
            <input
              type="range" min={0} max={kExtents.length - 1} value={stopOf(extent)}
              aria-valuetext={String(extent)} data-testid={`extent-${name}`}
              onChange={(event) =>
                void runWith(name, kExtents[event.currentTarget.valueAsNumber] ?? 1)}
            />
          </label>{' '}
          <span class="number">{extent}</span>
        </span>
      ))}
    </div>
  );
}

export function ShapesPane() {
  const { machine, frame } = now;
  const frames = machine?.frames.length ?? 0;
  const shown = frames > 0 ? Math.min(frame, frames - 1) : 0;
  const view = useRunView({ view: 'shapes', frame: shown }, cursorKey());
  return (
    <Pane
      id="shapes" title="Shape heap"
      note={view && view.register !== null ? `in %${view.register}` : undefined}
    >
      <Extents />
      {!view ? (
        <p class="hint padded">Step or run to see what the symbols of shapes stand for.</p>
      ) : view.register === null ? (
        <p class="hint padded">
          This function has no shape heap: its shapes are known when it is compiled.
        </p>
      ) : <Heap {...view} />}
    </Pane>
  );
}
