// SPDX-License-Identifier: Apache-2.0
// What the panes that debug have in common: stepping over calls, views of the whole record, times.
import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import type { RunQuery, Times, ViewOf } from '../engine/debug-protocol.js';
import { EngineError } from '../engine/client.js';
import type { Command } from './commands.js';
import { atRest, makeArguments, seek, step, walk } from './runs.js';
import { canGoBack } from './session.js';
import { elapsed, engine, guarded, now, session } from './store.js';

/** Whether the pane of the time line is on the page; the controls then need none of their own. */
export const hasTimeline = signal(false);

export const stepInto = (): Promise<void> => step();
export const stepOver = (): Promise<void> => walk('next', 1);
export const stepOut = (): Promise<void> => walk('finish');
/** One step back, over calls that were made there. */
export const backOver = (): Promise<void> => walk('nextBack', 1);
export const runTo = (pc: number): Promise<void> => walk('runTo', pc);

/** To the beginning or the end of the call that the cursor is in. */
export function seekCall(back: boolean): Promise<void> {
  return back ? (canGoBack(session.value) ? walk('finishBack') : Promise.resolve()) : stepOut();
}

/** By a part of the record, at least one step. */
export function seekPart(part: number): Promise<void> {
  const { trace, steps } = session.value;
  if (!trace) return Promise.resolve();
  const length = Math.max(1, Math.round((trace.end - trace.first) * Math.abs(part)));
  return seek(steps + Math.sign(part) * length);
}

const canWalk = (): boolean => session.value.program !== undefined;
const canWalkBack = (): boolean => canGoBack(session.value);

/** Steps into, over and out of calls, for keys and palette. */
export const kDebugCommands: readonly Command[] = [
  { id: 'into', title: 'One step, into calls', group: 'Run', key: 's', when: canWalk,
    repeats: atRest, run: () => void stepInto() },
  { id: 'out', title: 'Out of this call', group: 'Run', key: 'o', when: canWalk,
    run: () => void stepOut() },
  { id: 'over', title: 'One step, over calls', group: 'Run', key: 'N', when: canWalk,
    repeats: atRest, run: () => void stepOver() },
  { id: 'back-over', title: 'One step back, over calls', group: 'Run', key: 'P',
    when: canWalkBack, repeats: atRest, run: () => void backOver() },
];

/** Times of a run of their own, under the profiler, which counts and times each instruction. */
export const times = signal<(Times & { of: unknown }) | undefined>(undefined);

export function measureTimes(): Promise<void> {
  return guarded(async () => {
    const { functionName, program } = session.value;
    const request = { kind: 'times', function: functionName, args: makeArguments() } as const;
    const { times: found } = await engine.request(request);
    const rows = found.rows.map((row) => ({ ...row, nanoseconds: elapsed(row.nanoseconds) }));
    times.value = { ...found, rows, nanoseconds: elapsed(found.nanoseconds), of: program };
  });
}

/** Waited for before a view is asked for: while keys are held, only the last place counts. */
const kSettle = 40;

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, kSettle));

/**
 * A view of the record that follows it. `key`: changes when it must be asked for again. Nothing
 * while there is no record or no query, the last answer while a run is under way.
 */
export function useRunView<Q extends RunQuery>(
  query: Q | undefined, key: unknown,
): ViewOf<Q> | undefined {
  const [view, setView] = useState<ViewOf<Q> | undefined>();
  const { trace, run, program } = now;
  const isThere = trace !== undefined && query !== undefined;
  useEffect(() => {
    let isWanted = true;
    if (!isThere) setView(undefined);
    else if (run !== 'running') {
      void guarded(async () => {
        await settled();
        // A run may have begun since: its end asks anew.
        if (!isWanted || session.value.run === 'running') return;
        const { view: answer } = await engine.request({ kind: 'view', query });
        if (isWanted) setView(answer as ViewOf<Q>);
      }, (error) => {
        // A run that was reset meanwhile has no views.
        if (!(error instanceof EngineError)) throw error;
      });
    }
    return () => {
      isWanted = false;
    };
  }, [key, JSON.stringify(query), isThere, run === 'running', program]);
  return isThere ? view : undefined;
}

/** Changes with each step that is added to the record. */
export function recordKey(): string {
  const { trace, begunWith } = now;
  return trace ? `${trace.first} ${trace.end} ${runNumber(begunWith)}` : '';
}

/** Changes with each step that is looked at. */
export function cursorKey(): string {
  return `${recordKey()} ${now.steps} ${now.frame}`;
}

const runNumbers = new WeakMap<object, number>();
let lastRun = 0;

function runNumber(run: object | undefined): number {
  if (!run) return 0;
  let number = runNumbers.get(run);
  if (number === undefined) runNumbers.set(run, number = ++lastRun);
  return number;
}
