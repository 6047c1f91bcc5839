// SPDX-License-Identifier: Apache-2.0
// Files that fill parameters, written by hand: arrays, archives of them, a picture, a sound.
import { deflateRawSync, deflateSync } from 'node:zlib';

const ascii = (text: string): Buffer => Buffer.from(text, 'latin1');

function u32(value: number, order: 'BE' | 'LE' = 'LE'): Buffer {
  const bytes = Buffer.alloc(4);
  if (order === 'BE') bytes.writeUInt32BE(value >>> 0);
  else bytes.writeUInt32LE(value >>> 0);
  return bytes;
}

const u16 = (...values: number[]): Buffer => Buffer.from(new Uint16Array(values).buffer);

function crc32(bytes: Uint8Array): number {
  let crc = -1;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return ~crc >>> 0;
}

/** Of float32. */
export function npy(shape: readonly number[], values: readonly number[]): Uint8Array {
  const extents = shape.map((extent) => `${extent},`).join(' ');
  const header = ascii(`{'descr': '<f4', 'fortran_order': False, 'shape': (${extents}), }\n`);
  const data = Buffer.from(Float32Array.from(values).buffer);
  return Buffer.concat([ascii('\x93NUMPY\x01\0'), u16(header.length), header, data]);
}

/** What numpy.savez_compressed writes. */
export function npz(arrays: Readonly<Record<string, Uint8Array>>): Uint8Array {
  const files: Buffer[] = [];
  const list: Buffer[] = [];
  let at = 0;
  for (const [array, bytes] of Object.entries(arrays)) {
    const name = ascii(`${array}.npy`);
    const packed = deflateRawSync(bytes);
    const facts = Buffer.concat([u16(20, 0, 8, 0, 33), u32(crc32(bytes)), u32(packed.length),
      u32(bytes.length), u16(name.length, 0)]);
    files.push(ascii('PK\x03\x04'), facts, name, packed);
    list.push(ascii('PK\x01\x02'), u16(20), facts, u16(0, 0, 0), u32(0), u32(at), name);
    at += 30 + name.length + packed.length;
  }
  const count = Object.keys(arrays).length;
  const listed = Buffer.concat(list);
  const end = Buffer.concat([u16(0, 0, count, count), u32(listed.length), u32(at), u16(0)]);
  return Buffer.concat([...files, listed, ascii('PK\x05\x06'), end]);
}

/** A PNG file of grey pixels. */
export function png(width: number, pixels: readonly number[]): Uint8Array {
  const chunk = (kind: string, data: Uint8Array): Buffer => {
    const named = Buffer.concat([ascii(kind), data]);
    return Buffer.concat([u32(data.length, 'BE'), named, u32(crc32(named), 'BE')]);
  };
  const height = pixels.length / width;
  const rows = Array.from({ length: height }, (_, y) =>
    [0, ...pixels.slice(y * width, (y + 1) * width)]).flat();
  return Buffer.concat([
    ascii('\x89PNG\r\n\x1a\n'),
    chunk('IHDR', Buffer.concat([u32(width, 'BE'), u32(height, 'BE'), Buffer.of(8, 0, 0, 0, 0)])),
    chunk('IDAT', deflateSync(Buffer.from(rows))), chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** A WAVE file of one channel of 16 bits. */
export function wav(rate: number, samples: readonly number[]): Uint8Array {
  const data = Buffer.from(Int16Array.from(samples).buffer);
  const format = Buffer.concat([u16(1, 1), u32(rate), u32(2 * rate), u16(2, 16)]);
  return Buffer.concat([ascii('RIFF'), u32(36 + data.length), ascii('WAVEfmt '), u32(16), format,
    ascii('data'), u32(data.length), data]);
}
