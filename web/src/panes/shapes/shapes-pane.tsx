// SPDX-License-Identifier: Apache-2.0
// The shape heap: what each slot stands for, and the rules of the function with the numbers of this
// run put in.
import type { ShapeHeapView } from 'tern-runtime';
import { cursorKey, useRunView } from '../../state/debug.js';
import { seek } from '../../state/runs.js';
import { highlighted, pin } from '../../state/selection.js';
import { session } from '../../state/store.js';
import '../../style/debug.css';
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

function SlotRow({ slot, index }: { slot: Slot; index: number }) {
  const selection = highlighted.value;
  const picked = selection?.kind === 'slot' && selection.slot === index;
  return (
    <tr class={picked ? 'picked' : ''} data-row-id={index}>
      <th scope="row">
        <button
          type="button" class="link" aria-pressed={picked}
          onClick={() => pin(picked ? undefined : { kind: 'slot', slot: index })}
        >
          {index} {slot.symbol}
        </button>
      </th>
      <td class="number">{slot.step === null ? <span class="detail">not written</span>
        : slot.value}</td>
      <td>
        {slot.step === null || slot.pc === null ? null : (
          <>
            <PcButton pc={slot.pc} />, <button type="button" class="link"
              onClick={() => seek(slot.step! + 1)}>step {slot.step}</button>
          </>
        )}
      </td>
      <td>{slot.readers.map((pc) => <PcButton key={pc} pc={pc} />)}</td>
    </tr>
  );
}

function RuleLine({ rule }: { rule: Rule }) {
  const selection = highlighted.value;
  const [sign, word] = kSigns[rule.state];
  const picked = (selection?.kind === 'slot' && selection.slot === rule.slot) ||
    (selection?.kind === 'pc' && selection.pc === rule.pc);
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
        <table class="facts" data-testid="shape-slots">
          <thead>
            <tr>
              {['slot', 'value', 'written by', 'read by'].map((title) => (
                <th key={title} scope="col">{title}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {slots.map((slot, i) => <SlotRow key={i} slot={slot} index={i} />)}
          </tbody>
        </table>
      ) : <p class="hint padded">The heap is not made yet.</p>}
      <ol class="rules" data-testid="shape-rules">
        {rules.map((rule, i) => <RuleLine key={i} rule={rule} />)}
      </ol>
    </div>
  );
}

export function ShapesPane() {
  const { machine, frame } = session.value;
  const frames = machine?.frames.length ?? 0;
  const shown = frames > 0 ? Math.min(frame, frames - 1) : 0;
  const view = useRunView({ view: 'shapes', frame: shown }, cursorKey());
  return (
    <Pane
      id="shapes" title="Shape heap"
      note={view && view.register !== null ? `in %${view.register}` : undefined}
    >
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
