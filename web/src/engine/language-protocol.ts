// SPDX-License-Identifier: Apache-2.0
// Every message between the page and the worker that reads programs. It is another worker than the
// engine's, so that what is typed never waits for a run.
import type {
  CompiledStage, Completion, Definition, Diagnostic, Hover,
} from 'tern-runtime';
import type { ProgramKind } from '../model/file-kind.js';
import type { SourceKind } from '../model/source-kind.js';
import type { Tokens } from '../model/tokens.js';
import type { ReplyOf } from './protocol.js';

/** A text that is edited. */
export interface SourceText {
  kind: SourceKind;
  name: string;
  text: string;
}

/** A program in whatever form it was opened. */
export interface StageInput {
  kind: ProgramKind;
  name: string;
  bytes: Uint8Array;
}

export type Stage = CompiledStage;

export type LanguageRequestBody =
  | { kind: 'prepare' }
  | { kind: 'check'; source: SourceText }
  | { kind: 'tokens'; source: SourceText }
  | { kind: 'format'; source: SourceText }
  | { kind: 'fix'; source: SourceText }
  | { kind: 'hover' | 'definition' | 'complete'; source: SourceText; position: number }
  | { kind: 'compile'; source: SourceText }
  | { kind: 'stages'; program: StageInput }
  | { kind: 'list'; executable: Uint8Array }
  | { kind: 'explain'; code: string };
export type LanguageRequest = LanguageRequestBody & { id: number };

/** What each kind of request is answered with. */
export interface LanguageAnswers {
  /** What answers the others has been fetched. */
  prepare: undefined;
  check: Diagnostic[];
  /** Of the language only. */
  tokens: Tokens;
  format: string;
  /** The text with all fixes applied, and a line for each. */
  fix: { text: string; applied: string[] };
  hover: Hover | null;
  definition: Definition | null;
  complete: Completion[];
  compile: Uint8Array<ArrayBuffer>;
  stages: Stage[];
  /** An executable as assembly text. */
  list: string;
  explain: string | undefined;
}

export type LanguageReply = ReplyOf<LanguageAnswers[keyof LanguageAnswers]>;
