// SPDX-License-Identifier: Apache-2.0
// Where panes lie: presets as a table, stacks and tabs, sizes of regions and their keys.
import { describe, expect, test } from 'vitest';
import {
  activeOf, arrange, kPresetNames, kPresets, panesOf, phonePane, readPaneList, regionOf,
  usablePresets,
} from '../../../web/src/model/presets.js';
import {
  clampSplit, gridTemplate, kSplitNames, kSplits, mostOf, splitAfterKey,
} from '../../../web/src/model/splits.js';
import { readLayout } from '../../../web/src/state/layout.js';

const at = (id: string, region: 'left' | 'centre' | 'right' | 'bottom') => ({ id, region });
const kToday = [
  at('draw', 'left'), at('program', 'left'), at('run', 'centre'), at('bytecode', 'centre'),
  at('registers', 'right'), at('output', 'right'), at('lanes', 'centre'),
];

describe('presets', () => {
  test('name each pane once, and have the pane that they are for', () => {
    for (const name of kPresetNames) {
      const ids = panesOf(kPresets[name]);
      expect(new Set(ids).size, name).toBe(ids.length);
      expect(ids, name).toContain(kPresets[name].main);
    }
  });

  test('leave out panes that are not there, and stacks that are empty then', () => {
    expect(arrange(kPresets.debug, kToday)).toEqual({
      left: [['draw'], ['program']], centre: [['run'], ['bytecode']],
      right: [['registers'], ['output']], bottom: [],
    });
  });

  test('are not offered without their main pane', () => {
    expect(usablePresets(kToday)).toEqual(['debug', 'vector']);
    expect(usablePresets([])).toEqual([]);
  });

  test('can be cut down to named panes, others than theirs in their own region', () => {
    expect(arrange(kPresets.debug, kToday, ['registers', 'lanes', 'nowhere'])).toEqual({
      left: [], centre: [['lanes']], right: [['registers']], bottom: [],
    });
  });

  test('say where a pane lies', () => {
    expect(regionOf(kPresets.debug, 'timeline')).toBe('bottom');
    expect(regionOf(kPresets.debug, 'lesson')).toBeUndefined();
  });
});

test('a stack shows what was looked at last, at first its first', () => {
  expect(activeOf(['registers', 'frames'], [])).toBe('registers');
  expect(activeOf(['registers', 'frames'], ['output', 'frames', 'registers'])).toBe('frames');
});

test('a phone shows the pane looked at last, else the one that is for phones', () => {
  const there = arrange(kPresets.debug, kToday);
  expect(phonePane(kPresets.debug, there, [])).toBe('draw');
  expect(phonePane(kPresets.debug, there, ['heap', 'output'])).toBe('output');
  const cut = arrange(kPresets.debug, kToday, ['registers']);
  expect(phonePane(kPresets.debug, cut, [])).toBe('registers');
});

test('a list of panes is read as far as it is one', () => {
  expect(readPaneList('lanes,ir,lanes')).toEqual(['lanes', 'ir']);
  expect(readPaneList('lanes,<img onerror=1>,x y')).toEqual(['lanes']);
  for (const none of [null, '', ',,', '1,2', 'A']) expect(readPaneList(none)).toBeUndefined();
});

describe('splits', () => {
  test('keys move a border within its limits', () => {
    expect(splitAfterKey('left', 'ArrowRight', 344, 1440)).toBe(360);
    expect(splitAfterKey('right', 'ArrowRight', 368, 1440)).toBe(352);
    expect(splitAfterKey('bottom', 'ArrowUp', 272, 900)).toBe(288);
    expect(splitAfterKey('left', 'Home', 344, 1440)).toBe(kSplits.left.least);
    expect(splitAfterKey('left', 'End', 344, 1440)).toBe(mostOf('left', 1440));
    expect(splitAfterKey('left', 'ArrowUp', 344, 1440)).toBeUndefined();
    expect(splitAfterKey('left', 'n', 344, 1440)).toBeUndefined();
  });

  test('no length leaves its limits, also one that is no number', () => {
    for (const split of kSplitNames) {
      for (const length of [-1, 0, 1e9, NaN, Infinity]) {
        const kept = clampSplit(split, length, 1440);
        expect(kept).toBeGreaterThanOrEqual(kSplits[split].least);
        expect(kept).toBeLessThanOrEqual(mostOf(split, 1440));
      }
    }
  });

  test('every line of the grid has as many areas as there are columns', () => {
    const kinds = [[], [['a']]] as const;
    for (const left of kinds) for (const right of kinds) for (const bottom of kinds) {
      const { columns, areas } = gridTemplate({ left, centre: [['c']], right, bottom });
      const tracks = columns.match(/var\([^)]*\)|minmax\([^)]*\)/g)!.length;
      for (const line of areas.match(/"[^"]*"/g)!) {
        expect(line.split(' ').length, areas).toBe(tracks);
      }
    }
  });
});

describe('a kept layout', () => {
  test('comes back', () => {
    const text = JSON.stringify({
      preset: 'vector', recent: { debug: ['output'] }, sizes: { debug: { left: 400 } },
    });
    expect(readLayout(text)).toMatchObject({
      preset: 'vector', recent: { debug: ['output'] }, sizes: { debug: { left: 400 } },
    });
  });

  test('counts as not kept where it is not understood', () => {
    const bad = [
      null, '', '{', '[]', '5', '{"preset":"toString"}', '{"recent":[1]}', '{"sizes":7}',
      '{"recent":{"debug":"output"},"sizes":{"debug":{"left":"wide","top":1},"evil":{}}}',
    ];
    for (const text of bad) {
      const layout = readLayout(text);
      expect(layout.preset, String(text)).toBe('debug');
      expect(panesOf(arrange(kPresets.debug, kToday, layout.only)).length).toBe(6);
      expect(Object.values(layout.sizes).flatMap(Object.keys)).toEqual([]);
    }
  });
});
