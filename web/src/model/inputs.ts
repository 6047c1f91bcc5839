// SPDX-License-Identifier: Apache-2.0
// Arguments of a run: what fills each parameter, and the tensors that come of it.
import {
  type FunctionInfo,
  kTypedArrays,
  type Parameter,
  type Tensor,
  type TypedArray,
  type Value,
} from 'tern-runtime';

export type Fill = 'random' | 'zeros' | 'ones' | 'drawing' | 'file';

export interface InputChoice {
  fill: Fill;
  /** Of `random`. */
  seed?: number;
  /** From a .npy file. */
  tensor?: Tensor;
  /** Of the record of a run, of any kind. */
  value?: Value;
  fileName?: string;
}

/** A mistake in what was chosen, with the code it is explained under. */
export class InputError extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly help?: string,
  ) {
    super(message);
    this.name = 'InputError';
  }
}

// 1.0 as bits of the types that come as bits.
const kOneBits: Record<string, number> = { f16: 0x3c00, bf16: 0x3f80 };
const kMaxElements = 2 ** 28;
const kImageSide = 28;

const kSymbol = /[A-Za-z_]\w*/g;

/** Names of symbolic dimensions, in order of appearance. */
export function symbolsOf(info: FunctionInfo): string[] {
  const symbols = new Set<string>();
  for (const { shape } of info.params) {
    for (const extent of shape ?? []) {
      if (typeof extent === 'string')
        for (const name of extent.match(kSymbol) ?? []) symbols.add(name);
    }
  }
  return [...symbols];
}

/** 1 for what leads, as a batch does; 32 for what follows, as heights, widths and lengths do. */
export function defaultExtents(info: FunctionInfo): Record<string, number> {
  const extents: Record<string, number> = {};
  for (const name of symbolsOf(info)) {
    const leads = info.params.some(({ shape }) => shape?.[0] === name);
    extents[name] = leads ? 1 : 32;
  }
  return extents;
}

/** The value of "n", "2*n + 1" and the like: sums of products. */
export function evaluateExtent(
  extent: number | string,
  symbols: Readonly<Record<string, number>>,
): number {
  if (typeof extent === 'number') return extent;
  const factor = (text: string): number => {
    const trimmed = text.trim();
    return /^\d+$/.test(trimmed) ? Number(trimmed) : (symbols[trimmed] ?? NaN);
  };
  const product = (text: string): number => text.split('*').reduce((p, f) => p * factor(f), 1);
  const value = extent.split('+').reduce((sum, term) => sum + product(term), 0);
  return Number.isNaN(value) ? 1 : value;
}

/** Whether a 28 × 28 drawing fits the parameter. */
export function takesDrawing({ dtype, shape = [] }: Parameter): boolean {
  const [height, width] = shape.slice(-2);
  const leading = shape.slice(0, -2);
  return (
    dtype === 'f32' &&
    height === kImageSide &&
    width === kImageSide &&
    leading.every((extent) => extent === 1 || typeof extent === 'string')
  );
}

/** The generator of model folders: s = s · 1664525 + 1013904223 mod 2^32, u = (s >>> 8) / 2^24. */
export function* lcg(seed: number): Generator<number, never> {
  let state = seed >>> 0;
  for (;;) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    yield (state >>> 8) / 16777216;
  }
}

function fillOnes(dtype: string, data: TypedArray): void {
  if (data instanceof BigInt64Array || data instanceof BigUint64Array) data.fill(1n);
  else data.fill(kOneBits[dtype] ?? 1);
}

const kFloats = ['f16', 'bf16', 'f32', 'f64'];
const kIntegersBelow = 8;

export const isFloat = (dtype: string | undefined): boolean =>
  dtype !== undefined && kFloats.includes(dtype);

/** The bits of a 16-bit float, of a number in [0, 1) that is a multiple of 1/256. */
function bitsOf(dtype: string, value: number): number {
  if (value === 0) return 0;
  const [bias, fractionBits] = dtype === 'f16' ? [15, 10] : [127, 7];
  const exponent = Math.floor(Math.log2(value));
  return ((exponent + bias) << fractionBits) + (value / 2 ** exponent - 1) * 2 ** fractionBits;
}

/** Floats in [0, 1), integers from 0 to 7, bools. */
function fillRandom(dtype: string, data: TypedArray, seed: number): void {
  const random = lcg(seed);
  const below = (limit: number): number => Math.floor(random.next().value * limit);
  const isWide = data instanceof BigInt64Array || data instanceof BigUint64Array;
  for (let i = 0; i < data.length; i++) {
    if (data instanceof Float32Array || data instanceof Float64Array)
      data[i] = random.next().value;
    else if (isFloat(dtype)) data[i] = bitsOf(dtype, below(128) / 256 + 0.5 * below(2));
    else if (isWide) data[i] = BigInt(below(kIntegersBelow));
    else data[i] = below(dtype === 'bool' ? 2 : kIntegersBelow);
  }
}

function makeScalar(parameter: Parameter, { fill, seed = 1 }: InputChoice): Value {
  const one = fill === 'ones';
  if (parameter.type === 'int') return one ? 1 : 0;
  // Whole numbers come as ints, which the function would refuse; those by chance are none.
  if (parameter.type === 'float' && fill === 'random') return lcg(seed).next().value || 0.5;
  if (parameter.type === 'float') return one ? 1 : 0;
  if (parameter.type === 'bool') return one;
  throw new InputError(
    'E0205',
    `parameter '${parameter.name}' is of type ${parameter.type}, ` + 'which cannot be filled here',
  );
}

function allocate(parameter: Parameter, dtype: string, shape: number[]): TypedArray {
  const array = kTypedArrays[dtype];
  if (!array) {
    throw new InputError(
      'E0205',
      `parameter '${parameter.name}': elements of type ${dtype} ` + 'cannot be made here',
    );
  }
  const count = shape.reduce((a, b) => a * b, 1);
  if (!Number.isSafeInteger(count) || count < 0 || count > kMaxElements) {
    throw new InputError(
      'E0203',
      `parameter '${parameter.name}' would be ${dtype}` +
        `[${shape.join(', ')}]: ${count} elements, at most ${kMaxElements} can be made here`,
      'make its dimensions smaller',
    );
  }
  return new array(count);
}

export function makeInput(
  parameter: Parameter,
  choice: InputChoice,
  symbols: Readonly<Record<string, number>>,
  drawing: Float32Array | undefined,
): Value {
  if (choice.fill === 'file' && choice.value !== undefined) return choice.value;
  if (choice.fill === 'file' && choice.tensor) return choice.tensor;
  const { dtype } = parameter;
  if (!dtype || !parameter.shape) return makeScalar(parameter, choice);
  const shape = parameter.shape.map((extent) => evaluateExtent(extent, symbols));
  const data = allocate(parameter, dtype, shape);
  if (choice.fill === 'drawing' && drawing) {
    for (let at = 0; at < data.length; at += drawing.length)
      (data as Float32Array).set(drawing, at);
  } else if (choice.fill === 'ones') {
    fillOnes(dtype, data);
  } else if (choice.fill === 'random') {
    fillRandom(dtype, data, choice.seed ?? 1);
  }
  return { dtype, shape, data };
}
