// SPDX-License-Identifier: Apache-2.0
// Files dropped or pasted anywhere on the page, and texts that are pasted outside of fields. The
// picker in the Program pane does the same by keyboard. Fetched after the first paint.
import { loadFiles, loadText } from '../state/files.js';
import { prepareForTexts } from '../state/prepare.js';
import { hovering } from './drop.js';

const hasFiles = (event: DragEvent): boolean =>
  event.dataTransfer?.types.includes('Files') ?? false;

function onPaste(event: ClipboardEvent): void {
  const { target, clipboardData } = event;
  const isField = target instanceof HTMLElement &&
    (target.isContentEditable || target.matches('input, select, textarea'));
  const isEditor = target instanceof HTMLElement && target.shadowRoot !== null;
  if (isField || isEditor || event.defaultPrevented || document.querySelector('dialog[open]'))
    return;
  const files = [...(clipboardData?.files ?? [])];
  const text = clipboardData?.getData('text/plain') ?? '';
  if (files.length > 0) void loadFiles(files);
  else if (text.trim()) void loadText(text);
}

export function listenForDrops(): void {
  document.addEventListener('dragover', (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    hovering.value = true;
    prepareForTexts();
  });
  document.addEventListener('dragleave', (event) => {
    // Leaving one element for another is such an event as well; without a relatedTarget it is the
    // window that was left.
    if (!event.relatedTarget) hovering.value = false;
  });
  document.addEventListener('drop', (event) => {
    hovering.value = false;
    if (!hasFiles(event)) return;
    event.preventDefault();
    const files = [...(event.dataTransfer?.files ?? [])];
    if (files.length > 0) void loadFiles(files);
  });
  document.addEventListener('paste', onPaste);
}
