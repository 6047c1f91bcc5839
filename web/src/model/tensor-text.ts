// SPDX-License-Identifier: Apache-2.0
// Elements as text in the formats of the inspector, and tensors as .npy and CSV files.
import type { Tensor } from 'tern-runtime';
import { formatNumber } from './format.js';
import { elementAt } from './elements.js';

export const kFormats = { g: 'decimal', hex: 'hexadecimal', bits: 'bits' } as const;
export type NumberFormat = keyof typeof kFormats;

/** The bytes of an element, the most significant first. */
function bytesAt({ data }: Tensor, index: number): Uint8Array {
  const size = data.BYTES_PER_ELEMENT;
  return new Uint8Array(data.buffer, data.byteOffset + index * size, size).slice().reverse();
}

export function elementText(tensor: Tensor, index: number, format: NumberFormat): string {
  if (format === 'g') {
    const raw = tensor.data[index]!;
    return formatNumber(typeof raw === 'bigint' ? raw : elementAt(tensor, index));
  }
  const [radix, width] = format === 'hex' ? [16, 2] : [2, 8];
  return Array.from(bytesAt(tensor, index), (byte) => byte.toString(radix).padStart(width, '0'))
    .join(format === 'hex' ? '' : ' ');
}

const kSmallestNormal: Record<string, number> = {
  f64: 2 ** -1022, f32: 2 ** -126, bf16: 2 ** -126, f16: 2 ** -14,
};

/** What is worth a sign of its own; empty for an ordinary number. */
export function specialKind(tensor: Tensor, index: number): string {
  const value = elementAt(tensor, index);
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return 'infinite';
  if (Object.is(value, -0)) return 'negative zero';
  const smallest = kSmallestNormal[tensor.dtype] ?? 0;
  return value !== 0 && Math.abs(value) < smallest ? 'denormal' : '';
}

const kDescr: Record<string, string> = {
  f32: '<f4', f64: '<f8', f16: '<f2', i64: '<i8', i32: '<i4', i16: '<i2', i8: '|i1', u64: '<u8',
  u32: '<u4', u16: '<u2', u8: '|u1', bool: '|b1',
};

/** NumPy's format, version 1.0; undefined for types that NumPy does not have. */
export function npyBytes({ dtype, shape, data }: Tensor): Uint8Array<ArrayBuffer> | undefined {
  const descr = kDescr[dtype];
  if (!descr) return undefined;
  const extents = shape.length === 1 ? `${shape[0]},` : shape.join(', ');
  const dict = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${extents}), }`;
  const length = Math.ceil((10 + dict.length + 1) / 64) * 64;
  const head = new TextEncoder().encode(`${dict.padEnd(length - 11)}\n`);
  const bytes = new Uint8Array(length + data.byteLength);
  bytes.set([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, (length - 10) & 255, (length - 10) >> 8]);
  bytes.set(head, 10);
  bytes.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), length);
  return bytes;
}

/** Rows of the last axis, values in full. */
export function csvText(tensor: Tensor): string {
  const columns = tensor.shape.at(-1) ?? 1;
  const values = Array.from({ length: tensor.data.length }, (_, i) =>
    String(typeof tensor.data[i] === 'bigint' ? tensor.data[i] : elementAt(tensor, i)));
  const rows = [];
  for (let at = 0; at < values.length; at += columns)
    rows.push(values.slice(at, at + columns).join(','));
  return `${rows.join('\n')}\n`;
}

/** Lines of 16 bytes: position, bytes, printable characters. */
export function hexLines({ data }: Tensor, most = 256): string[] {
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  const lines = [];
  for (let at = 0; at < bytes.length && lines.length < most; at += 16) {
    const part = [...bytes.subarray(at, at + 16)];
    const hex = part.map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const text = part.map((b) => (b > 31 && b < 127 ? String.fromCharCode(b) : '·')).join('');
    lines.push(`${at.toString(16).padStart(8, '0')}  ${hex.padEnd(47)}  ${text}`);
  }
  return lines;
}
