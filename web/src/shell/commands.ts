// SPDX-License-Identifier: Apache-2.0
// The commands of the page as a whole; docs/playground.md lists their keys.
import { kPresets, panesOf, usablePresets } from '../model/presets.js';
import { kPanes } from '../panes/index.js';
import { addCommands, type Command } from '../state/commands.js';
import { kDebugCommands } from '../state/debug.js';
import { preset, reveal, showOnly, showPreset } from '../state/layout.js';
import { loadDigits } from '../state/programs.js';
import { atRest, reset, run, step, stepBack, stop } from '../state/runs.js';
import { canGoBack } from '../state/session.js';
import { guarded, session } from '../state/store.js';
import { currentAddress, view } from '../state/view.js';
import { openDialog } from '../state/dialogs.js';

/** The lanes have no program, run or steps. */
const onMachine = (): boolean => view.value === 'machine';
const canRun = (): boolean => onMachine() && session.value.program !== undefined;
const canBack = (): boolean => onMachine() && canGoBack(session.value);

/** The pane after (or before) the one that has the focus. */
function cyclePanes(by: number): void {
  const panes = [...document.querySelectorAll<HTMLElement>('[data-pane]')];
  const at = panes.findIndex((pane) => pane.contains(document.activeElement));
  // Without a focus in any pane, on begins at the first one and back at the last.
  const next = at < 0 && by < 0 ? panes.length - 1 : (at + by + panes.length) % panes.length;
  panes[next]?.focus();
}

function focused(selector: string): boolean {
  const found = document.querySelector<HTMLElement>(selector);
  found?.focus();
  return found !== null;
}

/** A pane that is fetched first has the focus when it is there, unless something is done before. */
function focusLater(selector: string): void {
  setTimeout(() => {
    if (focused(selector)) return;
    const watch = new MutationObserver(() => {
      if (focused(selector)) watch.disconnect();
    });
    watch.observe(document.body, { childList: true, subtree: true });
    for (const act of ['keydown', 'pointerdown'])
      document.addEventListener(act, () => watch.disconnect(), { once: true, capture: true });
  });
}

function goToPane(id: string): void {
  reveal(id);
  focusLater(`[data-pane="${id}"]`);
}

/** Opens or closes the tables of the pane that has the focus. */
function toggleTables(): void {
  const pane = document.activeElement?.closest('[data-pane]') ?? document;
  pane.querySelectorAll<HTMLElement>('details[data-testid*="table"] > summary')
    .forEach((summary) => summary.click());
}

function turnVscale(by: 1 | -1): void {
  void import('../state/lanes.js').then(({ stepVscale }) => stepVscale(by));
}

/** The slider stands in the Vector preset and in lessons. */
const hasVscale = (): boolean => document.getElementById('vscale') !== null;

function focusVscale(): void {
  document.getElementById('vscale')?.focus();
}

/** The address is the state; a browser that forbids the clipboard says so among the problems. */
function copyLink(): void {
  void guarded(async () => {
    await navigator.clipboard.writeText(new URL(currentAddress.value, location.href).href);
  });
}

// What has `when` is neither offered nor done where that is false, and its key is left to the
// browser. `repeats` says when a key that is held acts again.
const kOfRuns: readonly Command[] = [
  { id: 'run', title: 'Run, or go on', group: 'Run', key: 'Ctrl+Enter', when: canRun,
    run: () => void run() },
  { id: 'stop', title: 'Stop the run', group: 'Run', key: 'Escape',
    when: () => session.value.run === 'running', run: stop },
  { id: 'step', title: 'One step on', group: 'Run', key: 'n', when: canRun, repeats: atRest,
    run: () => void step() },
  { id: 'back', title: 'One step back', group: 'Run', key: 'p', when: onMachine, repeats: atRest,
    run: () => void stepBack() },
  { id: 'continue', title: 'Go on to the next breakpoint or the end', group: 'Run', key: 'c',
    when: canRun, run: () => void run() },
  { id: 'reverse', title: 'Run back to the breakpoint before or the beginning', group: 'Run',
    key: 'r', when: canBack, run: () => void run(true) },
  { id: 'reset', title: 'Reset: forget the run', group: 'Run', when: canRun,
    run: () => void reset() },
];

/** Ids are for ever: kept keys and tests name them. */
const kOfPlaces: readonly Command[] = [
  { id: 'palette', title: 'Find a command, a pane, an example', group: 'Help', key: 'Ctrl+k',
    run: () => openDialog('Palette') },
  { id: 'goto', title: 'Go to a step or an instruction…', group: 'Go to', key: 'g',
    when: onMachine, run: () => openDialog('Palette', 'step ') },
  { id: 'next-pane', title: 'Next pane', group: 'Go to', key: 'F6', run: () => cyclePanes(1) },
  { id: 'pane-before', title: 'Pane before', group: 'Go to', key: 'Shift+F6',
    run: () => cyclePanes(-1) },
  { id: 'problems', title: 'Problems', group: 'Go to', key: 'F8',
    when: () => session.value.problems.length > 0, run: () => goToPane('problems') },
  { id: 'vscale', title: 'The vscale slider', group: 'Go to', key: 'v',
    when: hasVscale, run: focusVscale },
  { id: 'vscale-less', title: 'The vscale before', group: 'Run', key: '[',
    when: hasVscale, repeats: () => true, run: () => turnVscale(-1) },
  { id: 'vscale-more', title: 'The next vscale', group: 'Run', key: ']',
    when: hasVscale, repeats: () => true, run: () => turnVscale(1) },
  { id: 'tables', title: 'Tables of the pane: open or close', group: 'Show', key: 't',
    run: toggleTables },
  { id: 'all-panes', title: 'All panes of the preset', group: 'Show',
    run: () => showOnly(undefined) },
  { id: 'share', title: 'Share what is shown…', group: 'Show', run: () => openDialog('Share') },
  { id: 'copy-link', title: 'Copy a link to what is shown', group: 'Show', run: copyLink },
  { id: 'gallery', title: 'The gallery of programs and models', group: 'Open',
    run: () => openDialog('Gallery') },
  { id: 'tour', title: 'The tour: six lessons', group: 'Open', run: () => showPreset('learn') },
  { id: 'digits', title: 'The digit classifier', group: 'Open', run: () => void loadDigits() },
  { id: 'documentation', title: 'The documentation', group: 'Help',
    run: () => {
      location.href = 'docs/index.html';
    } },
  { id: 'keys', title: 'The list of keys', group: 'Help', key: '?',
    run: () => openDialog('KeySheet') },
];

/** From the tables of presets and panes, so that a new one has its command without a line here. */
function ofLayout(): Command[] {
  const names = usablePresets(kPanes);
  const presets = names.map((name): Command => ({
    id: `preset-${name}`, title: `${kPresets[name].title}: ${kPresets[name].about}`, group: 'Show',
    when: () => preset.value !== name, run: () => showPreset(name),
  }));
  const panes = kPanes
    .filter(({ id }) => names.some((name) => panesOf(kPresets[name]).includes(id)))
    .map(({ id, title, isThere }): Command => ({
      id: `pane-${id}`, title: `Pane ${title}`, group: 'Go to', run: () => goToPane(id),
      ...(isThere ? { when: isThere } : {}),
    }));
  return [...presets, ...panes];
}

export { listenForDrops } from './incoming.js';
export { listenForMessages } from './messages.js';

export function addShellCommands(): void {
  addCommands([...kOfRuns, ...kDebugCommands, ...kOfPlaces, ...ofLayout()]);
}
