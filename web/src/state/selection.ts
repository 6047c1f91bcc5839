// SPDX-License-Identifier: Apache-2.0
// What the visitor looks at. Any pane selects, and every pane shows what belongs to it: a pane
// never calls another one. Hovering and focusing highlight for as long as they last; a click or
// Enter pins.
import { computed, signal } from '@preact/signals';
import type { Selection } from '../model/selection.js';

export type { Selection, Span } from '../model/selection.js';

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
