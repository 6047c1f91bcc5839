// SPDX-License-Identifier: Apache-2.0
// Findings of the core in a text: their places as offsets in units of JavaScript strings, and the
// text that a fix makes.
import type { Diagnostic, DiagnosticFix, DiagnosticSpan } from 'tern-runtime';

export interface SourceRange {
  readonly from: number;
  readonly to: number;
}

/** A finding with the places that an editor marks. */
export interface Finding extends SourceRange {
  readonly diagnostic: Diagnostic;
  readonly labels: readonly (SourceRange & { readonly text: string })[];
}

/** Where each line of a text begins. */
export class LineStarts {
  private readonly starts: number[] = [0];

  constructor(private readonly text: string) {
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1))
      this.starts.push(at + 1);
  }

  /** Of a line and a column of code points, both from 1; outside of the text its nearest end. */
  offset(line: number, column: number): number {
    const start = this.starts[Math.max(0, line - 1)];
    if (start === undefined) return this.text.length;
    const next = this.starts[Math.max(0, line - 1) + 1];
    const end = next === undefined ? this.text.length : next - 1;
    let at = start;
    for (let i = 1; i < column && at < end; i++) at += this.text.codePointAt(at)! > 0xffff ? 2 : 1;
    return at;
  }

  range({ line = 1, col = 1, endLine = line, endCol = col }: DiagnosticSpan): SourceRange {
    const from = this.offset(line, col);
    return { from, to: Math.max(from, this.offset(endLine, endCol)) };
  }
}

/** Findings that have no place are at the beginning. */
export function findingsOf(text: string, diagnostics: readonly Diagnostic[]): Finding[] {
  const lines = new LineStarts(text);
  return diagnostics.map((diagnostic) => ({
    ...(diagnostic.span ? lines.range(diagnostic.span) : { from: 0, to: 0 }),
    diagnostic,
    labels: (diagnostic.labels ?? []).map(({ span, text: label }) =>
      ({ ...lines.range(span), text: label })),
  }));
}

export interface TextEdit extends SourceRange {
  readonly insert: string;
}

/** The edits of a fix in the text, in order; those that overlap an earlier one are left out. */
export function editsOf(text: string, fix: DiagnosticFix): TextEdit[] {
  const lines = new LineStarts(text);
  const edits = fix.edits.map(({ span, replacement }) =>
    ({ ...lines.range(span), insert: replacement }));
  edits.sort((a, b) => a.from - b.from);
  return edits.filter((edit, i) => i === 0 || edit.from >= edits[i - 1]!.to);
}

export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  let result = '';
  let at = 0;
  for (const { from, to, insert } of edits) {
    result += text.slice(at, from) + insert;
    at = to;
  }
  return result + text.slice(at);
}
