// SPDX-License-Identifier: Apache-2.0
// The text that is edited, and what the core says of it. Reading it is the language worker's: what
// is typed never waits for a run. Text and findings always fit each other's positions by `checked`:
// findings are those of the text of that revision.
import { computed, signal } from '@preact/signals';
import { EngineError } from '../engine/client.js';
import { LanguageClient } from '../engine/language-client.js';
import type { SourceText } from '../engine/language-protocol.js';
import { applyEdits, editsOf, findingsOf } from '../model/diagnostics.js';
import { kNoTokens } from '../model/tokens.js';
import type { Completion, Definition, DiagnosticFix, Hover } from 'tern-runtime';
import { findings, kNothingRead, reading, tokens } from './findings.js';
import { reveal } from './layout.js';
import type { Problem } from './session.js';
import { guarded, report, session, update } from './store.js';
import { sourceReporter } from './view.js';

export interface SourceState extends SourceText {
  /** Which text this is: it grows with each that is opened or typed. */
  readonly revision: number;
  /** Whether it is another than what was opened or last run. */
  readonly edited: boolean;
  /** Of the page's programs; empty for one's own. */
  readonly example: string;
  /** The text as it was opened. */
  readonly opened: string;
}

const kTypingPause = 120;

export const language = new LanguageClient();
export const source = signal<SourceState | undefined>(undefined);
/** Why the reader itself does not work, such as a module that could not be fetched. */
export const readerProblem = signal<Problem | undefined>(undefined);
/** What Format or Fix all has just done, for the live region. */
export const editorNote = signal('');
/** Where the caret is to go: a new object for every jump. */
export const jump = signal<{ readonly from: number; readonly to: number } | undefined>(undefined);
export const plainText = signal(globalThis.localStorage?.getItem('tern-plain-editor') === 'on');

export function setPlainText(on: boolean): void {
  plainText.value = on;
  localStorage.setItem('tern-plain-editor', on ? 'on' : 'off');
  const now = source.value;
  if (now && !on) void guarded(() => readTokens(now));
}

let revisions = 0;

function textOf({ kind, name, text }: SourceState): SourceText {
  return { kind, name, text };
}

/** What a text was refused for is no longer said of one that has been edited: findings are. */
function forgetRefusal({ edited, name }: SourceState): void {
  const { refused, problems } = session.value;
  if (edited && refused === name)
    update({ problems: problems.filter(({ diagnostics = [] }) => diagnostics.length === 0) });
}

/** The colours of words, which come after the findings: a long text has tens of thousands. */
async function readTokens(now: SourceState): Promise<void> {
  if (now.kind !== 'language' || plainText.value) return;
  const found = await ask(() => language.latest({ kind: 'tokens', source: textOf(now) }));
  if (found && source.value?.revision === now.revision) tokens.value = found;
}

/** Reads the text as it is now; a reading that another one has overtaken is dropped. */
async function read(): Promise<void> {
  const now = source.value;
  if (!now) return;
  try {
    const diagnostics = await language.latest({ kind: 'check', source: textOf(now) });
    if (!diagnostics || source.value?.revision !== now.revision) return;
    readerProblem.value = undefined;
    reading.value = { checked: now.revision, findings: findingsOf(now.text, diagnostics) };
    forgetRefusal(now);
    void guarded(() => readTokens(now));
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    readerProblem.value = error.failure;
  }
}

let waiting: Promise<void> | undefined;

/** Reads after a pause in typing, again where more was typed meanwhile: one request at a time. */
function readSoon(): Promise<void> {
  waiting ??= guarded(async () => {
    try {
      for (let seen = -1; seen !== source.value?.revision;) {
        do {
          seen = source.value?.revision ?? 0;
          await new Promise((resolve) => setTimeout(resolve, kTypingPause));
        } while (seen !== source.value?.revision);
        await read();
      }
    } finally {
      waiting = undefined;
    }
  });
  return waiting;
}

export function openSource(text: SourceText, example = ''): Promise<void> {
  source.value = { ...text, revision: ++revisions, edited: false, example, opened: text.text };
  reading.value = kNothingRead;
  tokens.value = kNoTokens;
  editorNote.value = '';
  return guarded(read);
}

export function closeSource(): void {
  source.value = undefined;
  reading.value = kNothingRead;
  tokens.value = kNoTokens;
}

export function editSource(text: string): Promise<void> {
  const now = source.value;
  if (!now || now.text === text) return Promise.resolve();
  source.value = { ...now, text, revision: ++revisions, edited: true };
  editorNote.value = '';
  return readSoon();
}

/** Text that was loaded or run as it is. */
export function settleSource(revision: number): void {
  const now = source.value;
  if (now?.revision === revision) source.value = { ...now, edited: false };
}

/** Whether the findings are those of the text that is shown. */
export const isRead = computed(() => reading.value.checked === source.value?.revision);

export function goTo(from: number, to = from): void {
  reveal('source');
  jump.value = { from, to };
}

export function applyFix(fix: DiagnosticFix): Promise<void> {
  const now = source.value;
  if (!now || !isRead.value) return Promise.resolve();
  return editSource(applyEdits(now.text, editsOf(now.text, fix)));
}

/** Replaces the text by what the core makes of it, unless something was typed meanwhile. */
function replaceBy(make: (text: SourceText) => Promise<[text: string, note: string]>) {
  return guarded(async () => {
    const now = source.value;
    if (!now) return;
    const [text, note] = await make(textOf(now));
    if (source.value?.revision !== now.revision) return;
    await editSource(text);
    editorNote.value = note;
  }, (error) => {
    editorNote.value = error instanceof Error ? error.message : String(error);
    if (!(error instanceof EngineError)) report(error);
  });
}

export function formatSource(): Promise<void> {
  return replaceBy(async (now) => {
    const text = await language.request({ kind: 'format', source: now });
    return [text, text === now.text ? 'The layout was right already.' : 'Formatted.'];
  });
}

export function fixAll(): Promise<void> {
  return replaceBy(async (now) => {
    const { text, applied } = await language.request({ kind: 'fix', source: now });
    const count = applied.length;
    const note = count === 0 ? 'No fix leaves nothing to write.'
      : `${count} ${count === 1 ? 'fix' : 'fixes'} applied: ${applied.join(', ')}.`;
    return [text, note];
  });
}

/** What stands at a position; nothing where the reader fails or the text has changed since. */
async function ask<T>(question: () => Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await question();
  } catch (error) {
    if (error instanceof EngineError) return undefined;
    throw error;
  }
}

const hasQuestions = (): SourceText | undefined =>
  source.value?.kind === 'language' ? textOf(source.value) : undefined;

export async function hoverAt(position: number): Promise<Hover | null | undefined> {
  const now = hasQuestions();
  return now && ask(() => language.latest({ kind: 'hover', source: now, position }));
}

export async function definitionAt(position: number): Promise<Definition | null | undefined> {
  const now = hasQuestions();
  return now && ask(() => language.latest({ kind: 'definition', source: now, position }));
}

export async function completionsAt(position: number): Promise<readonly Completion[]> {
  const now = hasQuestions();
  if (!now) return [];
  return (await ask(() => language.latest({ kind: 'complete', source: now, position }))) ?? [];
}

/** To the finding after the position, or before it; from the last one to the first. */
export function walkFindings(position: number, by: 1 | -1): void {
  const all = [...findings.value].sort((a, b) => a.from - b.from);
  if (all.length === 0) return;
  const next = by > 0 ? all.find(({ from }) => from > position)
    : all.filter(({ from }) => from < position).at(-1);
  const { from, to } = next ?? all.at(by > 0 ? 0 : -1)!;
  goTo(from, to);
}

function sourceReport(): Record<string, unknown> | null {
  const now = source.value;
  if (!now) return null;
  const { kind, name, text, edited, example } = now;
  return {
    kind, name, text, edited, example, read: isRead.value,
    problems: findings.value.map(({ from, to, diagnostic }) =>
      ({ from, to, code: diagnostic.code, severity: diagnostic.severity,
        message: diagnostic.message, fixes: (diagnostic.fixes ?? []).map(({ title }) => title) })),
  };
}

sourceReporter.report = sourceReport;
