// SPDX-License-Identifier: Apache-2.0
// Between the text and the program: opening a text, compiling what is edited before it runs.
import { effect, untracked } from '@preact/signals';
import { EngineError } from '../engine/client.js';
import type { ProgramAddress } from '../model/address.js';
import { InputError } from '../model/inputs.js';
import { packText, unpackText } from '../model/packed-text.js';
import { kSourceKinds, type SourceKind } from '../model/source-kind.js';
import { keepDraft } from './drafts.js';
import { type OpenedFile, loadMade, openedFile } from './loading.js';
import { reveal } from './layout.js';
import { language, openSource, settleSource, source, type SourceState } from './source.js';
import { breakpointLines, restoreLines } from './source-lines.js';
import { beforeRun, guarded, session, update } from './store.js';
import { keepProgram } from './view.js';

const encoded = (text: string): Uint8Array => new TextEncoder().encode(text);
const kMaxAssembly = 1 << 20;

const fileOf = ({ name, kind, text }: SourceState): OpenedFile =>
  ({ name, kind: kind === 'assembly' ? 'assembly' : 'language', bytes: encoded(text) });

/** Compiles the text and loads what comes of it. Breakpoints stay at their places in the text. */
async function loadText(now: SourceState): Promise<void> {
  const { kind, name, text, revision } = now;
  const lines = breakpointLines.value;
  try {
    const executable = await language.request({ kind: 'compile', source: { kind, name, text } });
    const file = fileOf(now);
    shownFile = file;
    await loadMade(file, executable);
  } catch (error) {
    if (error instanceof EngineError) update({ refused: name });
    throw error;
  }
  settleSource(revision);
  restoreLines(lines);
}

async function loadEdited(): Promise<void> {
  const now = source.value;
  if (now?.edited && now.kind !== 'loops') await loadText(now);
}

beforeRun.act = loadEdited;

/** The file whose text the editor holds. */
let shownFile: OpenedFile | undefined;

/** Shows a text without loading it. */
export function showProgramText(file: OpenedFile, example = ''): Promise<void> {
  const text = new TextDecoder().decode(file.bytes);
  const kind: SourceKind = file.kind === 'assembly' ? 'assembly' : 'language';
  shownFile = file;
  return openSource({ kind, name: file.name, text }, example);
}

/** Shows the text, then compiles and loads it; a text with mistakes stays to be mended. */
export async function openProgramText(file: OpenedFile, example = ''): Promise<void> {
  reveal('source');
  const reading = showProgramText(file, example);
  try {
    await loadText(source.value!);
  } finally {
    await reading;
  }
}

/** The executable of the loaded program as assembly, which can be edited and run. */
export async function openAsAssembly(): Promise<void> {
  const { program } = session.value;
  if (!program) return;
  const text = await language.request({ kind: 'list', executable: program.executable });
  const name = `${program.name.replace(/\.\w+$/, '')}.tasm`;
  shownFile = openedFile.value;
  await openSource({ kind: 'assembly', name, text });
}

// Assembly that is opened as a file stands in the editor too; it has been loaded already.
effect(() => {
  const file = openedFile.value;
  if (!file || file === shownFile) return;
  shownFile = file;
  if (file.kind !== 'assembly' || file.bytes.length > kMaxAssembly) {
    source.value = undefined;
    return;
  }
  // Showing it reads the text that is shown; a later text must not bring this file back.
  untracked(() => void showProgramText(file));
});

const kTypingPause = 120;

/** A link carries the text, unless that is too long for one. */
async function keepText({ revision, text, kind }: SourceState): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, kTypingPause));
  if (source.value?.revision !== revision) return;
  const packed = await packText(text);
  if (source.value?.revision !== revision) return;
  keepProgram(packed ? { packed, ending: kind === 'assembly' ? 'tasm' : 'tn' } : {});
}

// A link names a program of the page while it is as it came.
effect(() => {
  const now = source.value;
  if (!now || now.kind === 'loops') return keepProgram({});
  if (now.example && now.text === now.opened) return keepProgram({ example: now.example });
  untracked(() => void guarded(() => keepText(now)));
});

/** The text that a link carries; nothing where it was cut off. */
export async function openLinked({ packed, ending }: ProgramAddress): Promise<void> {
  const text = await unpackText(packed ?? '');
  if (text === undefined) {
    throw new InputError('E0604', 'the program in the address of this page is damaged',
      'a link that was cut off has lost it: copy the whole link');
  }
  const kind = ending === 'tasm' ? 'assembly' : 'language';
  await openProgramText({ kind, name: `linked${kSourceKinds[kind].ending}`, bytes: encoded(text) });
}

effect(() => {
  const now = source.value;
  if (now?.edited) keepDraft({ kind: now.kind, name: now.name, text: now.text });
});
