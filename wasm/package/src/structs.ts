// SPDX-License-Identifier: Apache-2.0
// Fields of C structs in linear memory, by the layouts that are generated from the headers
// (generated/layouts.ts).
import type { Pointer } from './exports.js';

export type FieldType =
  | 'i8'
  | 'u8'
  | 'i16'
  | 'u16'
  | 'i32'
  | 'u32'
  | 'i64'
  | 'u64'
  | 'f32'
  | 'f64';

export interface Field {
  readonly at: number;
  readonly type: FieldType;
}

export interface Layout {
  readonly size: number;
  readonly fields: { readonly [name: string]: Field };
}

/** Values of some fields of a struct; whole numbers may have a fraction, which is dropped. */
export type FieldValues<L extends Layout> = {
  readonly [Name in keyof L['fields']]?: number | bigint | boolean | undefined;
};

const whole = (value: number | bigint): bigint =>
  typeof value === 'bigint' ? value : BigInt(Math.trunc(value));

export function writeField(
  view: DataView,
  struct: Pointer,
  { at, type }: Field,
  given: number | bigint | boolean,
): void {
  const value = typeof given === 'boolean' ? Number(given) : given;
  const to = struct + at;
  switch (type) {
    case 'i8':
    case 'u8':
      return view.setUint8(to, Number(value));
    case 'i16':
    case 'u16':
      return view.setUint16(to, Number(value), true);
    case 'i32':
    case 'u32':
      return view.setUint32(to, Number(value), true);
    case 'i64':
    case 'u64':
      return view.setBigUint64(to, whole(value), true);
    case 'f32':
      return view.setFloat32(to, Number(value), true);
    case 'f64':
      return view.setFloat64(to, Number(value), true);
  }
}

/** Sets the fields that are given; the others stay as they are. */
export function writeFields<L extends Layout>(
  view: DataView,
  struct: Pointer,
  layout: L,
  values: FieldValues<L>,
): void {
  for (const [name, value] of Object.entries(values) as [string, number | undefined][])
    if (value !== undefined) writeField(view, struct, layout.fields[name]!, value);
}
