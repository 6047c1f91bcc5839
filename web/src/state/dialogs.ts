// SPDX-License-Identifier: Apache-2.0
// Which of the page's dialogs is open.
import { signal } from '@preact/signals';

export type DialogName = 'Gallery' | 'Help' | 'KeySheet' | 'Palette' | 'Share';

/** `?gallery` opens it with the page. */
export const dialog = signal<DialogName | undefined>(
  new URLSearchParams(globalThis.location?.search ?? '').has('gallery') ? 'Gallery' : undefined);
/** What the palette begins with, or the pane that help is about. */
export let dialogSubject = '';

export function openDialog(name: DialogName, subject = ''): void {
  dialogSubject = subject;
  dialog.value = name;
}

/** Another one may have been opened since. */
export function closeDialog(name: DialogName): void {
  if (dialog.value === name) dialog.value = undefined;
}
