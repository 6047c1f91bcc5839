// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { kDefaultLimits } from '../../../web/src/engine/debug-protocol.js';
import { lcg } from '../../../web/src/model/inputs.js';
import {
  looksLikeState, type PageState, readPageState, writePageState,
} from '../../../web/src/model/page-state.js';

const kRun = {
  function: 'main', inputs: {}, symbols: {}, strokes: [], breakpoints: [], off: [], watches: [],
  limits: kDefaultLimits, end: 0, step: 0, frame: 0,
};
const kState: PageState = {
  program: {
    kind: 'onnx', name: 'a "b".onnx', bytes: Uint8Array.of(0, 255, 128, 1), example: '',
  },
  run: {
    ...kRun,
    inputs: {
      x: { fill: 'file', fileName: 'x.npy', tensor: {
        dtype: 'i64', shape: [2, 1], data: BigInt64Array.of(-1n, 2n ** 62n) } },
      y: { fill: 'random', seed: 7 },
      z: { fill: 'file', value: [1n, -0, NaN, -Infinity, 'text', null, true, [
        { dtype: 'f16', shape: [], data: Uint16Array.of(0x3c00) }]] },
    },
    symbols: { n: 3 }, strokes: [[{ x: 1.5, y: 2 }]], breakpoints: [1, 4], off: [4],
    watches: [{ text: 'nan', enabled: false }], end: 12, step: 5, frame: 1,
  },
  loops: {
    example: 'dot', name: 'dot.tloop', text: 'te dot', n: 18, vscale: 4, strategy: 'fixed',
    stage: 'simplify', metric: 'iterations',
  },
  layout: { preset: 'debug' }, selected: 'pc:7',
};

describe('a saved state', () => {
  test('is read as it was, and written the same', () => {
    const text = writePageState(kState);
    expect(looksLikeState(new TextEncoder().encode(text))).toBe(true);
    const read = readPageState(text);
    expect(read).toEqual(kState);
    expect(Object.is((read.run.inputs['z']!.value as unknown[])[1], -0)).toBe(true);
    expect(writePageState(read)).toBe(text);
  });

  test('has long files whole', () => {
    const random = lcg(3);
    const bytes = Uint8Array.from({ length: 100_003 }, () => 256 * random.next().value);
    const program = { ...kState.program!, bytes };
    expect(readPageState(writePageState({ ...kState, program })).program!.bytes).toEqual(bytes);
  });

  test('may be of a page without a program', () => {
    expect(readPageState(writePageState({ run: kRun, layout: null })))
      .toEqual({ run: kRun, layout: null });
  });
});

describe('a damaged state', () => {
  const good = writePageState(kState);
  const kBad: [what: string, text: string][] = [
    ['is cut off', good.slice(0, -20)],
    ['of another version', good.replace(':1,', ':9,')],
    ['a kind that is none', good.replace('"onnx"', '"exe"')],
    ['a negative step', good.replace('"step":5', '"step":-5')],
    ['more steps than any run has', good.replace('"end":12', '"end":1e12')],
    ['limits that are none', good.replace('"milliseconds":60000', '"milliseconds":null')],
    ['a tensor of other bytes', good.replace('"shape":[2,1]', '"shape":[2,2]')],
    ['a tensor of no type', good.replace('"i64"', '"__proto__"')],
    ['letters that are no bytes', good.replace(/"\$bytes":"./, '"$bytes":"?')],
    ['an integer that is none', good.replace('"$int":"1"', '"$int":"0x1"')],
    ['a watch without a text', good.replace('"text":"nan"', '"text":1')],
    ['a fill that is none', good.replace('"fill":"random"', '"fill":"water"')],
    ['a selection that is no text', good.replace('"pc:7"', '[7]')],
    ['a list in place of the run', good.replace(/"run":\{/, '"run":[],"ran":{')],
  ];
  test.each(kBad)('is refused: %s', (_what, text) => {
    expect(text).not.toBe(good);
    expect(() => readPageState(text)).toThrow(/the saved state is damaged: ./);
  });

  test('never does anything else, wherever a letter is another', () => {
    const random = lcg(11);
    for (let i = 0; i < 500; i++) {
      const at = Math.floor(random.next().value * good.length);
      const letter = String.fromCharCode(32 + Math.floor(random.next().value * 95));
      const text = good.slice(0, at) + letter + good.slice(at + 1);
      try {
        writePageState(readPageState(text));
      } catch (error) {
        expect((error as Error).message).toMatch(/^the saved state is damaged: /);
      }
    }
  });

  test('other JSON is none', () => {
    for (const text of ['{}', '[]', '{"version":1}', ''])
      expect(looksLikeState(new TextEncoder().encode(text))).toBe(false);
  });
});
