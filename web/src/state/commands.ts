// SPDX-License-Identifier: Apache-2.0
// What can be done from anywhere, as one table: the keys, the palette and the list of keys are made
// from it. A part of the page that brings commands of its own adds them here.
import { signal } from '@preact/signals';
import { store, stored } from './storage.js';

export type CommandGroup = 'Run' | 'Go to' | 'Show' | 'Open' | 'Help';

export interface Command {
  /** For ever: keys that visitors have chosen are kept by it. */
  readonly id: string;
  readonly title: string;
  readonly group: CommandGroup;
  /** As `keyText` writes it: "n", "Ctrl+Enter", "Shift+F6". */
  readonly key?: string;
  /** Whether it can be done now; without this it always can. */
  readonly when?: () => boolean;
  /** Of a key that is held down: whether its repetitions count too. */
  readonly repeats?: () => boolean;
  readonly run: () => void;
}

const kKeysKey = 'tern-keys';
const kLettersKey = 'tern-letter-keys';

/** Keys by the ids of commands; what is not understood is left out. */
export function readKeys(text: string | null): Readonly<Record<string, string>> {
  try {
    const kept: unknown = JSON.parse(text ?? '{}');
    if (typeof kept !== 'object' || kept === null || Array.isArray(kept)) return {};
    return Object.fromEntries(Object.entries(kept).filter(([, key]) =>
      typeof key === 'string' && [...key].length <= 1));
  } catch {
    return {};
  }
}

export const commands = signal<readonly Command[]>([]);

/** A command of the same id is replaced. */
export function addCommands(added: readonly Command[]): void {
  const ids = new Set(added.map(({ id }) => id));
  commands.value = [...commands.value.filter(({ id }) => !ids.has(id)), ...added];
}

/** Keys that the visitor has chosen; an empty one is none. */
const chosen = signal(readKeys(stored(kKeysKey)));
export const letterKeys = signal(stored(kLettersKey) !== 'off');

export function setLetterKeys(on: boolean): void {
  letterKeys.value = on;
  store(kLettersKey, on ? 'on' : 'off');
}

export const isLetter = (key: string | undefined): boolean =>
  key !== undefined && [...key].length === 1;

/** Keys of a single letter can be chosen; others are fixed. */
export const canChoose = ({ key }: Command): boolean => isLetter(key);

export function keyOf(command: Command): string | undefined {
  const own = canChoose(command) ? chosen.value[command.id] : undefined;
  return (own ?? command.key) || undefined;
}

/** undefined: as it was at first; '': none. A key that another command had is taken from it. */
export function chooseKey(id: string, key: string | undefined): void {
  const { [id]: _before, ...others } = chosen.value;
  const next: Record<string, string> = { ...others, ...(key === undefined ? {} : { [id]: key }) };
  if (key) {
    for (const other of commands.value) {
      if (other.id !== id && keyOf(other) === key && canChoose(other)) next[other.id] = '';
    }
  }
  chosen.value = next;
  store(kKeysKey, JSON.stringify(next));
}

export function chooseDefaults(): void {
  chosen.value = {};
  store(kKeysKey, '{}');
}

/** What a key press is called; Ctrl stands for ⌘ too. */
export function keyText(event: {
  key: string; ctrlKey: boolean; metaKey: boolean; altKey: boolean; shiftKey: boolean;
}): string {
  const isCharacter = isLetter(event.key);
  const isControl = event.ctrlKey || event.metaKey;
  const name = isCharacter && isControl ? event.key.toLowerCase() : event.key;
  const parts = [
    isControl ? 'Ctrl' : '', event.altKey ? 'Alt' : '',
    event.shiftKey && !isCharacter ? 'Shift' : '', name,
  ];
  return parts.filter(Boolean).join('+');
}

/** The command of a key, of those that can be done now. */
export function commandOf(key: string): Command | undefined {
  return commands.value.find((each) => keyOf(each) === key && (each.when?.() ?? true));
}
