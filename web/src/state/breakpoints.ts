// SPDX-License-Identifier: Apache-2.0
// Breakpoints that are text: conditions, NaNs, allocations. Those at instructions are the session's
// `breakpoints`; either kind can be switched off without being lost.
import { signal } from '@preact/signals';
import type { Watch, WatchState } from '../engine/debug-protocol.js';
import { engine, guarded } from './store.js';

export const watches = signal<readonly Watch[]>([]);
/** What the core makes of them, by id: from when they were last asked about. */
export const watchStates = signal<ReadonlyMap<number, WatchState>>(new Map());
/** Instructions whose breakpoint is kept, but switched off. */
export const switchedOff = signal<ReadonlySet<number>>(new Set());

let nextId = 1;

/** Tells the worker, and hears hits and mistakes. */
export function refreshWatches(): Promise<void> {
  if (watches.value.length === 0) {
    watchStates.value = new Map();
    return Promise.resolve();
  }
  return guarded(async () => {
    const { watches: states } = await engine.request({ kind: 'watches', watches: watches.value });
    watchStates.value = new Map(states.map((state) => [state.id, state]));
  });
}

function change(next: readonly Watch[]): Promise<void> {
  watches.value = next;
  // With none left there is nothing to hear, but the worker must forget those that it has.
  return guarded(async () => {
    const { watches: states } = await engine.request({ kind: 'watches', watches: next });
    watchStates.value = new Map(states.map((state) => [state.id, state]));
  });
}

export function addWatch(text: string, enabled = true): Promise<void> {
  return change([...watches.value, { id: nextId++, text, enabled }]);
}

export function removeWatch(id: number): Promise<void> {
  return change(watches.value.filter((watch) => watch.id !== id));
}

export function enableWatch(id: number, enabled: boolean): Promise<void> {
  return change(watches.value.map((watch) => (watch.id === id ? { ...watch, enabled } : watch)));
}

export function editWatch(id: number, text: string): Promise<void> {
  return change(watches.value.map((watch) => (watch.id === id ? { ...watch, text } : watch)));
}

export function keepSwitchedOff(pc: number, off: boolean): void {
  const next = new Set(switchedOff.value);
  if (off) next.add(pc);
  else next.delete(pc);
  switchedOff.value = next;
}
