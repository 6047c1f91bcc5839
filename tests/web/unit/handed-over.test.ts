// SPDX-License-Identifier: Apache-2.0
// What memory of an answer goes over to the page: what was made for the answer, once each, and
// nothing that the worker needs again.
import type { Tensor, TensorPicture } from 'tern-runtime';
import { expect, test } from 'vitest';
import { handedOver } from '../../../web/src/engine/handed-over.js';
import type { MachineView } from '../../../web/src/engine/protocol.js';

const tensor = (length: number): Tensor =>
  ({ dtype: 'f32', shape: [length], data: new Float32Array(length) });

test('tensors within lists and maps are found, each once', () => {
  const [a, b] = [tensor(2), tensor(3)];
  const value = [a, 1, 'text', null, new Map([['b', [b, a]]])];
  expect(handedOver({ kind: 'value', value })).toEqual([a.data.buffer, b.data.buffer]);
});

test('planes of a picture that share memory go over together', () => {
  const memory = new ArrayBuffer(64);
  const plane = (at: number): Float32Array<ArrayBuffer> => new Float32Array(memory, at, 4);
  const picture: TensorPicture =
    { rows: 2, columns: 2, mean: plane(0), low: plane(16), high: plane(32), bad: plane(48) };
  expect(handedOver({ kind: 'tensor', facts: { ask: 'picture', picture } })).toEqual([memory]);
});

test('texts and numbers have no memory to give', () => {
  const strings: Tensor = { dtype: 'str', shape: [1], data: ['a'] } as unknown as Tensor;
  expect(handedOver({ kind: 'value', value: strings })).toEqual([]);
  expect(handedOver({ kind: 'value', value: 3 })).toEqual([]);
  expect(handedOver({ kind: 'tensor', facts: undefined })).toEqual([]);
});

test('what a run has returned stays with its record', () => {
  const machine = { outputs: { output0: tensor(2) } } as unknown as MachineView;
  expect(handedOver({ kind: 'machine', machine })).toEqual([]);
});
