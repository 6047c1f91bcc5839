// SPDX-License-Identifier: Apache-2.0
// Which view the page shows. Views other than the first are fetched when they are first shown. The
// address says what is shown, so that a link leads there.
import { signal } from '@preact/signals';
import { kLoopAddress, type LoopAddress, readAddress, writeAddress } from '../model/address.js';

export type ViewName = 'machine' | 'lanes';

const kAddress = readAddress(globalThis.location?.hash ?? '');

export const view = signal<ViewName>(kAddress.view);

/** The Lanes view as JSON, from when it has been fetched. */
export const lanesReporter: { report?: () => Record<string, unknown> } = {};

/** What the address asked for when the page was opened. */
export const kAskedFor: LoopAddress = kAddress.loops;

export function showView(name: ViewName): void {
  view.value = name;
  if (name === 'machine') keepAddress(kLoopAddress);
}

let waiting: ReturnType<typeof setTimeout> | undefined;

/** The address follows what is shown, at rest: every step of a slider would be one too many. */
export function keepAddress(loops: LoopAddress): void {
  clearTimeout(waiting);
  waiting = setTimeout(() => {
    const hash = writeAddress({ view: view.value, loops });
    const { pathname, search } = globalThis.location;
    globalThis.history?.replaceState(null, '', `${pathname}${search}${hash}`);
  }, 300);
}
