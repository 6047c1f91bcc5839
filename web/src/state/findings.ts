// SPDX-License-Identifier: Apache-2.0
// What is wrong with the text that is edited, apart from the editor's other state, so that the page
// can count it before the editor has been fetched.
import { computed, signal } from '@preact/signals';
import type { Finding } from '../model/diagnostics.js';
import { kNoTokens } from '../model/tokens.js';
import { session } from './store.js';

export interface Reading {
  /** The revision of the text that was read. */
  readonly checked: number;
  readonly findings: readonly Finding[];
}

export const kNothingRead: Reading = { checked: 0, findings: [] };
export const reading = signal<Reading>(kNothingRead);
/** Of the text that was read last: the editor moves them with what is typed since. */
export const tokens = signal(kNoTokens);
export const findings = computed(() => reading.value.findings);

/**
 * Problems of loading and running that are not findings of the text: a text that does not compile
 * is refused with the findings that the editor has.
 */
export const otherProblems = computed(() => {
  const known = new Set(findings.value.map(({ diagnostic }) =>
    `${diagnostic.code} ${diagnostic.message}`));
  return session.value.problems.filter(({ diagnostics = [] }) =>
    diagnostics.length === 0 ||
    diagnostics.some(({ code, message }) => !known.has(`${code} ${message}`)));
});

export const problemCount = computed(() => findings.value.length + otherProblems.value.length);
