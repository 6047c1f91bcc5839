// SPDX-License-Identifier: Apache-2.0
// Which of the page's dialogs are open.
import { signal } from '@preact/signals';

export const sheetOpen = signal(false);
/** `?gallery` opens it with the page. */
export const galleryOpen =
  signal(new URLSearchParams(globalThis.location?.search ?? '').has('gallery'));
/** What the palette begins with; undefined while it is closed. */
export const paletteQuery = signal<string | undefined>(undefined);

export function openPalette(query = ''): void {
  paletteQuery.value = query;
}
