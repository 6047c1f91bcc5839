// SPDX-License-Identifier: Apache-2.0
// One output against what is expected: |a - e| <= 1e-4 * max(1, max|e|) for floats, equality for
// the rest. Large expectations hold the first values and whole-array sums.
import { join } from 'node:path';
import { dtypeOf } from './inputs.mjs';
import { readNpy } from './npy.mjs';

const kTolerance = 1e-4;

function summarize(data) {
  let sum = 0,
    squares = 0,
    min = Infinity,
    max = -Infinity;
  for (const raw of data) {
    const value = Number(raw);
    sum += value;
    squares += value * value;
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return { sum, l2: Math.sqrt(squares), min, max };
}

function largestError(actual, expected, scale) {
  let worst = 0,
    at = 0;
  for (let i = 0; i < expected.length; i++) {
    const a = Number(actual[i]),
      e = Number(expected[i]);
    if (a === e || (Number.isNaN(a) && Number.isNaN(e))) continue;
    const error = Math.abs(a - e) / scale;
    if (!(error <= worst)) [worst, at] = [error, i];
  }
  return { worst, at };
}

/** The distance of two arrays, as a part of the second's length. */
function relativeDistance(actual, expected) {
  let difference = 0,
    length = 0;
  for (let i = 0; i < expected.length; i++) {
    difference += (Number(actual[i]) - Number(expected[i])) ** 2;
    length += Number(expected[i]) ** 2;
  }
  return Math.sqrt(difference / length);
}

/**
 * A model that makes much of one step of rounding: the other runtime differs that much from itself,
 * once with optimizations and once without. spread: {largest, distance} of those two.
 */
function compareLoosely(name, actual, expected, worst, spread) {
  const distance = relativeDistance(actual, expected);
  if (worst <= 1.25 * spread.largest && distance <= 1.25 * spread.distance) return { error: worst };
  return {
    error: worst,
    problem:
      `output '${name}' is ${worst} and in all ${distance} away, where the other runtime is ` +
      `${spread.largest} and ${spread.distance} away from itself`,
  };
}

/**
 * {error, problem}: the largest error relative to the tolerance's scale, and what is wrong, if
 * anything.
 */
export function compareTensor(name, actual, { dtype, shape, expected, sums, spread }) {
  if (!actual) return { error: Infinity, problem: `output '${name}' is missing` };
  if (actual.dtype !== dtype || actual.shape.join() !== shape.join()) {
    return {
      error: Infinity,
      problem: `output '${name}' is ${actual.dtype}[${actual.shape}], expected ${dtype}[${shape}]`,
    };
  }
  let scale = 1;
  for (const e of expected) scale = Math.max(scale, Math.abs(Number(e)) || 0);
  const float = dtype.startsWith('f') || dtype.startsWith('b');
  const { worst, at } = largestError(actual.data, expected, scale);
  if (float && spread?.largest > kTolerance)
    return compareLoosely(name, actual.data, expected, worst, spread);
  const bound = float ? kTolerance : 0;
  if (!(worst <= bound)) {
    return {
      error: worst,
      problem: `output '${name}'[${at}] = ${actual.data[at]}, expected ${expected[at]}`,
    };
  }
  if (!sums) return { error: worst };
  const own = summarize(actual.data);
  for (const key of ['min', 'max', 'l2', 'sum']) {
    if (typeof sums[key] !== 'number') continue;
    const limit =
      kTolerance *
      Math.max(1, scale, key === 'l2' ? sums.l2 : 0) *
      (key === 'sum' ? actual.data.length : 1);
    if (!(Math.abs(own[key] - sums[key]) <= limit)) {
      return {
        error: worst,
        problem: `output '${name}': ${key} is ${own[key]}, expected ${sums[key]}`,
      };
    }
  }
  return { error: worst };
}

/** The outputs of one step of a case of a model folder. */
export function compareStep(outputs, expectedStep, folder, expectedCase) {
  const spread = {
    largest: expectedCase.ortOptOffVsOnMaxDiffOverMaxAbs ?? 0,
    distance: expectedCase.ortOptOffVsOnRelL2 ?? 0,
  };
  let error = 0;
  for (const expected of expectedStep) {
    const stored = expected.values ?? readNpy(join(folder, expected.file)).data;
    const result = compareTensor(expected.name, outputs[expected.name], {
      dtype: dtypeOf(expected.type),
      shape: expected.dims,
      expected: stored,
      sums: expected,
      spread,
    });
    error = Math.max(error, result.error);
    if (result.problem) return { error, problem: result.problem };
  }
  return { error };
}
