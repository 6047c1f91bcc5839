// SPDX-License-Identifier: Apache-2.0
// Errors as values with structure: what the C API's status carries, as an exception of JavaScript.

/**
 * A part of a text: lines and columns count from 1, columns in code points; the end is behind it.
 */
export interface DiagnosticSpan {
  file?: string;
  line?: number;
  col?: number;
  endLine?: number;
  endCol?: number;
}

/** Edits that mend what a finding is about. */
export interface DiagnosticFix {
  title: string;
  edits: { span: DiagnosticSpan; replacement: string }[];
  /** Something is left to write. */
  incomplete?: boolean;
}

/** One finding, the same object that `tern --format json` prints. */
export interface Diagnostic {
  code: string;
  severity: string;
  message: string;
  notes?: string[];
  help?: string[];
  span?: DiagnosticSpan;
  /** Said beside the span. */
  label?: string;
  /** Other places that matter. */
  labels?: { span: DiagnosticSpan; text: string }[];
  fixes?: DiagnosticFix[];
  /** Such as what was expected and what was found. */
  context?: Record<string, string>;
  [key: string]: unknown;
}

/** Thrown by everything in this package. The runtime stays usable after it, but for E0901. */
export class TernError extends Error {
  /** Stable code such as "E0203". */
  readonly code: string;
  /** Every finding; at least one. */
  readonly diagnostics: readonly Diagnostic[];
  /** The full text for people, with notes and help. */
  readonly text: string;

  constructor(code: string, message: string, text?: string, diagnostics?: readonly Diagnostic[]) {
    super(message);
    this.name = 'TernError';
    this.code = code;
    this.text = text ?? `error[${code}]: ${message}`;
    this.diagnostics =
      diagnostics && diagnostics.length > 0 ? diagnostics : [{ code, severity: 'error', message }];
  }

  get diagnostic(): Diagnostic {
    return this.diagnostics[0]!;
  }

  /** What to do about it, of all findings; may be empty. */
  get help(): readonly string[] {
    return this.diagnostics.flatMap((each) => each.help ?? []);
  }
}

/** @internal An error that says what to do about it. */
export function errorWithHelp(code: string, message: string, ...help: string[]): TernError {
  const lines = help.map((each) => `\n   = help: ${each}`);
  const text = `error[${code}]: ${message}${lines.join('')}`;
  return new TernError(code, message, text, [{ code, severity: 'error', message, help }]);
}

/** @internal The same error, which says one thing more to do about it. */
export function withHelp(error: TernError, help: string): TernError {
  const [first, ...rest] = error.diagnostics;
  const told = { ...first!, help: [...(first!.help ?? []), help] };
  return new TernError(error.code, error.message, `${error.text.trimEnd()}\n   = help: ${help}`, [
    told,
    ...rest,
  ]);
}
