// SPDX-License-Identifier: Apache-2.0
// A record of a run as a file (.terntrace), which the core has read: whether the page can run it
// again, and of which program it is.
import { Tuple, type TraceContents, type Value } from 'tern-runtime';
import { InputError } from './inputs.js';

const kMaxSteps = 1_000_000;
const kMaxParts = 1_000_000;

type Functions = TraceContents['functions'];

const refuse = (name: string, why: string, help: string): InputError =>
  new InputError('E0604', `'${name}' ${why}`, help);

const partsWithin = (value: Value): Iterable<Value> =>
  value instanceof Map ? [...value].flat() : value instanceof Tuple ? value.fields
    : Array.isArray(value) ? value : [];

/**
 * How many values a value is made of. One that stands in several places counts in each of them,
 * since a run is given a copy for each: lists of shared lists can be more than any memory holds.
 */
function countParts(value: Value, counted = new Map<Value, number>()): number {
  const known = counted.get(value);
  if (known !== undefined) return known;
  let parts = 1;
  for (const part of partsWithin(value)) parts += countParts(part, counted);
  if (typeof value === 'object') counted.set(value, parts);
  return parts;
}

/** What the run began with. */
export function callOf(
  name: string, { first, end, call }: TraceContents,
): NonNullable<TraceContents['call']> {
  if (first !== 0 || !call) {
    throw refuse(name, 'does not have the beginning of its run',
      'tern trace shows what is in it; a shorter run is recorded from its beginning');
  }
  if (end > kMaxSteps) {
    throw refuse(name, `has ${end} steps, and the page keeps ${kMaxSteps}`,
      'tern replay --until STEP shows a part of it');
  }
  if (countParts(call.args) > kMaxParts) {
    throw refuse(name, `begins with arguments of more than ${kMaxParts} parts`,
      'tern replay shows such a record');
  }
  return call;
}

/** Whether it is a record of this code: the same functions at the same places. */
export function isOf(recorded: Functions, functions: Functions): boolean {
  const words = (all: Functions): string =>
    all.map(({ name, first, count }) => `${name} ${first} ${count}`).sort().join('\n');
  return words(recorded) === words(functions);
}
