// SPDX-License-Identifier: Apache-2.0
// Links: how long they may be, and which have a program in them.
import { expect, test } from 'vitest';
import { writeAddress } from '../../../web/src/model/address.js';
import { fitOf, hasProgram } from '../../../web/src/model/share.js';

test.each([
  [0, 'short'], [2000, 'short'], [2001, 'long'], [8000, 'long'], [8001, 'tooLong'],
] as const)('%i letters are %s', (length, fit) => expect(fitOf(length)).toBe(fit));

test('a link has a program where it names one or holds its text', () => {
  expect(hasProgram(writeAddress({ loops: { example: 'life' }, step: 3 }))).toBe(true);
  expect(hasProgram(writeAddress({ loops: { packed: 'AbC', ending: 'tn' } }))).toBe(true);
  expect(hasProgram(writeAddress({ loops: {}, step: 3 }))).toBe(false);
  for (const hash of ['', '#', '#v=1&view=profile', '#v=1&zz=AbC', '#v=1&sel=pc:5&hex=2'])
    expect(hasProgram(hash), hash).toBe(false);
});
