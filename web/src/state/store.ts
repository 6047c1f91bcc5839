// SPDX-License-Identifier: Apache-2.0
// The one observable store. Panes read it through `now`; what changes it are the actions of this
// folder, and nobody else talks to the engine.
import { computed, signal } from '@preact/signals';
import { EngineClient, EngineError } from '../engine/client.js';
import { InputError } from '../model/inputs.js';
import { membersOf } from './members.js';
import {
  canGoBack, isStale, kEmptySession, kNoRun, type Problem, type Session,
} from './session.js';

export const session = signal<Session>(kEmptySession);

/** The session for what is drawn, which not every step changes. */
export const now = membersOf(session);

/** What many look at, and few steps change. */
export const goesBack = computed(() => canGoBack(session.value));
export const outdated = computed(() => isStale(session.value));
export const engine = new EngineClient();

/** `?test=1` makes everything that is shown repeatable. */
export const isRepeatable =
  new URLSearchParams(globalThis.location?.search ?? '').get('test') === '1';
export const elapsed = (milliseconds: number): number => (isRepeatable ? 0 : milliseconds);

export function update(change: Partial<Session>): void {
  session.value = { ...session.value, ...change };
}

/** What makes the program that is run that of the text that is edited; set with the editor. */
export const beforeRun: { act?: () => Promise<void> } = {};

/** What the page begins with, on its way. */
export const arrival: {
  /** The engine's module and the first program, where first-fetch.ts has asked for them. */
  module?: Promise<WebAssembly.Module | undefined>;
  digits?: Promise<Uint8Array> | undefined;
  /** All of it: runs that are asked for earlier wait for it. */
  done?: Promise<void>;
} = {};

const startEngine = async () => {
  const { module } = arrival;
  return engine.request(module ? { kind: 'start', module: await module } : { kind: 'start' });
};

let pending = 0;
let whenIdle: (() => void)[] = [];

/** Resolves when nothing is under way. */
export function idle(): Promise<void> {
  return pending === 0 ? Promise.resolve() : new Promise((resolve) => whenIdle.push(resolve));
}

function toProblem(error: unknown): Problem {
  if (error instanceof EngineError) return error.failure;
  const code = error instanceof InputError ? error.code : 'E0901';
  const message = error instanceof Error ? error.message : String(error);
  const help = error instanceof InputError && error.help ? `\n   = help: ${error.help}` : '';
  return { code, message, text: `error[${code}]: ${message}${help}\n` };
}

export function report(error: unknown): void {
  update({ problems: [toProblem(error)] });
}

/** Runs an action; what goes wrong becomes a problem, never an unhandled rejection. */
export async function guarded(
  action: () => Promise<void>, onError: (error: unknown) => void = report,
): Promise<void> {
  pending++;
  try {
    await action();
  } catch (error) {
    onError(error);
  } finally {
    pending--;
    if (pending === 0) {
      const waiting = whenIdle;
      whenIdle = [];
      for (const resolve of waiting) resolve();
    }
  }
}

export function dismissProblems(): void {
  const { run } = session.value;
  update({ problems: [], refused: undefined, run: run === 'error' ? 'stopped' : run });
}

let reloading = false;

/**
 * Asked for at once, so that a fresh worker has the program before anything that is pressed from
 * now on: it answers in order.
 */
async function reload(name: string, bytes: Uint8Array): Promise<void> {
  const module = await arrival.module;
  await Promise.all([
    module && engine.request({ kind: 'start', module }),
    engine.request({ kind: 'load', name, bytes }),
  ]);
}

/** A fresh worker is given the program that the old one had; one that kills it too is dropped. */
engine.onReplaced = () => {
  const { program } = session.value;
  update({ ...kNoRun, run: program && !reloading ? 'idle' : 'loading' });
  if (!program) return;
  if (reloading) return update({ program: undefined });
  reloading = true;
  const { name, executable } = program;
  void guarded(async () => {
    try {
      await reload(name, executable);
    } finally {
      reloading = false;
    }
  });
};

/** Once more after a failure: what could not be fetched may be there by now. */
export function start(): Promise<void> {
  update({ run: 'loading', problems: [] });
  return guarded(async () => {
    const { runtime, wasmBytes } = await startEngine();
    update({ runtime, wasmBytes, run: 'idle' });
  }, (error) => {
    report(error);
    update({ run: 'error' });
  });
}
