// SPDX-License-Identifier: Apache-2.0
// What the visitor looks at. Any pane selects, and every pane shows what belongs to it: a pane
// never calls another one. Hovering and focusing highlight for as long as they last; a click or
// Enter pins.
import { computed, signal } from '@preact/signals';

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

export const pinned = signal<Selection | undefined>(undefined);
export const hovered = signal<Selection | undefined>(undefined);

/** What panes highlight: what is pointed at, else what is pinned. */
export const highlighted = computed(() => hovered.value ?? pinned.value);

export function pin(selection: Selection | undefined): void {
  pinned.value = selection;
}

export function hover(selection: Selection | undefined): void {
  hovered.value = selection;
}
