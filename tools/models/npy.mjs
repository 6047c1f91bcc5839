// SPDX-License-Identifier: Apache-2.0
// NumPy's .npy files to tensors {dtype, shape, data} and back.
import { readFileSync } from 'node:fs';

const kDescr = {
  '<f4': ['f32', Float32Array],
  '<f8': ['f64', Float64Array],
  '<i8': ['i64', BigInt64Array],
  '<i4': ['i32', Int32Array],
  '<i2': ['i16', Int16Array],
  '|i1': ['i8', Int8Array],
  '|u1': ['u8', Uint8Array],
  '<u2': ['u16', Uint16Array],
  '<u4': ['u32', Uint32Array],
  '<u8': ['u64', BigUint64Array],
  '|b1': ['bool', Uint8Array],
};

export const kArrays = Object.fromEntries(
  Object.values(kDescr).map(([dtype, array]) => [dtype, array]),
);

export function parseNpy(bytes, name) {
  if (bytes.subarray(1, 6).toString('latin1') !== 'NUMPY')
    throw new Error(`${name} is not a .npy file`);
  const wide = bytes[6] >= 2;
  const length = wide ? bytes.readUInt32LE(8) : bytes.readUInt16LE(8);
  const start = wide ? 12 : 10;
  const header = bytes.subarray(start, start + length).toString('latin1');
  const descr = /'descr':\s*'([^']+)'/.exec(header)?.[1];
  const shape = /'shape':\s*\(([^)]*)\)/.exec(header)?.[1];
  const entry = kDescr[descr];
  if (!entry || shape === undefined) throw new Error(`${name}: cannot read header ${header}`);
  const extents = shape
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
    .map(Number);
  const [dtype, array] = entry;
  const data = Uint8Array.from(bytes.subarray(start + length)).buffer;
  return { dtype, shape: extents, data: new array(data) };
}

export function readNpy(path) {
  return parseNpy(readFileSync(path), path);
}

export function formatNpy({ dtype, shape, data }) {
  const descr = Object.keys(kDescr).find((key) => kDescr[key][0] === dtype);
  const dims = shape.map((extent) => `${extent},`).join(' ');
  let header = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${dims}), }`;
  header = header.padEnd(Math.ceil((header.length + 11) / 64) * 64 - 11) + '\n';
  const prefix = Buffer.from([
    0x93,
    0x4e,
    0x55,
    0x4d,
    0x50,
    0x59,
    1,
    0,
    header.length & 255,
    header.length >> 8,
  ]);
  const body = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  return Buffer.concat([prefix, Buffer.from(header, 'latin1'), body]);
}
