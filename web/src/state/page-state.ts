// SPDX-License-Identifier: Apache-2.0
// Saving all that the page shows as one file, and showing it again.
import { readSelected, writeSelected } from '../model/address.js';
import {
  type PageState, readPageState, type SavedProgram, type SavedRun, writePageState,
} from '../model/page-state.js';
import { readPaneList } from '../model/presets.js';
import { addWatch, keepSwitchedOff, removeWatch, switchedOff, watches } from './breakpoints.js';
import { layout, readLayout } from './layout.js';
import { limits, setLimit } from './limits.js';
import { loadNow, openedFile, setFunction } from './loading.js';
import { seek, setInput, setSymbol, showFrame, step, toggleBreakpoint } from './runs.js';
import { pin, pinned } from './selection.js';
import { session } from './store.js';
import { lanesReporter, linkable } from './view.js';

/** What is fetched with the text of a program, and with drawing, belongs to the state too. */
const editing = () => import('./editing.js');
const sources = () => import('./source.js');
const loops = () => import('./lanes.js');

async function programNow(): Promise<SavedProgram | undefined> {
  const file = openedFile.value;
  if (!file) return undefined;
  const { source } = await sources();
  const { text = '', example = '', kind } = source.value ?? {};
  const saved = {
    kind: file.kind, name: file.name, bytes: Uint8Array.from(file.bytes), example,
  };
  const isShown = source.value && kind !== 'loops';
  return isShown && text !== new TextDecoder().decode(file.bytes)
    ? { ...saved, edited: text } : saved;
}

function runNow(): SavedRun {
  const { functionName, inputs, symbols, strokes, breakpoints, trace, steps, frame } =
    session.value;
  return {
    function: functionName, inputs, symbols, strokes, breakpoints: [...breakpoints],
    off: [...switchedOff.value],
    watches: watches.value.map(({ text, enabled }) => ({ text, enabled })),
    limits: limits.value, end: trace?.end ?? 0, step: trace ? steps : 0, frame,
  };
}

/** As a file; the same state gives the same bytes. */
export async function savedState(): Promise<Uint8Array<ArrayBuffer>> {
  const program = await programNow();
  const selected = linkable(pinned.value);
  const state: PageState = {
    ...(program ? { program } : {}), run: runNow(),
    ...(lanesReporter.report ? { loops: (await loops()).savedLoops() } : {}),
    layout: layout.value, ...(selected ? { selected: writeSelected(selected) } : {}),
  };
  return new TextEncoder().encode(writePageState(state));
}

async function openProgram({ kind, name, bytes, example, edited }: SavedProgram): Promise<void> {
  if (kind === 'language' || kind === 'assembly')
    await (await editing()).openProgramText({ kind, name, bytes }, example);
  else await loadNow(name, bytes);
  if (edited === undefined) return;
  const { editSource } = await sources();
  await editing();
  await editSource(edited);
}

async function setUp(saved: SavedRun): Promise<void> {
  if (saved.function) await setFunction(saved.function);
  for (const [name, choice] of Object.entries(saved.inputs)) setInput(name, choice);
  for (const [name, extent] of Object.entries(saved.symbols)) setSymbol(name, extent);
  if (saved.strokes.length > 0) (await import('./drawings.js')).setStrokes(saved.strokes);
}

/** What ends a run on its way is set behind it. */
async function goThere(saved: SavedRun): Promise<void> {
  if (saved.end > 0) await step(saved.end);
  if (saved.step < saved.end) await seek(saved.step);
  if (saved.frame < (session.value.machine?.frames.length ?? 0)) showFrame(saved.frame);
}

async function setStops(saved: SavedRun): Promise<void> {
  const last = session.value.program?.info.instructions.length ?? 0;
  for (const pc of new Set(saved.breakpoints)) if (pc < last) toggleBreakpoint(pc);
  for (const pc of saved.off) keepSwitchedOff(pc, true);
  for (const { id } of watches.value) await removeWatch(id);
  for (const { text, enabled } of saved.watches) await addWatch(text, enabled);
  for (const name of ['steps', 'milliseconds', 'bytes'] as const)
    setLimit(name, saved.limits[name]);
}

/** Within an action of its own: the caller guards it. */
export async function openState(bytes: Uint8Array): Promise<void> {
  const state = readPageState(new TextDecoder().decode(bytes));
  if (state.program) await openProgram(state.program);
  await setUp(state.run);
  await goThere(state.run);
  await setStops(state.run);
  if (state.loops) await (await loops()).openSaved(state.loops);
  const { only } = (state.layout ?? {}) as { only?: unknown };
  layout.value = {
    ...readLayout(JSON.stringify(state.layout ?? null)),
    only: readPaneList(Array.isArray(only) ? only.join(',') : null),
  };
  pin(state.selected === undefined ? undefined : readSelected(state.selected));
}
