// SPDX-License-Identifier: Apache-2.0
// Values of any kind as JSON and back: what JSON has no word for is an object of one key that
// begins with $. Bytes lie in the order of little-endian machines, on which browsers run.
import { isTensor, kTypedArrays, type Tensor } from 'tern-runtime';
import { fromBase64, toBase64 } from './base64.js';
import { InputError } from './inputs.js';

const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

export function pack(value: unknown): unknown {
  if (typeof value === 'bigint') return { $int: String(value) };
  if (typeof value === 'number' && (!Number.isFinite(value) || Object.is(value, -0)))
    return { $number: Object.is(value, -0) ? '-0' : String(value) };
  if (value instanceof Uint8Array) return { $bytes: toBase64(value) };
  if (Array.isArray(value)) return value.map(pack);
  if (typeof value !== 'object' || value === null) return value;
  if (isTensor(value as never)) {
    const { dtype, shape, data } = value as Tensor;
    return { $tensor: { dtype, shape, data: toBase64(bytesOf(data)) } };
  }
  return Object.fromEntries(Object.entries(value)
    .filter(([, part]) => part !== undefined).map(([key, part]) => [key, pack(part)]));
}

export function damaged(what: string): InputError {
  return new InputError('E0604', `the saved state is damaged: ${what}`,
    'save it once more where it came from');
}

function bytesIn(text: unknown, what: string): Uint8Array<ArrayBuffer> {
  if (typeof text !== 'string') throw damaged(`${what} has no bytes`);
  try {
    return fromBase64(text);
  } catch {
    throw damaged(`the bytes of ${what} are cut off or mixed up`);
  }
}

const isExtent = (value: unknown): value is number => Number.isSafeInteger(value) &&
  (value as number) >= 0;

function tensorOf(given: unknown): Tensor {
  const { dtype, shape, data } = (given ?? {}) as Record<string, unknown>;
  const array = typeof dtype === 'string' && Object.hasOwn(kTypedArrays, dtype)
    ? kTypedArrays[dtype] : undefined;
  if (!array || !Array.isArray(shape) || !shape.every(isExtent))
    throw damaged('a tensor has no type');
  const bytes = bytesIn(data, 'a tensor');
  const wanted = shape.reduce((product, extent) => product * extent, 1) * array.BYTES_PER_ELEMENT;
  if (bytes.length !== wanted)
    throw damaged(`a tensor ${dtype}[${shape}] has ${bytes.length} bytes, not ${wanted}`);
  return { dtype: dtype as string, shape, data: new array(bytes.buffer) };
}

function integerOf(text: unknown): bigint {
  if (typeof text !== 'string' || !/^-?\d{1,20}$/.test(text)) throw damaged('a number is none');
  return BigInt(text);
}

export function unpack(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unpack);
  if (typeof value !== 'object' || value === null) return value;
  const [entry, ...others] = Object.entries(value);
  if (entry && others.length === 0) {
    const [key, part] = entry;
    if (key === '$int') return integerOf(part);
    if (key === '$number') return Number(part);
    if (key === '$bytes') return bytesIn(part, 'a file');
    if (key === '$tensor') return tensorOf(part);
  }
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, unpack(part)]));
}


