// SPDX-License-Identifier: Apache-2.0
// Keys that work anywhere on the page. Those of a single letter are off inside of fields and can be
// switched off altogether.
import { signal } from '@preact/signals';
import { atRest, run, step, stepBack, stop } from '../state/runs.js';
import { session } from '../state/store.js';
import { view } from '../state/view.js';

const kStorageKey = 'tern-letter-keys';

export const sheetOpen = signal(false);
export const letterKeys = signal(localStorage.getItem(kStorageKey) !== 'off');

export function setLetterKeys(on: boolean): void {
  letterKeys.value = on;
  localStorage.setItem(kStorageKey, on ? 'on' : 'off');
}

function takesText(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && target.matches('input, select, textarea, [contenteditable]')
  );
}

/** The pane after (or before) the one that has the focus. */
function cyclePanes(by: number): void {
  const panes = [...document.querySelectorAll<HTMLElement>('[data-pane]')];
  const at = panes.findIndex((pane) => pane.contains(document.activeElement));
  const next = at < 0 && by < 0 ? panes.length - 1 : (at + by + panes.length) % panes.length;
  panes[next]?.focus();
}

/** A key that is held down steps as fast as the engine does, and stops when it is let go. */
function stepByKey(held: boolean, act: () => Promise<void>): void {
  if (!held || atRest()) void act();
}

/** Whether it was a key of the machine's view: what is not seen does not run. */
function onMachineKey(event: KeyboardEvent, modified: boolean, letter: boolean): boolean {
  if (modified && event.key === 'Enter') void run();
  else if (event.key === 'Escape' && session.value.run === 'running') stop();
  else if (letter && event.key === 'n') stepByKey(event.repeat, step);
  else if (letter && event.key === 'p') stepByKey(event.repeat, stepBack);
  else return false;
  return true;
}

/** The same of the Lanes view; its actions have come with it. */
function onLanesKey(event: KeyboardEvent, letter: boolean): boolean {
  const by = { '[': -1, ']': 1 }[event.key];
  if (!letter) return false;
  if (event.key === 'v') document.getElementById('vscale')?.focus();
  else if (by !== undefined) {
    void import('../state/lanes.js').then(({ stepVscale }) => stepVscale(by > 0 ? 1 : -1));
  } else return false;
  return true;
}

function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || sheetOpen.value) return;
  const modified = event.ctrlKey || event.metaKey;
  const letter = letterKeys.value && !modified && !event.altKey && !takesText(event.target);
  const isTaken = view.value === 'machine' ? onMachineKey(event, modified, letter)
    : onLanesKey(event, letter);
  if (!isTaken) {
    if (event.key === 'F6') cyclePanes(event.shiftKey ? -1 : 1);
    else if (letter && event.key === '?') sheetOpen.value = true;
    else return;
  }
  event.preventDefault();
}

export function listenForShortcuts(): void {
  document.addEventListener('keydown', onKeyDown);
}
