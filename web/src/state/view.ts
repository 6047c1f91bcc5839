// SPDX-License-Identifier: Apache-2.0
// Whether the page shows the machine or vector loops, and the address that says so. Vector loops
// are those of a preset (model/presets.ts); the address keeps what it shows.
import { computed } from '@preact/signals';
import { kLoopAddress, type LoopAddress, readAddress, writeAddress } from '../model/address.js';
import { preset, showPreset } from './layout.js';

export type ViewName = 'machine' | 'lanes';

const kHash = globalThis.location?.hash ?? '';
const kAddress = readAddress(kHash);

export const view = computed<ViewName>(() => (preset.value === 'vector' ? 'lanes' : 'machine'));

/** The editor as JSON, from when it has been fetched. */
export const sourceReporter: { report?: () => Record<string, unknown> | null } = {};

/** The Lanes view as JSON, from when it has been fetched. */
export const lanesReporter: { report?: () => Record<string, unknown> } = {};

/** What the address asked for when the page was opened. */
export const kAskedFor: LoopAddress = kAddress.loops;
if (kAddress.view === 'lanes') showPreset('vector');

export function showView(name: ViewName): void {
  if (name === 'lanes') showPreset('vector');
  else if (preset.value === 'vector') showPreset('debug');
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
