// SPDX-License-Identifier: Apache-2.0
// Where and when the run stops: instructions, conditions, NaNs, allocations, and what it may take.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { RunLimits, Watch } from '../../engine/debug-protocol.js';
import { formatCount } from '../../model/format.js';
import { rowAt } from '../../model/instructions.js';
import {
  addWatch, editWatch, enableWatch, keepSwitchedOff, refreshWatches, removeWatch, switchedOff,
  watches, watchStates,
} from '../../state/breakpoints.js';
import { cursorKey } from '../../state/debug.js';
import { limits, setLimit } from '../../state/limits.js';
import { toggleBreakpoint } from '../../state/runs.js';
import { pin } from '../../state/selection.js';
import { now } from '../../state/store.js';
import '../../style/debug.css';
import { Pane } from '../pane.js';

const kReady: readonly [text: string, title: string][] = [
  ['nan', 'A NaN appears'], ['alloc 64 KiB', 'A large allocation'],
];

function Add() {
  const [text, setText] = useState('');
  const submit = (event: Event): void => {
    event.preventDefault();
    if (text.trim() === '') return;
    // The core reads the text; what is wrong with it is shown at its row.
    void addWatch(text.trim());
    setText('');
  };
  return (
    <form class="add-watch" onSubmit={submit}>
      <input
        type="text" class="filter" value={text} spellcheck={false} data-testid="new-watch"
        placeholder="@main:3 if %0 > 2" aria-label="New breakpoint" aria-describedby="watch-help"
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <button class="small" disabled={text.trim() === ''} data-testid="add-watch">Add</button>
      {kReady.map(([ready, title]) => (
        <button key={ready} type="button" class="small" title={title}
          onClick={() => addWatch(ready)}>
          {ready}
        </button>
      ))}
      <p class="hint" id="watch-help">
        <code>@main</code>, <code>12</code>, <code>nan</code>, <code>alloc 1 MiB</code>, each also
        with <code>if</code>; or <code>if max(%x) {'>'} 1</code> alone.
      </p>
    </form>
  );
}

function WatchRow({ watch }: { watch: Watch }) {
  const { id, text, enabled } = watch;
  const state = watchStates.value.get(id);
  const error = state?.error ?? '';
  // The field names its error, so that both are read together.
  const errorId = `watch-error-${id}`;
  return (
    <li class="watch">
      <input
        type="checkbox" checked={enabled} aria-label={`Stop for ${text}`}
        data-testid={`enable-${id}`}
        onChange={(event) => enableWatch(id, event.currentTarget.checked)}
      />
      <input
        type="text" class="filter" value={text} spellcheck={false} aria-invalid={error !== ''}
        aria-label="Breakpoint" aria-describedby={error ? errorId : undefined}
        data-testid={`watch-${id}`}
        onChange={(event) => editWatch(id, event.currentTarget.value.trim())}
      />
      <span class="detail count" data-testid={`watch-hits-${id}`}>
        {state && !error ? formatCount(state.hits, 'hit') : ''}
      </span>
      <button type="button" class="small" aria-label={`Remove ${text}`}
        data-testid={`remove-${id}`} onClick={() => removeWatch(id)}>✕</button>
      {error ? <p class="field-error" id={errorId} role="alert">{error}</p> : null}
      {state && state.failures > 0 ? (
        <p class="field-error">
          could not be evaluated {formatCount(state.failures, 'time')}: {state.failure}
        </p>
      ) : null}
    </li>
  );
}

function PlaceRow({ pc, enabled }: { pc: number; enabled: boolean }) {
  const { program } = now;
  const row = program && rowAt(program.info, pc);
  const toggle = (): void => {
    // A place that is switched off is remembered here: the core has no such breakpoints.
    keepSwitchedOff(pc, enabled);
    toggleBreakpoint(pc);
  };
  const remove = (): void => {
    keepSwitchedOff(pc, false);
    if (enabled) toggleBreakpoint(pc);
  };
  return (
    <li class="watch">
      <input type="checkbox" checked={enabled} aria-label={`Stop at ${pc}`} onChange={toggle}
        data-testid={`enable-pc-${pc}`} />
      <button type="button" class="link" onClick={() => pin({ kind: 'pc', pc })}>
        pc {pc} <code>{row?.text ?? ''}</code>
      </button>
      <button type="button" class="small" aria-label={`Remove the breakpoint at ${pc}`}
        onClick={remove}>✕</button>
    </li>
  );
}

// The unit in which people think of each, and how much of the core's it is.
const kLimits: readonly [name: keyof RunLimits, unit: number, text: string][] = [
  ['steps', 1e6, 'million instructions'], ['milliseconds', 1000, 's'], ['bytes', 2 ** 20, 'MiB'],
];

/** What is no number from 0 leaves the limit as it is. */
function changeLimit(field: HTMLInputElement, name: keyof RunLimits, unit: number): void {
  const value = Math.round(field.valueAsNumber * unit);
  if (Number.isSafeInteger(value) && value >= 0) setLimit(name, value);
  field.value = String(limits.value[name] / unit);
}

function Limits() {
  return (
    <fieldset class="limits">
      <legend>Rest after (0: never)</legend>
      {kLimits.map(([name, unit, text]) => (
        <label key={name}>
          <input
            type="number" min={0} step="any" value={limits.value[name] / unit}
            data-testid={`limit-${name}`}
            onChange={({ currentTarget }) => changeLimit(currentTarget, name, unit)}
          />
          {text}
        </label>
      ))}
    </fieldset>
  );
}

/** Hits are asked for again when the run has moved. */
function useHits(): void {
  const key = cursorKey();
  const { run } = now;
  // Not at once: the pane was opened, nothing has moved.
  const isFirst = useRef(true);
  useEffect(() => {
    if (!isFirst.current && run !== 'running') void refreshWatches();
    isFirst.current = false;
  }, [key, run === 'running']);
}

export function BreakpointsPane() {
  useHits();
  const { breakpoints } = now;
  const off = switchedOff.value;
  // In the order of the code, those that are switched off among the others.
  const places = [...new Set([...breakpoints, ...off])].sort((a, b) => a - b);
  const count = places.length + watches.value.length;
  return (
    <Pane id="breakpoints" title="Breakpoints" note={count > 0 ? String(count) : undefined}>
      <Add />
      {count === 0 ? (
        <p class="hint padded">Click the ring before an instruction, or press b there.</p>
      ) : (
        <ul class="watches" data-testid="watches">
          {watches.value.map((watch) => <WatchRow key={watch.id} watch={watch} />)}
          {places.map((pc) => <PlaceRow key={pc} pc={pc} enabled={breakpoints.has(pc)} />)}
        </ul>
      )}
      <Limits />
    </Pane>
  );
}
