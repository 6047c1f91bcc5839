// SPDX-License-Identifier: Apache-2.0
// NumPy's .npz files: ZIP archives of .npy files, stored or deflated, each array under its name.
// The list at the end of the archive decides; what is wrong with it is named, and no size that it
// claims is taken before it is compared with a limit.
import type { Tensor } from 'tern-runtime';
import { InputError } from './inputs.js';
import { parseNpy } from './npy.js';
import { through } from './packed-text.js';

const kEndMark = 0x06054b50;
const kEntryMark = 0x02014b50;
const kFileMark = 0x04034b50;
const kEndBytes = 22;
const kMaxComment = 0xffff;
/** Of all arrays of a file together. */
const kMaxBytes = 2 ** 29;

export interface NamedTensor {
  readonly name: string;
  readonly tensor: Tensor;
}

interface Entry {
  readonly name: string;
  readonly method: number;
  readonly crc: number;
  readonly packed: number;
  readonly size: number;
  readonly start: number;
}

const bad = (message: string, help?: string): InputError =>
  new InputError('E0502', `the .npz file ${message}`, help);

const kCrcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1;
  return rest;
});

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = kCrcTable[(crc ^ byte) & 255]! ^ (crc >>> 8);
  return ~crc >>> 0;
}

/** Where the record stands that ends the archive; a comment may follow it. */
function findEnd(view: DataView): number {
  const last = view.byteLength - kEndBytes;
  for (let at = last; at >= Math.max(0, last - kMaxComment); at--)
    if (view.getUint32(at, true) === kEndMark) return at;
  throw bad('is cut short: its list of arrays is missing');
}

function readEntry(view: DataView, at: number): [Entry, next: number] {
  if (at + 46 > view.byteLength || view.getUint32(at, true) !== kEntryMark)
    throw bad('is damaged: its list of arrays does not hang together');
  const [nameBytes, extra, comment] =
    [28, 30, 32].map((field) => view.getUint16(at + field, true)) as [number, number, number];
  const next = at + 46 + nameBytes + extra + comment;
  if (next > view.byteLength) throw bad('ends within its list of arrays');
  const name = new Uint8Array(view.buffer, view.byteOffset + at + 46, nameBytes);
  const entry = {
    name: new TextDecoder().decode(name).replace(/\.npy$/, ''),
    method: view.getUint16(at + 10, true), crc: view.getUint32(at + 16, true),
    packed: view.getUint32(at + 20, true), size: view.getUint32(at + 24, true),
    start: view.getUint32(at + 42, true),
  };
  return [entry, next];
}

function listEntries(view: DataView): Entry[] {
  const end = findEnd(view);
  const count = view.getUint16(end + 10, true);
  let at = view.getUint32(end + 16, true);
  if (count === 0xffff || at === 0xffffffff)
    throw bad('is of the large kind (ZIP64)', 'save fewer or smaller arrays');
  const entries: Entry[] = [];
  let total = 0;
  for (let i = 0; i < count; i++) {
    const [entry, next] = readEntry(view, at);
    total += entry.size;
    if (total > kMaxBytes)
      throw bad(`claims more than ${kMaxBytes} bytes of arrays, the most that the page takes`);
    entries.push(entry);
    at = next;
  }
  if (count === 0) throw bad('has no arrays');
  return entries;
}

/** The bytes of an entry as they stand in the archive. */
function packedBytes(view: DataView, { name, start, packed }: Entry): Uint8Array<ArrayBuffer> {
  if (start + 30 > view.byteLength || view.getUint32(start, true) !== kFileMark)
    throw bad(`is damaged: '${name}' is not where its list says`);
  const begin = start + 30 + view.getUint16(start + 26, true) + view.getUint16(start + 28, true);
  if (begin + packed > view.byteLength) throw bad(`ends within '${name}'`);
  return new Uint8Array(view.buffer as ArrayBuffer, view.byteOffset + begin, packed);
}

async function unpack(bytes: Uint8Array<ArrayBuffer>, entry: Entry): Promise<Uint8Array> {
  const { name, method, size } = entry;
  if (method === 0) return bytes;
  if (method !== 8) {
    throw bad(`packs '${name}' in a way that is not known here (${method})`,
      'numpy.savez and numpy.savez_compressed write files that can be read');
  }
  try {
    return await through(new DecompressionStream('deflate-raw'), bytes, size);
  } catch {
    throw bad(`is damaged: '${name}' cannot be unpacked to the ${size} bytes that it claims`);
  }
}

export async function parseNpz(bytes: Uint8Array): Promise<NamedTensor[]> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < kEndBytes) throw bad('is cut short');
  const tensors: NamedTensor[] = [];
  for (const entry of listEntries(view)) {
    const content = await unpack(packedBytes(view, entry), entry);
    if (content.length !== entry.size || crc32(content) !== entry.crc)
      throw bad(`is damaged: '${entry.name}' has another checksum than its list says`);
    tensors.push({ name: entry.name, tensor: parseNpy(content) });
  }
  return tensors;
}
