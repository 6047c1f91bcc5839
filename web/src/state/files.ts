// SPDX-License-Identifier: Apache-2.0
// Files of the visitor: programs, models and records of runs; picked, dropped or pasted, several at
// once, and texts without a name. Fetched with the first of them.
import { inputKind, looksLikeLoops, looksLikeTrace, sniff } from '../model/file-kind.js';
import { InputError } from '../model/inputs.js';
import { looksLikeState } from '../model/page-state.js';
import { fetchBeside } from './beside.js';
import { fillInput, fillInputs } from './input-files.js';
import { reveal } from './layout.js';
import { loadNow, type OpenedFile } from './loading.js';
import { openState } from './page-state.js';
import { openTrace } from './replay.js';
import { guarded } from './store.js';
import { showView } from './view.js';

let opened = 0;

/** Grows when the visitor, not a script, opens files or texts, and when they are there. */
export const openedByVisitor = (): number => opened;

/** An action that opens something of the visitor's. */
function ofVisitor(action: () => Promise<void>): Promise<void> {
  opened++;
  return guarded(async () => {
    try {
      await action();
    } finally {
      opened++;
    }
  });
}

/** Loop programs have a view of their own. */
async function openInLanes(name: string, bytes: Uint8Array): Promise<void> {
  const { openLoops } = await import('./lanes.js');
  showView('lanes');
  await openLoops(name, new TextDecoder().decode(bytes));
}

/** Texts stand in the editor, whatever is wrong with them. */
async function openText(file: OpenedFile): Promise<void> {
  const { openProgramText } = await import('./editing.js');
  await openProgramText(file);
}

/** One that was refused, to be mended. */
async function showText(file: OpenedFile): Promise<void> {
  const { showProgramText } = await import('./editing.js');
  reveal('source');
  await showProgramText(file);
}

/** Within an action of its own: the caller guards it. */
export async function open(name: string, bytes: Uint8Array): Promise<void> {
  if (looksLikeState(bytes)) return openState(bytes);
  if (looksLikeLoops(bytes, name)) return openInLanes(name, bytes);
  showView('machine');
  if (looksLikeTrace(bytes)) return openTrace(name, bytes);
  if (inputKind(bytes)) return fillInputs([{ name, bytes }]);
  const kind = sniff(bytes, name).program;
  if (kind === 'language') return openText({ kind, name, bytes });
  // Assembly stands in the editor too, and in the address, which follows the editor.
  if (kind === 'assembly') await import('./editing.js');
  try {
    await loadNow(name, bytes);
  } catch (error) {
    if (kind === 'assembly') await showText({ kind, name, bytes });
    throw error;
  }
}

/** Opens what lies beside the page and is to be the record of a run. */
export async function openRecord(path: string): Promise<void> {
  const name = nameOf(path);
  const bytes = await fetchBeside('trace', path);
  if (looksLikeTrace(bytes)) return openTrace(name, bytes);
  throw new InputError('E0604', `'${name}' is not the record of a run`,
    'tern run PROGRAM --trace FILE.terntrace writes one');
}

export function load(name: string, bytes: Uint8Array): Promise<void> {
  return guarded(() => open(name, bytes));
}

export function loadFile(file: File): Promise<void> {
  return ofVisitor(async () => open(file.name, new Uint8Array(await file.arrayBuffer())));
}

/** Within an action of its own. */
export async function setInputFile(parameter: string, file: File): Promise<void> {
  await fillInput(parameter, {
    name: file.name, bytes: new Uint8Array(await file.arrayBuffer()),
  });
}

/** A program may come with inputs or with the record of a run of it; it goes first. */
export function loadFiles(files: readonly File[]): Promise<void> {
  return ofVisitor(async () => {
    const read = await Promise.all(files.map(async (file) =>
      ({ name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) })));
    const trace = read.find(({ bytes }) => looksLikeTrace(bytes));
    const inputs = read.filter(({ bytes }) => inputKind(bytes));
    const program = read.find((file) => file !== trace && !inputs.includes(file));
    if (program) await open(program.name, program.bytes);
    if (inputs.length > 0) {
      showView('machine');
      await fillInputs(inputs);
    }
    if (trace) await open(trace.name, trace.bytes);
  });
}

/** A text from the clipboard, named for what it is. */
export function loadText(text: string): Promise<void> {
  const bytes = new TextEncoder().encode(text);
  const { program } = sniff(bytes, 'pasted');
  const ending = looksLikeLoops(bytes, 'pasted') ? '.tloop'
    : program === 'language' ? '.tn' : program === 'assembly' ? '.tasm' : '';
  return ofVisitor(() => open(`pasted${ending}`, bytes));
}

/** The name of the file, without folders. */
export function nameOf(path: string): string {
  const last = path.split('/').pop()!;
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}
