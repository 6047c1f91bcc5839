// SPDX-License-Identifier: Apache-2.0
// The address bar: what the page shows is kept in it at rest, and what it says when the page is
// opened, or after back and forward, is shown. Embeds do not rewrite theirs (`?embed`).
import { computed, effect, signal } from '@preact/signals';
import {
  type Address, kLoopAddress, type LoopAddress, type ProgramAddress, readAddress, type Selected,
  writeAddress,
} from '../model/address.js';
import { kIsEmbed, layout, preset, showOnly, showPreset } from './layout.js';
import { pin, pinned, type Selection } from './selection.js';
import { session } from './store.js';

export type ViewName = 'machine' | 'lanes';

const kAddress = readAddress(globalThis.location?.hash ?? '');

/** Vector loops are those of a preset. */
export const view = computed<ViewName>(() => (preset.value === 'vector' ? 'lanes' : 'machine'));

/** The editor as JSON, from when it has been fetched. */
export const sourceReporter: { report?: () => Record<string, unknown> | null } = {};

/** The Lanes view as JSON, from when it has been fetched. */
export const lanesReporter: { report?: () => Record<string, unknown> } = {};

/** What the address asked for when the page was opened. */
export const kAskedFor: LoopAddress = kAddress.loops;
export const kAskedStep: number = Math.min(kAddress.step ?? 0, 1_000_000);

/** Layout and selection of an address; what it does not say stays. */
function apply({ preset: name, panes, selected }: Address): void {
  if (name) showPreset(name);
  if (panes) showOnly(panes);
  if (selected) pin(selected);
}
// A link that names no view is of debugging, whatever this visitor or another tab had last.
const isLink = !kIsEmbed && writeAddress(kAddress) !== '';
apply(isLink ? { preset: 'debug', ...kAddress } : kAddress);

export function showView(name: ViewName): void {
  if (name === 'lanes') showPreset('vector');
  else if (preset.value === 'vector') showPreset('debug');
}

/** What a link can carry of what is pinned. */
export function linkable(selection: Selection | undefined): Selected | undefined {
  const isOne = ['pc', 'step', 'register'].includes(selection?.kind ?? '');
  return isOne ? (selection as Selected) : undefined;
}

let loopsShown: LoopAddress = kAddress.loops;
/** The program of the gallery that the machine runs, as it came, or the text of one's own. */
const programShown = signal<ProgramAddress>(kLoopAddress);

export function keepProgram(program: ProgramAddress): void {
  programShown.value = program;
}

function shownAddress(): Address {
  const isLanes = preset.value === 'vector';
  const address: Address = {
    preset: preset.value, loops: isLanes ? loopsShown : programShown.value,
  };
  if (!isLanes && session.value.steps > 0) address.step = session.value.steps;
  const selected = linkable(pinned.value);
  if (selected) address.selected = selected;
  const { only } = layout.value;
  const isOfSearch = new URLSearchParams(globalThis.location?.search ?? '').has('panes');
  if (only && !isOfSearch) address.panes = only;
  return address;
}

/** For a link to what is shown. */
export const currentAddress = computed(() => writeAddress(shownAddress()));

let waiting: ReturnType<typeof setTimeout> | undefined;
/** Addresses that are not yet shown whole: written then, they would lose their step. */
let moves = 0;
let written = globalThis.location?.hash ?? '';
/** Programs are what back and forward go between; everything else replaces. */
let programWritten = programOf(written);

function programOf(hash: string): string {
  const { preset: name, loops } = readAddress(hash);
  const own = loops.packed ? 'own' : '';
  return `${name === 'vector' ? 'loops' : 'machine'}|${loops.example ?? own}`;
}

function write(): void {
  const hash = writeAddress(shownAddress());
  if (hash === written || moves > 0 || session.value.run === 'running') return;
  const { pathname, search } = globalThis.location;
  const program = programOf(hash);
  const isOther = program !== programWritten && !program.endsWith('|');
  const method = isOther ? 'pushState' : 'replaceState';
  globalThis.history?.[method](null, '', `${pathname}${search}${hash}`);
  written = hash;
  programWritten = program;
}

/** At rest: every step of a slider would be one too many. */
function writeSoon(): void {
  if (kIsEmbed || !globalThis.history) return;
  clearTimeout(waiting);
  waiting = setTimeout(write, 300);
}

/** Of the Vector preset, which tells what it shows. */
export function keepAddress(loops: LoopAddress): void {
  loopsShown = loops;
  writeSoon();
}

/**
 * Called with an address that back or forward led to, after layout and selection; `isOther`: of
 * another program for the machine. The promise is kept once all of it is shown.
 */
type OnMove = (address: Address, isOther: boolean) => Promise<void>;

/** Keeps the address from now on; before, what it asked for has not been shown yet. */
export function followAddress(onMove: OnMove): void {
  effect(() => {
    shownAddress();
    writeSoon();
  });
  globalThis.addEventListener?.('popstate', () => {
    // Skip links lead to places of the page.
    if (!/^(?:#v=|#?$)/.test(globalThis.location.hash)) return;
    clearTimeout(waiting);
    written = globalThis.location.hash;
    programWritten = programOf(written);
    const address: Address = { preset: 'debug', ...readAddress(written) };
    const { example, packed } = programShown.peek();
    const isOther = example !== address.loops.example || packed !== address.loops.packed;
    if (address.preset === 'vector') loopsShown = address.loops;
    apply(address);
    ++moves;
    void onMove(address, isOther).finally(() => {
      --moves;
      writeSoon();
    });
  });
}
