// SPDX-License-Identifier: Apache-2.0
// Commands: their keys, which a visitor can choose, and what the palette finds.
import { beforeEach, describe, expect, test } from 'vitest';
import { findEntries, matchCost, placesIn } from '../../../web/src/model/palette.js';
import {
  addCommands, chooseDefaults, chooseKey, type Command, commandOf, commands, keyOf, keyText,
  readKeys,
} from '../../../web/src/state/commands.js';

const press = (key: string, held: Partial<Record<'ctrl' | 'meta' | 'alt' | 'shift', true>> = {}) =>
  keyText({
    key, ctrlKey: held.ctrl ?? false, metaKey: held.meta ?? false, altKey: held.alt ?? false,
    shiftKey: held.shift ?? false,
  });

function command(id: string, key?: string, when?: () => boolean): Command {
  const base = { id, title: id, group: 'Run', run: () => {} } as const;
  return { ...base, ...(key ? { key } : {}), ...(when ? { when } : {}) };
}

describe('keys', () => {
  beforeEach(() => {
    commands.value = [];
    chooseDefaults();
  });

  test('are called the same on every keyboard', () => {
    expect(press('k', { ctrl: true })).toBe('Ctrl+k');
    expect(press('K', { meta: true })).toBe('Ctrl+k');
    expect(press('?', { shift: true })).toBe('?');
    expect(press('F6', { shift: true })).toBe('Shift+F6');
    expect(press('n', { alt: true })).toBe('Alt+n');
  });

  test('lead to the first command that can be done now', () => {
    addCommands([command('a', 'n', () => false), command('b', 'n')]);
    expect(commandOf('n')?.id).toBe('b');
    expect(commandOf('x')).toBeUndefined();
  });

  test('can be chosen, which takes them from others, and be taken away', () => {
    addCommands([command('step', 'n'), command('back', 'p'), command('run', 'Ctrl+Enter')]);
    chooseKey('back', 'n');
    expect(commandOf('n')?.id).toBe('back');
    expect(keyOf(commands.value[0]!)).toBeUndefined();
    chooseKey('back', '');
    expect(commandOf('n')).toBeUndefined();
    chooseKey('run', 'x');
    expect(commandOf('x')).toBeUndefined();
    chooseDefaults();
    expect(commandOf('n')?.id).toBe('step');
  });

  test('a command of the same id replaces the one before', () => {
    addCommands([command('a', 'n')]);
    addCommands([command('a', 'm')]);
    expect(commands.value).toHaveLength(1);
    expect(commandOf('m')?.id).toBe('a');
  });

  test('that were kept are read as far as they are keys', () => {
    expect(readKeys('{"step":"x","back":"","run":"Enter","a":5}')).toEqual({ step: 'x', back: '' });
    for (const bad of [null, '', '{', '[]', '"n"', 'null']) expect(readKeys(bad)).toEqual({});
  });
});

describe('the palette', () => {
  const entries = ['One step on', 'One step back', 'Pane Output', 'Stop the run'].map((title) =>
    ({ id: title, title, group: 'Run' }));

  test('finds beginnings of words before letters', () => {
    expect(findEntries(entries, 'st').map(({ title }) => title)).toEqual([
      'Stop the run', 'One step on', 'One step back',
    ]);
    expect(findEntries(entries, 'step back').map(({ title }) => title)).toEqual(['One step back']);
    expect(findEntries(entries, 'pno')[0]!.title).toBe('Pane Output');
    expect(findEntries(entries, '')).toHaveLength(4);
    expect(findEntries(entries, 'xyz')).toEqual([]);
    expect(matchCost('abc', 'abc d')).toBeUndefined();
  });

  test('reads places', () => {
    expect(placesIn('12')).toEqual([{ kind: 'step', at: 12 }, { kind: 'pc', at: 12 }]);
    expect(placesIn('step 5 341')).toEqual([{ kind: 'step', at: 5341 }]);
    expect(placesIn('go to pc 7')).toEqual([{ kind: 'pc', at: 7 }]);
    for (const none of ['', 'step', 'step x', '-1', '1e9', '99999999999999999999']) {
      expect(placesIn(none)).toEqual([]);
    }
  });
});
