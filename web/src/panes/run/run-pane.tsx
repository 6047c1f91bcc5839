// SPDX-License-Identifier: Apache-2.0
// What goes in and how it runs: a generator for each parameter, a number for each symbolic
// dimension, run, step, stop, reset.
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Parameter } from 'tern-runtime';
import { formatCount, formatMilliseconds, formatType } from '../../model/format.js';
import { type Fill, type InputChoice, takesDrawing } from '../../model/inputs.js';
import {
  reset,
  run,
  setInput,
  setSymbol,
  step,
  stepBack,
  stop,
} from '../../state/runs.js';
import { hasTimeline } from '../../state/debug.js';
import { currentFunction, currentPc } from '../../state/session.js';
import { goesBack, guarded, now, outdated } from '../../state/store.js';
import { FilePicker } from '../../widgets/file-picker.js';
import { Icon } from '../../widgets/icon.js';
import { Pane } from '../pane.js';

/** What shows a record comes with the panes beside this one: at first there is none. */
type OfRecords = Pick<typeof import('../of-programs.js'), 'LastStepLine' | 'Timeline'>;
const ofRecords = signal<OfRecords | undefined>(undefined);

function fetchOfRecords(): void {
  void guarded(async () => {
    ofRecords.value = await import('../of-programs.js');
  });
}

function fillFrom(parameter: string, file: File): void {
  void guarded(async () => {
    // What reads files comes with the first one: the page starts without it.
    const { setInputFile } = await import('../../state/files.js');
    await setInputFile(parameter, file);
  });
}

const kFills: [Fill, string][] = [
  ['random', 'random'],
  ['zeros', 'zeros'],
  ['ones', 'ones'],
];

function fillsOf(parameter: Parameter, { fileName }: InputChoice): [Fill, string][] {
  const fills = [...kFills];
  // Only where a drawing fits; first, because it is what the page was opened for.
  if (takesDrawing(parameter)) fills.unshift(['drawing', 'my drawing']);
  if (fileName) fills.push(['file', fileName]);
  return fills;
}

function Input({ parameter }: { parameter: Parameter }) {
  const { name } = parameter;
  // Random with a seed: the same run each time, and no two elements alike.
  const choice = now.inputs[name] ?? { fill: 'random' };
  const change = (part: Partial<InputChoice>): void => setInput(name, { ...choice, ...part });
  return (
    <div class="input" role="group" aria-label={`Input ${name}`}>
      <code class="input-name">{name}</code>
      <span class="detail">{formatType(parameter)}</span>
      <select
        value={choice.fill}
        aria-label={`What fills ${name}`}
        data-testid={`fill-${name}`}
        onChange={(event) => change({ fill: event.currentTarget.value as Fill })}
      >
        {fillsOf(parameter, choice).map(([fill, text]) => (
          <option key={fill} value={fill}>
            {text}
          </option>
        ))}
      </select>
      {choice.fill === 'random' ? (
        <label class="seed">
          seed
          <input
            type="number"
            min={0}
            value={choice.seed ?? 1}
            data-testid={`seed-${name}`}
            onChange={(event) => change({ seed: event.currentTarget.valueAsNumber || 0 })}
          />
        </label>
      ) : null}
      <FilePicker
        label="File…"
        name={`A file for ${name}: .npy, .npz, a picture or a sound`}
        accept=".npy,.npz,image/*,audio/*"
        testid={`npy-${name}`}
        onFile={(file) => fillFrom(name, file)}
      />
    </div>
  );
}

/** One number for each name, however many parameters have it: that is what a symbol says. */
function Symbols() {
  const entries = Object.entries(now.symbols);
  if (entries.length === 0) return null;
  return (
    <div class="symbols" role="group" aria-label="Dimensions">
      {entries.map(([name, extent]) => (
        <label key={name} class="symbol">
          <code>{name}</code> =
          <input
            type="number"
            min={0}
            value={extent}
            data-testid={`dim-${name}`}
            onChange={(event) => setSymbol(name, event.currentTarget.valueAsNumber)}
          />
        </label>
      ))}
    </div>
  );
}

// One sentence for all states of the page, since it is what screen readers are told.
function situation(): string {
  const { run: state, stopReason, program, loading, refused, runtime } = now;
  const pc = currentPc(now);
  if (loading) return `loading ${loading}`;
  if (!program) return state === 'loading' ? 'starting the engine' : 'no program';
  // A record can be looked at before there is an engine, and without the program's file.
  if (program.executable.length === 0) return 'a recorded run; the engine is starting';
  if (!runtime && state === 'error') return 'the engine did not start';
  // The program before stays, and must not be taken for the one that was refused.
  if (refused) return `${refused} was not loaded; this is still ${program.name}`;
  switch (state) {
    case 'loading':
      return 'starting the engine';
    case 'idle':
      return 'ready to run';
    case 'running':
      return 'running';
    case 'paused':
      return `${stopReason || 'paused'}${pc === undefined ? '' : ` before pc ${pc}`}`;
    case 'stopped':
      return stopReason || 'stopped';
    case 'error':
      return `${stopReason}${pc === undefined ? '' : ` at pc ${pc}`}`;
  }
}

function Buttons() {
  const { run: state, program, loading } = now;
  // While it runs only Stop does anything: the worker handles requests in order.
  const busy = state === 'running' || !program || loading !== undefined;
  return (
    <div class="buttons" role="toolbar" aria-label="Run controls">
      <button
        type="button"
        class="primary"
        disabled={busy}
        onClick={() => run()}
        data-testid="run"
        aria-keyshortcuts="Control+Enter"
        title="Ctrl+Enter"
      >
        <Icon name="run" /> {state === 'paused' && !outdated.value ? 'Continue' : 'Run'}
      </button>
      <button
        type="button"
        disabled={busy || !goesBack.value}
        onClick={() => stepBack()}
        data-testid="back"
        aria-keyshortcuts="p"
        title="p"
      >
        <Icon name="back" /> Back
      </button>
      <button
        type="button"
        disabled={busy}
        onClick={() => step()}
        data-testid="step"
        aria-keyshortcuts="n"
        title="n"
      >
        <Icon name="step" /> Step
      </button>
      <button
        type="button"
        disabled={state !== 'running'}
        onClick={stop}
        data-testid="stop"
        aria-keyshortcuts="Escape"
        title="Esc"
      >
        <Icon name="stop" /> Stop
      </button>
      <button type="button" disabled={busy} onClick={() => reset()} data-testid="reset">
        <Icon name="reset" /> Reset
      </button>
    </div>
  );
}

/** What steps change, apart from what they leave. */
function Status() {
  const { steps, milliseconds, run: state, program, refused } = now;
  return (
    <p class="status" data-testid="status">
      <span class={`lamp lamp-${refused ? 'error' : state}`} aria-hidden="true" />
      <span role="status">{situation()}</span>
      {program && steps > 0 ? (
        <span class="detail">
          {' '}
          · {formatCount(steps, 'step')} · {formatMilliseconds(milliseconds)}
        </span>
      ) : null}
    </p>
  );
}

export function RunPane() {
  const info = currentFunction(now);
  const made = ofRecords.value;
  // Once the first paint is through.
  useEffect(fetchOfRecords, []);
  return (
    <Pane
      id="run"
      title="Run"
      note={info ? `@${info.name}` : undefined}
      tools={
        <>
          {made ? <made.LastStepLine /> : null}
          <Buttons />
        </>
      }
    >
      <Status />
      {now.replayed ? (
        <p class="hint" data-testid="replayed">
          This is a run of its own, {now.replayed}.
        </p>
      ) : null}
      {outdated.value && now.run !== 'running' ? (
        <p class="hint stale" data-testid="stale">
          The inputs have changed since: what is shown is the run before. The next step or run
          begins a new one.
        </p>
      ) : null}
      {made && !hasTimeline.value ? <made.Timeline /> : null}
      {info && info.params.length > 0 ? (
        <div class="inputs">
          {info.params.map((parameter) => (
            <Input key={parameter.name} parameter={parameter} />
          ))}
          <Symbols />
        </div>
      ) : null}
    </Pane>
  );
}
