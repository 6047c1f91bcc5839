// SPDX-License-Identifier: Apache-2.0
// The messages of the page around an embedded one: what is understood, every way of being wrong.
import { describe, expect, test } from 'vitest';
import { kCommands, readMessage } from '../../../web/src/model/messages.js';

const message = (fields: object): object => ({ tern: 1, id: 7, ...fields });
const bytes = new Uint8Array([1, 2, 3]);

describe('commands that are understood', () => {
  const kGood: readonly { cmd: string; [field: string]: unknown }[] = [
    { cmd: 'load', example: 'power' }, { cmd: 'load', text: 'fn main() -> int { 1 }' },
    { cmd: 'load', bytes, name: 'a.onnx' }, { cmd: 'run' }, { cmd: 'stop' }, { cmd: 'reset' },
    { cmd: 'step' }, { cmd: 'step', count: 3 }, { cmd: 'back', count: 1_000_000 },
    { cmd: 'seek', step: 0 }, { cmd: 'vscale', vscale: 16 }, { cmd: 'size', n: 2 ** 31 - 1 },
    { cmd: 'state' },
  ];
  for (const given of kGood) {
    test(JSON.stringify(given), () => {
      const { cmd, ...fields } = given;
      expect(readMessage(message(given))).toEqual({ id: 7, cmd, fields });
    });
  }

  test('each command is among them', () => {
    expect([...new Set(kGood.map(({ cmd }) => cmd))].sort()).toEqual(Object.keys(kCommands).sort());
  });

  test('an id may be a text', () => {
    expect(readMessage({ tern: 1, id: 'a', cmd: 'run' }))
      .toEqual({ id: 'a', cmd: 'run', fields: {} });
  });
});

describe('what is refused, with what would have been right', () => {
  const kBad: readonly [fields: object, mistake: RegExp][] = [
    [{}, /no command undefined: there are load, run/],
    [{ cmd: 'explode' }, /no command "explode"/],
    [{ cmd: 'toString' }, /no command "toString"/],
    [{ cmd: '__proto__' }, /no command/],
    [{ cmd: ['run'] }, /no command an object/],
    [{ cmd: 'run', fast: true }, /'run' does not take "fast": it takes nothing/],
    [{ cmd: 'step', counts: 3 }, /'step' does not take "counts": it takes count/],
    [{ cmd: 'step', count: 0 }, /count of 'step' has to be a whole number from 1 to 1000000, /],
    [{ cmd: 'step', count: 1.5 }, /not 1\.5/],
    [{ cmd: 'step', count: '3' }, /not "3"/],
    [{ cmd: 'step', count: NaN }, /not NaN/],
    [{ cmd: 'step', count: null }, /not null/],
    [{ cmd: 'seek' }, /step of 'seek' has to be a whole number from 0 to 1000000, not undefined/],
    [{ cmd: 'seek', step: -1 }, /not -1/],
    [{ cmd: 'vscale', vscale: 17 }, /from 1 to 16, not 17/],
    [{ cmd: 'size', n: 2 ** 31 }, /not 2147483648/],
    [{ cmd: 'size', n: 5n }, /not 5/],
    [{ cmd: 'load' }, /one of example, text and bytes, not none/],
    [{ cmd: 'load', example: 'a', text: 'b' }, /not example and text/],
    [{ cmd: 'load', example: '' }, /example of 'load' has to be a text of 1 to 200 letters/],
    [{ cmd: 'load', text: 'x'.repeat((1 << 20) + 1) }, /not "x{40}"$/],
    [{ cmd: 'load', bytes: [1, 2] }, /has to be a Uint8Array .*, not an object/],
    [{ cmd: 'load', bytes: new Uint8Array() }, /Uint8Array/],
    [{ cmd: 'load', text: 'a', name: 5 }, /name of 'load'/],
    [{ cmd: 'load', url: 'https://example.org/a.onnx' }, /does not take "url"/],
    [{ tern: 2, cmd: 'run' }, /version 1 here, not 2/],
    [{ tern: '1', cmd: 'run' }, /version 1 here, not "1"/],
  ];
  for (const [fields, mistake] of kBad) {
    test(String(mistake), () => expect(readMessage(message(fields)))
      .toEqual({ id: 7, mistake: expect.stringMatching(mistake) }));
  }

  for (const id of [undefined, null, 1.5, {}, 'x'.repeat(101), NaN, true]) {
    test(`an id of ${String(id).slice(0, 9)}`, () =>
      expect(readMessage({ tern: 1, id, cmd: 'run' })).toEqual({
        id: null, mistake: expect.stringContaining('id has to be'),
      }));
  }
});

test('messages of others are left alone', () => {
  for (const data of [undefined, null, 'run', 5, [], {}, { cmd: 'run', id: 1 }, { type: 'x' }])
    expect(readMessage(data)).toBeUndefined();
});
