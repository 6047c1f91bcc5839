// SPDX-License-Identifier: Apache-2.0
// Two runs side by side: A is kept, B is the run that the page shows. Where they differ is told by
// the core, anew after each run.
import { computed, effect, signal, untracked } from '@preact/signals';
import type { TensorComparison, TraceComparison, TraceDivergence } from 'tern-runtime';
import { EngineError } from '../engine/client.js';
import type { LoadedProgram } from '../engine/protocol.js';
import { stateOf } from '../model/divergences.js';
import { recordKey } from './debug.js';
import { seek } from './runs.js';
import { pin } from './selection.js';
import { engine, guarded, session } from './store.js';

/** Differences that are listed. */
const kMost = 200;

let runsKept = 0;

export interface KeptRun {
  readonly number: number;
  readonly program: LoadedProgram;
  readonly functionName: string;
  readonly steps: number;
  readonly outcome: string;
}

export interface ValueDifference {
  readonly of: TraceDivergence;
  /** Nothing where the values are no tensors of one type. */
  readonly comparison: TensorComparison | undefined;
  readonly shape: readonly number[];
}

export const keptRun = signal<KeptRun | undefined>(undefined);
export const comparison = signal<TraceComparison | undefined>(undefined);
export const compareProblem = signal('');
const pickedIndex = signal(0);
export const valueDifference = signal<ValueDifference | undefined>(undefined);

export const pickedDivergence = computed(() => comparison.value?.divergences[pickedIndex.value]);

/** Whether there is a run that can be kept, or compared. */
export const hasRun = computed(() =>
  session.value.trace !== undefined && session.value.run !== 'running');

function asked(action: () => Promise<void>): Promise<void> {
  return guarded(action, (error) => {
    if (!(error instanceof EngineError)) throw error;
    comparison.value = valueDifference.value = undefined;
    compareProblem.value = error.message;
    // A worker that was replaced has forgotten it.
    if (error.failure.code === 'E0606' || error.failure.fatal) keptRun.value = undefined;
  });
}

export function keepRun(): Promise<void> {
  return asked(async () => {
    const { program, functionName, trace, stopReason } = session.value;
    if (!program || !trace) return;
    await engine.request({ kind: 'keepRun' });
    compareProblem.value = '';
    keptRun.value = {
      number: ++runsKept, program, functionName, steps: trace.end,
      outcome: stopReason || 'not at its end',
    };
  });
}

export function forgetRun(): Promise<void> {
  return asked(async () => {
    keptRun.value = comparison.value = valueDifference.value = undefined;
    await engine.request({ kind: 'dropKept' });
  });
}

async function compareValues(of: TraceDivergence): Promise<void> {
  valueDifference.value = undefined;
  const { register, frame } = of;
  if (register === undefined || frame === undefined) return;
  const place = { state: stateOf(of), register, frame };
  const { comparison: found, shape } = await engine.request({ kind: 'compareValues', place });
  if (pickedDivergence.value === of) valueDifference.value = { of, comparison: found, shape };
}

export function pickDivergence(index: number): Promise<void> {
  return asked(async () => {
    pickedIndex.value = index;
    const picked = pickedDivergence.value;
    if (picked) await compareValues(picked);
  });
}

async function compare(): Promise<void> {
  const { comparison: found } = await engine.request({ kind: 'compareRuns', most: kMost });
  if (!keptRun.value) return;
  comparison.value = found;
  compareProblem.value = '';
  pickedIndex.value = 0;
  const first = found.divergences[0];
  if (first) await compareValues(first);
  else valueDifference.value = undefined;
}

/** What is to be compared, and whether that is under way: of many steps the last one counts. */
let wanted = '';
let isComparing = false;

function compareSoon(what: string): void {
  wanted = what;
  if (isComparing) return;
  isComparing = true;
  void asked(async () => {
    try {
      for (let done = ''; done !== wanted;) {
        done = wanted;
        await compare();
      }
    } finally {
      isComparing = false;
    }
  });
}

/** Shows the step of a difference in run B, in all panes. */
export function goToDivergence(of: TraceDivergence): Promise<void> {
  pin({ kind: 'step', step: of.step });
  return seek(stateOf(of));
}

let followers = 0;
let stop: (() => void) | undefined;

/** Compares after each run for as long as a pane of the comparison is shown. */
export function followRuns(): () => void {
  if (followers++ === 0) {
    stop = effect(() => {
      const kept = keptRun.value;
      const what = hasRun.value && kept ? `${kept.number} ${recordKey()}` : '';
      untracked(() => {
        if (what === '') comparison.value = valueDifference.value = undefined;
        else if (what !== wanted || !comparison.value) compareSoon(what);
      });
    });
  }
  return () => {
    if (--followers === 0) stop?.();
  };
}
