// SPDX-License-Identifier: Apache-2.0
// Values across the boundary: TernAny structs (core/abi/abi.h) in linear memory, tensors to typed
// arrays and back.
import { kTypedArrays, type TypedArray } from './dtypes.js';
import { TernError } from './errors.js';
import type { Pointer } from './exports.js';
import {
  kTypeAdt,
  kTypeBool,
  kTypeBytes,
  kTypeDtype,
  kTypeFloat,
  kTypeFunction,
  kTypeInt,
  kTypeList,
  kTypeMap,
  kTypeNone,
  kTypePadded,
  kTypeRawString,
  kTypeShape,
  kTypeSmallString,
  kTypeSmallUcs4,
  kTypeString,
  kTypeTensor,
} from './generated/abi.js';
import { kAny } from './generated/layouts.js';
import { AnyHandle } from './handle.js';
import type { Memory } from './memory.js';
import { placeOf, ResidentTensor } from './resident.js';
import { writeFields } from './structs.js';

// Small, borrowed, padded, on the heap.
const kTextTypes: number[] = [kTypeSmallString, kTypeRawString, kTypePadded, kTypeString];
const kMaxDepth = 200;
const kDecoder = new TextDecoder();

/** A dense row-major array; `data` belongs to JavaScript. */
export interface Tensor {
  dtype: string;
  shape: number[];
  data: TypedArray;
}

/** Fixed fields, read back as an array. Plain arrays become lists. */
export class Tuple {
  readonly fields: readonly Value[];
  constructor(...fields: Value[]) {
    this.fields = fields;
  }
}

/**
 * A function of JavaScript that is called with values and gives one. What it throws becomes the
 * error of the call, with its causes. Packed functions among its arguments end when it returns;
 * `clone` keeps one.
 */
// eslint-disable-next-line @typescript-eslint/no-invalid-void-type
export type HostFunction = (...args: Value[]) => Value | void;

/**
 * What functions take and give. Whole numbers are ints, others floats; arrays are lists, Maps are
 * maps in the same order, a Uint8Array is bytes; all of them are copied. Lists, tuples and shapes
 * are read as arrays. Functions stay where they are: those of the module are handles, to be
 * disposed of.
 */
export type Value =
  | Tensor
  | ResidentTensor
  | TernFunction
  | HostFunction
  | Tuple
  | number
  | bigint
  | boolean
  | string
  | null
  | Uint8Array
  | Value[]
  | Map<Value, Value>;

/** A packed function. Holds a reference until it is disposed of. */
export class TernFunction extends AnyHandle {
  /** @internal Shares the function at `any`. */
  constructor(memory: Memory, any: Pointer) {
    super(memory, 'function');
    this.share(any, 'TernFunction');
  }

  get name(): string {
    return this.info().name;
  }

  /** "(int, int) -> int"; may be empty. */
  get signature(): string {
    return this.info().signature;
  }

  call(...args: Value[]): Value {
    const { memory } = this;
    const runtime = memory.host.runtime;
    return memory.withAnys(args.length + 1, (anys) => {
      args.forEach((arg, i) => writeValue(memory, runtime, arg, anys + kAny.size * (i + 1)));
      const first = anys + kAny.size;
      memory.call('tern_function_call', runtime, this.pointer(), first, args.length, anys);
      return readValue(memory, anys);
    });
  }

  /** Another handle of the same function. */
  clone(): TernFunction {
    return new TernFunction(this.memory, this.pointer());
  }

  private info(): { name: string; signature: string } {
    this.memory.call('tern_function_info', this.pointer(), this.memory.scratch);
    const json = this.memory.takeBuffer(this.memory.u32(this.memory.scratch));
    return JSON.parse(json) as { name: string; signature: string };
  }
}

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
  const array = kTypedArrays[dtype];
  if (!array)
    throw new TernError(
      'E0205',
      `'${dtype}' is no element type of tensors (${Object.keys(kTypedArrays).join(', ')})`,
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

/** Makes a tensor at `any` whose elements are not set. */
export function newTensor(
  memory: Memory,
  runtime: Pointer,
  dtype: string,
  shape: readonly number[],
  any: Pointer,
): void {
  const extents = memory.alloc(8 * shape.length);
  try {
    shape.forEach((extent, axis) =>
      memory.view().setBigInt64(extents + 8 * axis, BigInt(extent), true),
    );
    memory.withText(dtype, (name) =>
      memory.call('tern_tensor_new', runtime, name, shape.length, extents, any),
    );
  } finally {
    memory.free(extents);
  }
}

function writeTensor(memory: Memory, runtime: Pointer, tensor: Tensor, any: Pointer): void {
  const checked = makeTensor(tensor.dtype, tensor.shape, tensor.data);
  newTensor(memory, runtime, checked.dtype, checked.shape, any);
  const out = memory.scratch + 64;
  memory.call('tern_tensor_view', any, out, 0, 0, 0, 0);
  const source = new Uint8Array(
    checked.data.buffer,
    checked.data.byteOffset,
    checked.data.byteLength,
  );
  memory.bytes(memory.u32(out), source.length).set(source);
}

function writeText(memory: Memory, text: string, any: Pointer): void {
  memory.withText(text, (pointer, length) =>
    memory.call('tern_string_new', pointer, length, any),
  );
}

function writeItems(writer: Writer, items: readonly Value[], any: Pointer, depth: number): void {
  const { memory } = writer;
  memory.withAnys(items.length, (anys) => {
    items.forEach((item, i) => writeAt(writer, item, anys + kAny.size * i, depth + 1));
    memory.call('tern_list_new', anys, items.length, any);
  });
}

function writeTuple(writer: Writer, tuple: Tuple, any: Pointer, depth: number): void {
  const { memory } = writer;
  memory.withAnys(tuple.fields.length, (anys) => {
    tuple.fields.forEach((item, i) => writeAt(writer, item, anys + kAny.size * i, depth + 1));
    memory.call('tern_adt_new', 0, anys, tuple.fields.length, any);
  });
}

function writeMap(writer: Writer, map: Map<Value, Value>, any: Pointer, depth: number): void {
  const { memory } = writer;
  memory.withAnys(1, (made) => {
    memory.call('tern_map_new', made);
    for (const [key, value] of map) {
      memory.withAnys(2, (entry) => {
        writeAt(writer, key, entry, depth + 1);
        writeAt(writer, value, entry + kAny.size, depth + 1);
        memory.call('tern_map_set', made, entry, entry + kAny.size);
      });
    }
    moveAny(memory, made, any);
  });
}

function writeBytes(memory: Memory, bytes: Uint8Array, any: Pointer): void {
  const copy = memory.alloc(bytes.length);
  try {
    memory.bytes(copy, bytes.length).set(bytes);
    memory.call('tern_bytes_new', copy, bytes.length, any);
  } finally {
    memory.free(copy);
  }
}

// To where the value is kept if all went well.
function moveAny(memory: Memory, from: Pointer, to: Pointer): void {
  memory.bytes(to, kAny.size).set(memory.bytes(from, kAny.size));
  memory.bytes(from, kAny.size).fill(0);
}

interface Writer {
  memory: Memory;
  runtime: Pointer;
}

function writeObject(writer: Writer, value: object, any: Pointer, depth: number): boolean {
  if (depth > kMaxDepth) {
    throw new TernError('E0205', `a value nested more than ${kMaxDepth} deep, perhaps in itself`);
  }
  if (value instanceof ResidentTensor || value instanceof TernFunction) {
    writer.memory.bytes(any, kAny.size).set(
      writer.memory.bytes(value.pointerIn(writer.memory), kAny.size),
    );
    writer.memory.raw('tern_any_retain', any);
  } else if (isTensor(value)) writeTensor(writer.memory, writer.runtime, value, any);
  else if (Array.isArray(value)) writeItems(writer, value as Value[], any, depth);
  else if (value instanceof Tuple) writeTuple(writer, value, any, depth);
  else if (value instanceof Map) writeMap(writer, value as Map<Value, Value>, any, depth);
  else if (value instanceof Uint8Array) writeBytes(writer.memory, value, any);
  else return false;
  return true;
}

function writeAt(writer: Writer, value: Value, any: Pointer, depth: number): void {
  const { memory } = writer;
  const view = memory.view();
  if (typeof value === 'number') {
    const integer = Number.isSafeInteger(value);
    if (integer) writeFields(view, any, kAny, { typeCode: kTypeInt, i: value });
    else writeFields(view, any, kAny, { typeCode: kTypeFloat, f: value });
  } else if (typeof value === 'bigint') {
    if (BigInt.asIntN(64, value) !== value)
      throw new TernError('E0205', `${value} does not fit an int of 64 bits`);
    writeFields(view, any, kAny, { typeCode: kTypeInt, i: value });
  } else if (typeof value === 'boolean') {
    writeFields(view, any, kAny, { typeCode: kTypeBool, i: value });
  } else if (typeof value === 'string') {
    writeText(memory, value, any);
  } else if (typeof value === 'function') {
    memory.host.write(value.name, value, any);
  } else if (value !== null) {
    if (typeof value === 'object' && writeObject(writer, value, any, depth)) return;
    throw new TernError(
      'E0205',
      'a value is a tensor {dtype, shape, data}, a number, a bigint, a boolean, a string, null, ' +
        'a Uint8Array, an array, a Tuple, a Map or a function',
    );
  }
}

/** Writes an owned TernAny at `any`; none where it throws. */
export function writeValue(memory: Memory, runtime: Pointer, value: Value, any: Pointer): void {
  memory.bytes(any, kAny.size).fill(0);
  writeAt({ memory, runtime }, value, any, 0);
}

function readTensor(memory: Memory, any: Pointer): Tensor {
  const { dtype, shape, data, bytes } = placeOf(memory, any);
  const array = kTypedArrays[dtype];
  if (!array) throw new TernError('E0205', `a tensor of ${dtype} has no typed array in JavaScript`);
  const copy = memory.bytes(data, bytes).slice().buffer as ArrayBuffer;
  return { dtype, shape, data: new array(copy) };
}

interface Reader {
  memory: Memory;
  /** What was made of each container so far: twenty lists, each twice in the next, are twenty. */
  made: Map<Pointer, Value>;
  tensorOf: (memory: Memory, any: Pointer) => Value;
  /** Reads what is in maps, where that is another reader. */
  inMaps?: Reader;
}

const readerOf = (memory: Memory): Reader => ({ memory, made: new Map(), tensorOf: readTensor });

function readItems(reader: Reader, any: Pointer, depth: number): Value[] {
  const { memory } = reader;
  const count = memory.raw('tern_tuple_size', any);
  return Array.from({ length: count }, (_, index) =>
    memory.withAnys(1, (item) => {
      memory.call('tern_tuple_get', any, index, item);
      return readAt(reader, item, depth + 1);
    }),
  );
}

function readMap(outer: Reader, any: Pointer, depth: number): Map<Value, Value> {
  const { memory, inMaps: reader = outer } = outer;
  return memory.withAnys(2, (lists) => {
    memory.call('tern_map_keys', any, lists);
    memory.call('tern_map_values', any, lists + kAny.size);
    const keys = readItems(reader, lists, depth);
    const values = readItems(reader, lists + kAny.size, depth);
    return new Map(keys.map((key, i) => [key, values[i] ?? null]));
  });
}

function readShape(memory: Memory, any: Pointer): number[] {
  const out = memory.scratch + 64;
  memory.call('tern_shape_view', any, out, out + 4);
  const [extents, rank] = [memory.u32(out), memory.u32(out + 4)];
  return Array.from({ length: rank }, (_, axis) =>
    Number(memory.view().getBigInt64(extents + 8 * axis, true)),
  );
}

function readBytes(memory: Memory, any: Pointer): Uint8Array {
  const out = memory.scratch + 64;
  memory.call('tern_bytes_view', any, out, out + 4);
  return memory.bytes(memory.u32(out), memory.u32(out + 4)).slice();
}

function readText(memory: Memory, any: Pointer): string {
  const out = memory.scratch + 64;
  memory.call('tern_string_view', any, out, out + 4);
  return kDecoder.decode(memory.bytes(memory.u32(out), memory.u32(out + 4)).slice());
}

function readPrinted(memory: Memory, any: Pointer): string {
  memory.call('tern_any_text', any, memory.scratch + 64);
  return memory.takeBuffer(memory.u32(memory.scratch + 64));
}

function readContainer(reader: Reader, code: number, any: Pointer, depth: number): Value {
  const object = reader.memory.u32(any + kAny.fields.i.at);
  const known = reader.made.get(object);
  if (known !== undefined) return known;
  const read = code === kTypeMap ? readMap : readItems;
  const value = read(reader, any, depth);
  reader.made.set(object, value);
  return value;
}

/** A copy of the value at `any`, which stays as it is. What it shares, the copy shares. */
export function readValue(memory: Memory, any: Pointer): Value {
  return readAt(readerOf(memory), any, 0);
}

/** The same, but a tensor, or each of the tensors in a tuple or list, stays where it is. */
export function readResident(memory: Memory, any: Pointer): Value {
  const tensorOf = (_: Memory, tensor: Pointer): Value => new ResidentTensor(memory, tensor);
  return readAt({ ...readerOf(memory), tensorOf, inMaps: readerOf(memory) }, any, 0);
}

function readAt(reader: Reader, any: Pointer, depth: number): Value {
  const { memory } = reader;
  if (depth > kMaxDepth) {
    throw new TernError('E0205', `a value nested more than ${kMaxDepth} deep, perhaps in itself`);
  }
  const view = memory.view();
  const { typeCode, smallLen, i, f, char32 } = kAny.fields;
  const code = view.getInt32(any + typeCode.at, true);
  switch (code) {
    case kTypeNone:
      return null;
    case kTypeInt: {
      const value = view.getBigInt64(any + i.at, true);
      return value >= -9007199254740991n && value <= 9007199254740991n ? Number(value) : value;
    }
    case kTypeFloat:
      return view.getFloat64(any + f.at, true);
    case kTypeBool:
      return view.getBigInt64(any + i.at, true) !== 0n;
    case kTypeSmallUcs4: {
      const points = Array.from({ length: view.getInt32(any + smallLen.at, true) }, (_, at) =>
        view.getUint32(any + char32.at + 4 * at, true),
      );
      return String.fromCodePoint(...points);
    }
    case kTypeDtype:
      return readPrinted(memory, any);
    case kTypeTensor:
      return reader.tensorOf(memory, any);
    case kTypeFunction:
      return new TernFunction(memory, any);
    case kTypeBytes:
      return readBytes(memory, any);
    case kTypeShape:
      return readShape(memory, any);
    case kTypeMap:
    case kTypeList:
    case kTypeAdt:
      return readContainer(reader, code, any, depth);
    default:
      break;
  }
  if (kTextTypes.includes(code)) return readText(memory, any);
  const name = memory.text(memory.raw('tern_any_type_name', any) >>> 0);
  throw new TernError('E0205', `a value of type ${name} does not cross to JavaScript`);
}
