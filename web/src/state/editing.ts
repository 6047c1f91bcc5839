// SPDX-License-Identifier: Apache-2.0
// Between the text and the program: opening a text, compiling what is edited before it runs, and
// which instructions belong to which line.
import { computed, effect } from '@preact/signals';
import { EngineError } from '../engine/client.js';
import type { SourceKind } from '../model/source-kind.js';
import { keepDraft } from './drafts.js';
import { type OpenedFile, loadMade, openedFile } from './loading.js';
import { reveal } from './layout.js';
import { toggleBreakpoint } from './runs.js';
import { currentPc } from './session.js';
import { language, openSource, settleSource, source, type SourceState } from './source.js';
import { beforeRun, session, update } from './store.js';

const encoded = (text: string): Uint8Array => new TextEncoder().encode(text);
const kMaxAssembly = 1 << 20;

const fileOf = ({ name, kind, text }: SourceState): OpenedFile =>
  ({ name, kind: kind === 'assembly' ? 'assembly' : 'language', bytes: encoded(text) });

/** Compiles the text and loads what comes of it. Breakpoints stay on their lines. */
async function loadText(now: SourceState): Promise<void> {
  const { kind, name, text, revision } = now;
  const lines = [...breakpointLines.value.keys()];
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
  for (const line of lines) toggleLine(line);
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
  void showProgramText(file);
});

effect(() => {
  const now = source.value;
  if (now?.edited) keepDraft({ kind: now.kind, name: now.name, text: now.text });
});

/** Instructions by the line that they were made from; none while another text is edited. */
const pcsOfLines = computed(() => {
  const lines = new Map<number, number[]>();
  const name = source.value?.name;
  for (const { pc, line, source: file } of session.value.program?.info.instructions ?? []) {
    if (line === undefined || file !== name) continue;
    lines.set(line, [...(lines.get(line) ?? []), pc]);
  }
  return lines;
});

export const breakpointLines = computed(() => {
  const { breakpoints } = session.value;
  const found = new Map<number, number[]>();
  for (const [line, pcs] of pcsOfLines.value) {
    const set = pcs.filter((pc) => breakpoints.has(pc));
    if (set.length > 0) found.set(line, set);
  }
  return found;
});

function lineOf(pc: number | undefined): number | undefined {
  const instruction = pc === undefined ? undefined : session.value.program?.info.instructions[pc];
  return instruction?.source === source.value?.name ? instruction?.line : undefined;
}

export { lineOf };

/** Of the instruction that is next. An edited text has other lines than the program. */
export const currentLine = computed(() =>
  (source.value?.edited ? undefined : lineOf(currentPc(session.value))));

export const pcsOf = (line: number): readonly number[] => pcsOfLines.value.get(line) ?? [];

/** Sets a breakpoint at the first instruction of a line, or clears those that it has. */
export function toggleLine(line: number): void {
  const set = breakpointLines.value.get(line);
  for (const pc of set ?? pcsOf(line).slice(0, 1)) toggleBreakpoint(pc);
}
