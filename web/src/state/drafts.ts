// SPDX-License-Identifier: Apache-2.0
// What was edited and not saved, kept in this browser alone: one text for each kind, offered again
// when the page is opened anew.
import { signal } from '@preact/signals';
import type { SourceText } from '../engine/language-protocol.js';
import { kSourceKinds, type SourceKind } from '../model/source-kind.js';

const kKey = 'tern-draft';
const kMaxLetters = 1 << 20;
const kPause = 400;

function storedDraft(): SourceText | undefined {
  try {
    const draft = JSON.parse(localStorage.getItem(kKey) ?? 'null') as Partial<SourceText> | null;
    const { kind, name, text } = draft ?? {};
    if (typeof name !== 'string' || typeof text !== 'string') return undefined;
    return kind !== undefined && Object.hasOwn(kSourceKinds, kind)
      ? { kind: kind as SourceKind, name, text } : undefined;
  } catch {
    return undefined; // it was not written by this page, or there is no storage
  }
}

/** Of an earlier visit; taken or dismissed once. */
export const offeredDraft = signal<SourceText | undefined>(storedDraft());

let waiting: ReturnType<typeof setTimeout> | undefined;

/** Written at rest: every letter would be one too many. */
export function keepDraft(draft: SourceText): void {
  clearTimeout(waiting);
  waiting = setTimeout(() => {
    if (draft.text.length > kMaxLetters) return;
    try {
      localStorage.setItem(kKey, JSON.stringify(draft));
    } catch {
      // A full or forbidden storage keeps no drafts.
    }
  }, kPause);
}

export function forgetDraft(): void {
  clearTimeout(waiting);
  offeredDraft.value = undefined;
  localStorage.removeItem(kKey);
}

/** The draft, which is then no longer offered; it stays stored until another takes its place. */
export function takeDraft(): SourceText | undefined {
  const draft = offeredDraft.value;
  offeredDraft.value = undefined;
  return draft;
}
