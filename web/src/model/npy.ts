// SPDX-License-Identifier: Apache-2.0
// NumPy's .npy files: little-endian, C order.
import type { Tensor, TypedArray } from 'tern-runtime';
import { InputError } from './inputs.js';

interface ArrayType {
  new (buffer: ArrayBuffer): TypedArray;
  readonly BYTES_PER_ELEMENT: number;
}

const kTypes: Record<string, [dtype: string, array: ArrayType]> = {
  '<f4': ['f32', Float32Array], '<f8': ['f64', Float64Array], '<f2': ['f16', Uint16Array],
  '<i8': ['i64', BigInt64Array], '<i4': ['i32', Int32Array], '<i2': ['i16', Int16Array],
  '|i1': ['i8', Int8Array], '<u8': ['u64', BigUint64Array], '<u4': ['u32', Uint32Array],
  '<u2': ['u16', Uint16Array], '|u1': ['u8', Uint8Array], '|b1': ['bool', Uint8Array],
};

const bad = (message: string, help?: string): InputError => new InputError('E0502', message, help);

/** Where the header's text lies. */
function headerRange(bytes: Uint8Array): [start: number, end: number] {
  const magic = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59];
  if (bytes.length < 10 || !magic.every((byte, i) => bytes[i] === byte)) {
    throw bad('the file is not a .npy file: it does not begin with NumPy’s mark',
      'numpy.save writes such files');
  }
  const wide = bytes[6]! >= 2;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (wide && bytes.length < 12) throw bad('the .npy file ends within its header');
  const start = wide ? 12 : 10;
  const end = start + (wide ? view.getUint32(8, true) : view.getUint16(8, true));
  if (end > bytes.length) throw bad('the .npy file ends within its header');
  return [start, end];
}

function parseShape(header: string): number[] {
  const inner = /'shape':\s*\(([^)]*)\)/.exec(header)?.[1];
  const extents = (inner ?? '?').split(',').map((s) => s.trim()).filter(Boolean).map(Number);
  if (extents.every((extent) => Number.isSafeInteger(extent) && extent >= 0)) return extents;
  throw bad('the .npy file’s header has no readable shape');
}

export function parseNpy(bytes: Uint8Array): Tensor {
  const [start, end] = headerRange(bytes);
  const header = new TextDecoder('latin1').decode(bytes.subarray(start, end));
  const descr = /'descr':\s*'([^']*)'/.exec(header)?.[1] ?? '';
  const type = kTypes[descr];
  if (!type) {
    throw bad(`the .npy file has elements of type '${descr}', which tensors do not have`,
      `the types are ${Object.keys(kTypes).join(' ')}`);
  }
  if (!/'fortran_order':\s*False/.test(header)) {
    throw bad('the .npy file is in Fortran order', 'save numpy.ascontiguousarray(x)');
  }
  const shape = parseShape(header);
  const [dtype, array] = type;
  const expected = shape.reduce((a, b) => a * b, 1) * array.BYTES_PER_ELEMENT;
  if (bytes.length - end !== expected) {
    throw bad(`the .npy file holds ${bytes.length - end} bytes of data, its shape ` +
      `(${shape.join(', ')}) takes ${expected}`);
  }
  return { dtype, shape, data: new array(bytes.slice(end).buffer as ArrayBuffer) };
}
