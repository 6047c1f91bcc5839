// SPDX-License-Identifier: Apache-2.0
// One element of an input, written by hand: where it is, what it becomes, and the tensor with it.
import type { Tensor } from 'tern-runtime';
import { InputError } from './inputs.js';

const kIntegers: Readonly<Record<string, readonly [least: bigint, most: bigint]>> =
  Object.fromEntries([8n, 16n, 32n, 64n].flatMap((bits) => [
    [`i${bits}`, [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n]],
    [`u${bits}`, [0n, 2n ** bits - 1n]],
  ]));
const kFloats = ['f32', 'f64'];
const kSpecial: Readonly<Record<string, number>> = {
  nan: NaN, inf: Infinity, '+inf': Infinity, '-inf': -Infinity,
};

/** Types whose elements come as numbers and not as bits. */
export const canBeWritten = (dtype: string): boolean =>
  kFloats.includes(dtype) || dtype === 'bool' || kIntegers[dtype] !== undefined;

const refuse = (message: string, help: string): never => {
  throw new InputError('E0205', message, help);
};

/** The flat position of "1, 0, 3"; positions from the end are not taken. */
export function flatIndex(text: string, shape: readonly number[]): number {
  const parts = text.trim() === '' ? [] : text.split(',').map((part) => part.trim());
  if (parts.length !== shape.length)
    refuse(`'${text}' has ${parts.length} positions, the tensor ${shape.length} axes`,
      'write one position for each axis, with commas between them');
  return parts.reduce((flat, part, axis) => {
    const at = /^\d+$/.test(part) ? Number(part) : NaN;
    if (!(at < shape[axis]!))
      refuse(`'${part}' is no position of axis ${axis}`,
        shape[axis] === 0 ? 'the axis has none' : `they go from 0 to ${shape[axis]! - 1}`);
    return flat * shape[axis]! + at;
  }, 0);
}

function integerOf(text: string, dtype: string): bigint {
  const [least, most] = kIntegers[dtype]!;
  const value = /^[+-]?\d+$/.test(text) ? BigInt(text) : undefined;
  if (value === undefined || value < least || value > most)
    return refuse(`'${text}' is no ${dtype}`, `whole numbers from ${least} to ${most} are`);
  return value;
}

function floatOf(text: string): number {
  const special = kSpecial[text.toLowerCase()];
  if (special !== undefined) return special;
  const value = text === '' || /[^\d.eE+-]/.test(text) ? NaN : Number(text);
  return Number.isNaN(value)
    ? refuse(`'${text}' is no number`, 'such as -1.5, 2e3, inf or nan') : value;
}

function boolOf(text: string): number {
  const value = ['0', 'false'].includes(text) ? 0 : ['1', 'true'].includes(text) ? 1 : undefined;
  return value ?? refuse(`'${text}' is neither true nor false`, 'write true or false');
}

/** A copy with one element changed. */
export function withElement(tensor: Tensor, flat: number, text: string): Tensor {
  const { dtype } = tensor;
  const data = tensor.data.slice();
  const trimmed = text.trim();
  if (data instanceof BigInt64Array || data instanceof BigUint64Array)
    data[flat] = integerOf(trimmed, dtype);
  else if (kIntegers[dtype]) data[flat] = Number(integerOf(trimmed, dtype));
  else data[flat] = dtype === 'bool' ? boolOf(trimmed) : floatOf(trimmed);
  return { ...tensor, data };
}
