// SPDX-License-Identifier: Apache-2.0
// Keys that work anywhere on the page: those of the commands. A single letter does nothing inside
// of fields, and the visitor can choose others or switch them off.
import { commandOf, isLetter, keyText, letterKeys } from '../state/commands.js';
import { guarded } from '../state/store.js';

function takesText(target: EventTarget | null): boolean {
  return target instanceof HTMLElement &&
    (target.isContentEditable || target.matches('input, select, textarea'));
}

function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || document.querySelector('dialog[open]')) return;
  const key = keyText(event);
  if (isLetter(key) && (!letterKeys.value || takesText(event.target))) return;
  const command = commandOf(key);
  if (!command) return;
  event.preventDefault();
  if (!event.repeat || (command.repeats?.() ?? false)) command.run();
}

export function listenForShortcuts(): void {
  // They are many, and not needed to paint the page.
  void guarded(async () => {
    const { addShellCommands, listenForDrops } = await import('./commands.js');
    addShellCommands();
    listenForDrops();
  });
  document.addEventListener('keydown', onKeyDown);
}
