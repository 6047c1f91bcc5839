// SPDX-License-Identifier: Apache-2.0
// The address: links that were ever given out, round trips of random states, damaged ones.
import { describe, expect, test } from 'vitest';
import {
  type Address, readAddress, readSelected, writeAddress, writeSelected,
} from '../../../web/src/model/address.js';
import { kPresetNames } from '../../../web/src/model/presets.js';
import { packText, unpackText } from '../../../web/src/model/packed-text.js';

describe('links of version 1', () => {
  // These stay for ever: each was given out by some build of the page.
  const kGolden: readonly [link: string, address: Address][] = [
    ['', { loops: {} }],
    ['#v=1&view=lanes&ex=dot&vs=4&n=18',
      { preset: 'vector', loops: { example: 'dot', vscale: 4, n: 18 } }],
    ['#v=1&view=lanes&z=AbC-_9&vs=16&n=0',
      { preset: 'vector', loops: { packed: 'AbC-_9', vscale: 16, n: 0 } }],
    ['#v=1&z=AbC-_9&as=tasm&step=3', { loops: { packed: 'AbC-_9', ending: 'tasm' }, step: 3 }],
    ['#v=1&z=AbC-_9&as=exe', { loops: { packed: 'AbC-_9' } }],
    ['#v=1&view=machine', { preset: 'debug', loops: {} }],
    ['#v=1&step=6&sel=pc:5', { loops: {}, step: 6, selected: { kind: 'pc', pc: 5 } }],
    ['#v=1&sel=reg:3.1&panes=registers,run', {
      loops: {}, selected: { kind: 'register', index: 3, frame: 1 },
      panes: ['registers', 'run'],
    }],
    ['#v=1&view=profile&sel=step:12',
      { preset: 'profile', loops: {}, selected: { kind: 'step', step: 12 } }],
  ];
  for (const [link, address] of kGolden) {
    test(link || 'none', () => expect(readAddress(link)).toEqual(address));
  }
});

/** Mulberry32: the same numbers on every machine. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

function randomAddress(next: () => number): Address {
  const below = (n: number): number => Math.floor(next() * n);
  const maybe = <T>(make: () => T): T | undefined => (next() < 0.5 ? make() : undefined);
  const word = (): string => `w${below(1e6).toString(36)}`;
  const loops = {
    ...maybe(() => (next() < 0.5 ? { example: word() } : {
      packed: `-_${word()}`, ...maybe(() => ({ ending: next() < 0.5 ? 'tn' : 'tasm' } as const)),
    })),
    ...maybe(() => ({ vscale: 1 + below(16) })), ...maybe(() => ({ n: below(1e9) })),
  };
  const preset = maybe(() => kPresetNames[below(kPresetNames.length)]!);
  return {
    loops, ...(preset && preset !== 'debug' ? { preset } : {}),
    ...maybe(() => ({ step: 1 + below(1e6) })),
    ...maybe(() => ({
      selected: [
        { kind: 'pc', pc: below(1e6) }, { kind: 'step', step: below(1e6) },
        { kind: 'register', index: below(300), frame: below(9) },
      ][below(3)] as NonNullable<Address['selected']>,
    })),
    ...maybe(() => ({ panes: [...new Set([word(), word()])] })),
  };
}

test('reading what was written gives what it was, 500 times', () => {
  const next = numbers(20261122);
  for (let i = 0; i < 500; i++) {
    const address = randomAddress(next);
    expect(readAddress(writeAddress(address))).toEqual(address);
  }
});

test('the page as it is at first has no address', () => {
  expect(writeAddress({ preset: 'debug', loops: {} })).toBe('');
});

test('what is damaged, of a later version, or hostile is left out', () => {
  for (const bad of [
    '#v=2&view=lanes&ex=dot', '#view=lanes', '#v=1&view=toString', '#v=1&ex=<img onerror=1>',
    '#v=1&vs=-1&n=1e9&step=x&sel=pc:&panes=', '#v=1&sel=__proto__:1', '#v=constructor', '#%E0%A4',
    '#v=1&step=99999999999999999999',
  ]) {
    expect(readAddress(bad), bad).toEqual({ loops: {} });
  }
  expect(readAddress('#v=1&vs=99&n=99999999999').loops).toEqual({ vscale: 16, n: 1_000_000_000 });
});

test('selections are written as they are read', () => {
  for (const text of ['pc:0', 'step:7', 'reg:2.0']) {
    expect(writeSelected(readSelected(text)!)).toBe(text);
  }
  for (const none of [null, '', 'pc', 'pc:-1', 'heap:3']) {
    expect(readSelected(none)).toBeUndefined();
  }
});

test('a program of sixty lines fits into a link of 1500 letters', async () => {
  const lines = Array.from({ length: 60 }, (_, i) =>
    `  add %${i % 7}, ${(i * 37) % 11} dst: %${(i * 5) % 9}`);
  const text = `.func @main(x: int) -> int\n${lines.join('\n')}\n  ret %0\n`;
  const packed = (await packText(text))!;
  const link = writeAddress({ preset: 'vector', loops: { packed, vscale: 4, n: 18 } });
  expect(link.length).toBeLessThanOrEqual(1500);
  expect(await unpackText(packed)).toBe(text);
});
