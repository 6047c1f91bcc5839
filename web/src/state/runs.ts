// SPDX-License-Identifier: Apache-2.0
// Inputs, and running: step, run, stop, reset, breakpoints, a register looked into.
import type { Value } from 'tern-runtime';
import { EngineError } from '../engine/client.js';
import type { WalkCommand } from '../engine/debug-protocol.js';
import type { MachineView } from '../engine/protocol.js';
import { type InputChoice, InputError, makeInput } from '../model/inputs.js';
import { watches } from './breakpoints.js';
import {
  canGoBack, currentFunction, isStale, kNoRun, runInputs,
} from './session.js';
import { arrival, beforeRun, elapsed, engine, guarded, report, session, update } from './store.js';

export function setInput(parameter: string, choice: InputChoice): void {
  update({ inputs: { ...session.value.inputs, [parameter]: choice } });
}

export function setSymbol(name: string, extent: number): void {
  const whole = Math.max(0, Math.floor(extent) || 0);
  update({ symbols: { ...session.value.symbols, [name]: whole } });
}

export function toggleBreakpoint(pc: number): void {
  const breakpoints = new Set(session.value.breakpoints);
  const on = !breakpoints.delete(pc);
  if (on) breakpoints.add(pc);
  update({ breakpoints });
  void guarded(async () => {
    await engine.request({ kind: 'breakpoint', pc, on });
  });
}

export function makeArguments(): Value[] {
  const { inputs, symbols, image } = session.value;
  const info = currentFunction(session.value);
  if (!info) {
    throw new InputError('E0606', 'no program is loaded', 'open a file, or load the digits');
  }
  return info.params.map((param) =>
    makeInput(param, inputs[param.name] ?? { fill: 'random' }, symbols, image));
}

function show({ stop, state, trace: range, before, milliseconds, outputs }: MachineView): void {
  const { trace: old } = session.value;
  // The same one for as long as the record has not grown: who shows it is not drawn anew.
  const trace = old?.first === range.first && old.end === range.end ? old : range;
  update({
    run: stop === 'returned' ? 'stopped' : 'paused', machine: state, before, trace, frame: 0,
    steps: state.steps, milliseconds: elapsed(session.value.milliseconds + milliseconds),
    stopReason: stop === 'ready' || stop === 'paused' ? '' : stop, outputs,
  });
  refreshInspected();
}

/** A failed run leaves its frames to be looked at; one that met a limit can go on. */
function fail(error: unknown): void {
  report(error);
  if (!(error instanceof EngineError)) return update({ run: 'error', stopReason: 'error' });
  const { code, state, trace, fatal, limit } = error.failure;
  if (fatal) return update({ run: 'stopped', stopReason: 'cancelled' });
  const failed = {
    run: limit ? 'paused' : 'error', stopReason: limit ?? `trap(${code})`,
  } as const;
  if (!state || state.state !== 'failed') return update(failed);
  update({ ...failed, machine: state, before: undefined, trace, frame: 0, steps: state.steps });
}

/** Starts a run, unless one of the same inputs rests that can go on. */
async function begin(): Promise<void> {
  await arrival.done;
  update({ problems: [], refused: undefined });
  await beforeRun.act?.();
  if (session.value.run === 'paused' && !isStale(session.value)) return;
  const args = makeArguments();
  const { inspected } = session.value;
  update({ ...kNoRun, inspected, begunWith: runInputs(session.value) });
  const { functionName, breakpoints } = session.value;
  const { machine } = await engine.request({
    kind: 'begin', function: functionName, args, breakpoints: [...breakpoints],
    watches: watches.value,
  });
  show(machine);
}

let last: Promise<void> = Promise.resolve();
let waiting = 0;
let runs = 0;
/** Counts failures: what was asked for before one and has not begun is left out. */
let failures = 0;

/** Whether no step, run or reset is under way. */
export const atRest = (): boolean => waiting === 0;

/** Actions begin in the order in which they are asked for, each when the one before has ended. */
function inOrder(action: () => Promise<void>): Promise<void> {
  const asked = failures;
  const before = last;
  waiting++;
  last = guarded(async () => {
    await before;
    if (asked === failures) await action();
    else sought = undefined;
  }, (error) => {
    failures++;
    fail(error);
  }).finally(() => {
    waiting--;
  });
  return last;
}

/** While a run goes on to its end, there is nothing to step. */
export function step(count = 1): Promise<void> {
  if (runs > 0) return Promise.resolve();
  return inOrder(async () => {
    await begin();
    const { machine } = await engine.request({ kind: 'step', count });
    show(machine);
  });
}

/** To the end or the next breakpoint; `back`: to the beginning or the breakpoint before. */
export function run(back = false): Promise<void> {
  if (runs > 0 || (back && !canGoBack(session.value))) return Promise.resolve();
  runs++;
  return inOrder(async () => {
    if (!back) await begin();
    update({ run: 'running' });
    const request = { kind: 'run', back } as const;
    const { machine } = await engine.request(request, ({ steps }) => update({ steps }));
    show(machine);
  }).finally(() => {
    runs--;
  });
}

/** Nothing is executed: the step is in the record. Before its first one there is nothing. */
export function stepBack(count = 1): Promise<void> {
  if (runs > 0) return Promise.resolve();
  return inOrder(async () => {
    if (!canGoBack(session.value)) return;
    const { machine } = await engine.request({ kind: 'step', count: -count });
    show(machine);
  });
}

/** Over calls, out of them, or to an instruction; those that go back need a record. */
export function walk(command: WalkCommand, argument = 0): Promise<void> {
  const back = command.endsWith('Back');
  if (runs > 0 || (back && !canGoBack(session.value))) return Promise.resolve();
  runs++;
  return inOrder(async () => {
    if (!back) await begin();
    update({ run: 'running' });
    const request = { kind: 'walk', command, argument } as const;
    const { machine } = await engine.request(request, ({ steps }) => update({ steps }));
    show(machine);
  }).finally(() => {
    runs--;
  });
}

let sought: number | undefined;

/** To a step of the record. Of several that are asked for at once only the last one counts. */
export function seek(to: number): Promise<void> {
  if (runs > 0) return Promise.resolve();
  const isAsked = sought !== undefined;
  sought = to;
  if (isAsked) return last;
  return inOrder(async () => {
    const goal = sought;
    sought = undefined;
    if (goal === undefined || !session.value.trace) return;
    show((await engine.request({ kind: 'seek', step: goal })).machine);
  });
}

/** Runs with another extent, and goes to the step that was looked at, as far as the run has it. */
export async function runWith(symbol: string, extent: number): Promise<void> {
  const { steps, trace, run: state } = session.value;
  const isWithin = trace !== undefined && (state === 'paused' || steps < trace.end);
  setSymbol(symbol, extent);
  await run();
  const end = session.value.trace?.end ?? 0;
  if (isWithin) await seek(Math.min(steps, end));
}

export function stop(): void {
  if (session.value.run === 'running') engine.stop();
}

export function reset(): Promise<void> {
  return inOrder(async () => {
    await engine.request({ kind: 'reset' });
    const run = session.value.runtime ? 'idle' : 'loading';
    update({ ...kNoRun, run, problems: [], refused: undefined });
  });
}

export function inspect(index: number | undefined): void {
  update({ inspected: index === undefined ? undefined : { index, value: undefined } });
  refreshInspected();
}

/** The registers of another frame of the same step; what was picked in one is none of the other. */
export function showFrame(frame: number): void {
  update({ frame, inspected: undefined });
}

function refreshInspected(): void {
  const { inspected, machine, before, frame } = session.value;
  if (!inspected || !(before ?? machine)?.frames.length) return;
  const { index } = inspected;
  void guarded(async () => {
    const { value } = await engine.request({ kind: 'register', index, frame });
    const isStill = session.value.inspected?.index === index && session.value.frame === frame;
    if (isStill) update({ inspected: { index, value } });
  }, () => update({ inspected: { index, value: undefined } }));
}
