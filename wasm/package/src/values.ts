// SPDX-License-Identifier: Apache-2.0
// Values across the boundary: TernAny structs (core/abi/abi.h) in linear memory, tensors to typed
// arrays and back.
import { TernError } from './errors.js';
import type { Memory, Pointer } from './memory.js';

export const kAnyBytes = 16;
const kTypeNone = 0;
const kTypeInt = -1;
const kTypeFloat = -2;
const kTypeBool = -3;
const kTypeTensor = 3;
const kTypeAdt = 38;
const kTypeList = 36;

export type TypedArray =
  | Float32Array
  | Float64Array
  | Int8Array
  | Int16Array
  | Int32Array
  | BigInt64Array
  | Uint8Array
  | Uint16Array
  | Uint32Array
  | BigUint64Array;

interface TypedArrayConstructor {
  new (buffer: ArrayBuffer): TypedArray;
  readonly BYTES_PER_ELEMENT: number;
}

// f16 and bf16 come as their bits.
const kArrays: Record<string, TypedArrayConstructor> = {
  f32: Float32Array,
  f64: Float64Array,
  f16: Uint16Array,
  bf16: Uint16Array,
  i8: Int8Array,
  i16: Int16Array,
  i32: Int32Array,
  i64: BigInt64Array,
  u8: Uint8Array,
  u16: Uint16Array,
  u32: Uint32Array,
  u64: BigUint64Array,
  bool: Uint8Array,
};

/** A dense row-major array; `data` belongs to JavaScript. */
export interface Tensor {
  dtype: string;
  shape: number[];
  data: TypedArray;
}

/** What functions take and give. Tuples are arrays. */
export type Value = Tensor | number | bigint | boolean | null | Value[];

export function isTensor(value: unknown): value is Tensor {
  return (
    typeof value === 'object' &&
    value !== null &&
    'dtype' in value &&
    'shape' in value &&
    'data' in value
  );
}

function elementCount(shape: readonly number[]): number {
  return shape.reduce((product, extent) => product * extent, 1);
}

export function makeTensor(dtype: string, shape: readonly number[], data: TypedArray): Tensor {
  const array = kArrays[dtype];
  if (!array)
    throw new TernError(
      'E0205',
      `'${dtype}' is no element type of tensors (${Object.keys(kArrays).join(', ')})`,
    );
  if (!(data instanceof (array as unknown as new () => TypedArray))) {
    throw new TernError(
      'E0205',
      `a tensor of ${dtype} takes a ${(array as unknown as { name: string }).name}, got ` +
        `${data.constructor.name}`,
    );
  }
  if (data.length !== elementCount(shape)) {
    throw new TernError(
      'E0205',
      `${dtype}[${shape.join(', ')}] has ${elementCount(shape)} elements, the array has ` +
        `${data.length}`,
    );
  }
  return { dtype, shape: [...shape], data };
}

function writeTensor(memory: Memory, runtime: Pointer, tensor: Tensor, any: Pointer): void {
  const checked = makeTensor(tensor.dtype, tensor.shape, tensor.data);
  const shape = memory.alloc(8 * checked.shape.length);
  try {
    checked.shape.forEach((extent, axis) =>
      memory.view().setBigInt64(shape + 8 * axis, BigInt(extent), true),
    );
    memory.withText(checked.dtype, (dtype) =>
      memory.call('tern_tensor_new', runtime, dtype, checked.shape.length, shape, any),
    );
  } finally {
    memory.free(shape);
  }
  const out = memory.scratch + 64;
  memory.call('tern_tensor_view', any, out, 0, 0, 0, 0);
  const source = new Uint8Array(
    checked.data.buffer,
    checked.data.byteOffset,
    checked.data.byteLength,
  );
  memory.bytes(memory.u32(out), source.length).set(source);
}

/** Writes an owned TernAny at `any`. */
export function writeValue(memory: Memory, runtime: Pointer, value: Value, any: Pointer): void {
  memory.bytes(any, kAnyBytes).fill(0);
  if (isTensor(value)) return writeTensor(memory, runtime, value, any);
  const view = memory.view();
  if (typeof value === 'number') {
    const integer = Number.isSafeInteger(value);
    view.setInt32(any, integer ? kTypeInt : kTypeFloat, true);
    if (integer) view.setBigInt64(any + 8, BigInt(value), true);
    else view.setFloat64(any + 8, value, true);
  } else if (typeof value === 'bigint') {
    view.setInt32(any, kTypeInt, true);
    view.setBigInt64(any + 8, value, true);
  } else if (typeof value === 'boolean') {
    view.setInt32(any, kTypeBool, true);
    view.setBigInt64(any + 8, value ? 1n : 0n, true);
  } else if (value !== null) {
    throw new TernError(
      'E0205',
      'an argument is a tensor {dtype, shape, data}, a number, a bigint, a boolean or null',
    );
  }
}

function readTensor(memory: Memory, any: Pointer): Tensor {
  const out = memory.scratch + 64;
  memory.call('tern_tensor_view', any, out, out + 4, out + 8, out + 12, out + 16);
  const [data, bytes, rank, shape, dtype] = [0, 4, 8, 12, 16].map((offset) =>
    memory.u32(out + offset),
  ) as [number, number, number, number, number];
  const name = memory.text(dtype);
  const view = memory.view();
  const extents = Array.from({ length: rank }, (_, axis) =>
    Number(view.getBigInt64(shape + 8 * axis, true)),
  );
  const array = kArrays[name];
  if (!array) throw new TernError('E0205', `a tensor of ${name} has no typed array in JavaScript`);
  return {
    dtype: name,
    shape: extents,
    data: new array(memory.bytes(data, bytes).slice().buffer as ArrayBuffer),
  };
}

function readTuple(memory: Memory, any: Pointer): Value[] {
  const count = memory.raw('tern_tuple_size', any);
  const item = memory.alloc(kAnyBytes);
  try {
    return Array.from({ length: count }, (_, index) => {
      memory.bytes(item, kAnyBytes).fill(0);
      memory.call('tern_tuple_get', any, index, item);
      const value = readValue(memory, item);
      memory.raw('tern_any_release', item);
      return value;
    });
  } finally {
    memory.free(item);
  }
}

/** A copy of the value at `any`, which stays as it is. */
export function readValue(memory: Memory, any: Pointer): Value {
  const view = memory.view();
  const code = view.getInt32(any, true);
  if (code === kTypeNone) return null;
  if (code === kTypeInt) {
    const value = view.getBigInt64(any + 8, true);
    return value >= -9007199254740991n && value <= 9007199254740991n ? Number(value) : value;
  }
  if (code === kTypeFloat) return view.getFloat64(any + 8, true);
  if (code === kTypeBool) return view.getInt32(any + 8, true) !== 0;
  if (code === kTypeTensor) return readTensor(memory, any);
  if (code === kTypeAdt || code === kTypeList) return readTuple(memory, any);
  throw new TernError('E0205', `a value of type code ${code} does not cross to JavaScript yet`);
}
