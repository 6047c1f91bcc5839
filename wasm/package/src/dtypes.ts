// SPDX-License-Identifier: Apache-2.0
// Element types of tensors as JavaScript holds them.

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

/** The typed array of each element type. */
export interface TypedArrays {
  f32: Float32Array;
  f64: Float64Array;
  f16: Uint16Array;
  bf16: Uint16Array;
  i8: Int8Array;
  i16: Int16Array;
  i32: Int32Array;
  i64: BigInt64Array;
  u8: Uint8Array;
  u16: Uint16Array;
  u32: Uint32Array;
  u64: BigUint64Array;
  bool: Uint8Array;
}

export interface TypedArrayConstructor {
  new (lengthOrBuffer: number | ArrayBuffer): TypedArray;
  readonly BYTES_PER_ELEMENT: number;
}

/** The typed array of each element type; f16 and bf16 come as their bits. */
export const kTypedArrays: { readonly [dtype: string]: TypedArrayConstructor } = {
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
