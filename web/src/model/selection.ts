// SPDX-License-Identifier: Apache-2.0
// What can be selected: the one vocabulary of all panes.

/** Lines and columns count from 1, columns in UTF-16 units; the end is exclusive. */
export interface Span {
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}

export type Selection =
  | { readonly kind: 'span'; readonly file: string; readonly span: Span }
  | { readonly kind: 'pc'; readonly pc: number }
  | { readonly kind: 'step'; readonly step: number }
  /** frame: 0 is the innermost one at the cursor. */
  | { readonly kind: 'register'; readonly index: number; readonly frame: number }
  | { readonly kind: 'object'; readonly id: number }
  /** A slot of the shape heap. */
  | { readonly kind: 'slot'; readonly slot: number }
  | { readonly kind: 'element'; readonly register: number; readonly index: readonly number[] }
  | {
    readonly kind: 'lane';
    readonly strategy: string;
    readonly iteration: number;
    readonly lane: number;
  }
  /** A line of a stage of compilation, counted from 1. */
  | { readonly kind: 'line'; readonly stage: string; readonly line: number }
  /** A node of an imported model's graph. */
  | { readonly kind: 'node'; readonly name: string };
