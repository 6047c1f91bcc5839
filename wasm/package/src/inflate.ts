// SPDX-License-Identifier: Apache-2.0
// Reads gzip (RFC 1952, RFC 1951) without a wait, which DecompressionStream cannot: for calls that
// need a file of the package here and now. Every read and write is checked, because a server may
// send anything.
import { TernError } from './errors.js';

const kMaxBits = 15;
const kEndOfBlock = 256;
const kLongest = 258;
const kHeaderBytes = 10;
const kTrailerBytes = 8;
// More than this a file of the package never has; the claim of a size is compared with it first.
const kMaxBytes = 64 << 20;
// In which order the lengths of the code-length code stand.
const kOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/** A symbol that stands for a range of numbers: the first, and the extra bits that choose one. */
interface Range {
  bits: number;
  base: number;
}

/** The ranges in their order: the bits grow by one each `group` symbols, but for the first two. */
function makeRanges(count: number, first: number, group: number): Range[] {
  let base = first;
  return Array.from({ length: count }, (_, i) => {
    const range = { bits: Math.max(0, Math.floor(i / group) - 1), base };
    base += 1 << range.bits;
    return range;
  });
}

const kLengths = [...makeRanges(28, 3, 4), { bits: 0, base: kLongest }];
const kDistances = makeRanges(30, 1, 2);

function damaged(what: string): TernError {
  return new TernError('E0601', `the gzipped file is damaged: ${what}`);
}

/** A canonical prefix code: how many codes have each length, and the symbols in their order. */
class PrefixCode {
  private readonly counts = new Uint16Array(kMaxBits + 1);
  private readonly symbols: Uint16Array;

  constructor(lengths: Uint8Array) {
    this.symbols = new Uint16Array(lengths.length);
    for (const length of lengths) ++this.counts[length]!;
    this.counts[0] = 0;
    const next = new Uint16Array(kMaxBits + 2);
    let free = 1;
    for (let bits = 1; bits <= kMaxBits; ++bits) {
      free = 2 * free - this.counts[bits]!;
      if (free < 0) throw damaged('a code has more symbols than fit');
      next[bits + 1] = next[bits]! + this.counts[bits]!;
    }
    lengths.forEach((length, symbol) => {
      if (length > 0) this.symbols[next[length]!++] = symbol;
    });
  }

  read(input: BitReader): number {
    let [code, first, index] = [0, 0, 0];
    for (let bits = 1; bits <= kMaxBits; ++bits) {
      code |= input.bits(1);
      const count = this.counts[bits]!;
      if (code - first < count) return this.symbols[index + code - first]!;
      index += count;
      first = (first + count) << 1;
      code <<= 1;
    }
    throw damaged('bits that are no code');
  }
}

class BitReader {
  private held = 0;
  private count = 0;

  constructor(
    private readonly bytes: Uint8Array,
    private at: number,
  ) {}

  /** The next bits, the lowest first; at most 16. */
  bits(wanted: number): number {
    while (this.count < wanted) {
      this.held |= this.byte() << this.count;
      this.count += 8;
    }
    const value = this.held & ((1 << wanted) - 1);
    this.held >>>= wanted;
    this.count -= wanted;
    return value;
  }

  /** Bytes from the next whole one on. */
  take(length: number): Uint8Array {
    if (this.at + length > this.bytes.length) throw damaged('it ends too early');
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }

  /** Drops what is left of a byte. */
  align(): void {
    this.held = 0;
    this.count = 0;
  }

  private byte(): number {
    if (this.at >= this.bytes.length) throw damaged('it ends too early');
    return this.bytes[this.at++]!;
  }
}

/** The bytes so far, in room of the size that the file claims. */
class Output {
  private used = 0;

  constructor(private readonly bytes: Uint8Array<ArrayBuffer>) {}

  put(byte: number): void {
    this.checkRoom(1);
    this.bytes[this.used++] = byte;
  }

  append(more: Uint8Array): void {
    this.checkRoom(more.length);
    this.bytes.set(more, this.used);
    this.used += more.length;
  }

  /** Repeats what stands `distance` bytes before, which may include what this call writes. */
  repeat(distance: number, length: number): void {
    if (distance > this.used) throw damaged('a copy from before the beginning');
    this.checkRoom(length);
    for (let i = 0; i < length; ++i) {
      this.bytes[this.used] = this.bytes[this.used - distance]!;
      ++this.used;
    }
  }

  finish(): Uint8Array<ArrayBuffer> {
    if (this.used !== this.bytes.length) throw damaged('it is shorter than it claims');
    return this.bytes;
  }

  private checkRoom(length: number): void {
    if (this.used + length > this.bytes.length) throw damaged('it is longer than it claims');
  }
}

function readDynamicCodes(input: BitReader): [PrefixCode, PrefixCode] {
  const literals = input.bits(5) + 257;
  const distances = input.bits(5) + 1;
  const orders = input.bits(4) + 4;
  const ofLengths = new Uint8Array(19);
  for (let i = 0; i < orders; ++i) ofLengths[kOrder[i]!] = input.bits(3);
  const code = new PrefixCode(ofLengths);
  const lengths = new Uint8Array(literals + distances);
  for (let i = 0; i < lengths.length;) {
    const symbol = code.read(input);
    if (symbol < 16) {
      lengths[i++] = symbol;
      continue;
    }
    if (symbol === 16 && i === 0) throw damaged('a repetition of nothing');
    const value = symbol === 16 ? lengths[i - 1]! : 0;
    const times =
      symbol === 16 ? 3 + input.bits(2) : symbol === 17 ? 3 + input.bits(3) : 11 + input.bits(7);
    if (i + times > lengths.length) throw damaged('more lengths than symbols');
    lengths.fill(value, i, i + times);
    i += times;
  }
  return [
    new PrefixCode(lengths.subarray(0, literals)),
    new PrefixCode(lengths.subarray(literals)),
  ];
}

function fixedCodes(): [PrefixCode, PrefixCode] {
  const literals = new Uint8Array(288).fill(8).fill(9, 144, 256).fill(7, 256, 280);
  return [new PrefixCode(literals), new PrefixCode(new Uint8Array(30).fill(5))];
}

function readRange(input: BitReader, ranges: readonly Range[], index: number): number {
  const range = ranges[index];
  if (!range) throw damaged('a symbol without a meaning');
  return range.base + input.bits(range.bits);
}

function readBlock(input: BitReader, output: Output, codes: [PrefixCode, PrefixCode]): void {
  for (;;) {
    const symbol = codes[0].read(input);
    if (symbol === kEndOfBlock) return;
    if (symbol < kEndOfBlock) {
      output.put(symbol);
      continue;
    }
    const length = readRange(input, kLengths, symbol - kEndOfBlock - 1);
    output.repeat(readRange(input, kDistances, codes[1].read(input)), length);
  }
}

function readStored(input: BitReader, output: Output): void {
  input.align();
  const head = input.take(4);
  const length = head[0]! | (head[1]! << 8);
  if ((length ^ (head[2]! | (head[3]! << 8))) !== 0xffff) throw damaged('a length and its check');
  output.append(input.take(length));
}

/** Whether the bytes begin as gzip does. */
export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/** The bytes of a gzip file without name or comment, as the package's own files are. */
export function inflateNow(gzip: Uint8Array): Uint8Array<ArrayBuffer> {
  if (gzip.length < kHeaderBytes + kTrailerBytes) throw damaged('it ends too early');
  if (!isGzip(gzip) || gzip[2] !== 8 || gzip[3] !== 0) throw damaged('its header is another one');
  const trailer = new DataView(gzip.buffer, gzip.byteOffset + gzip.length - 4);
  const size = trailer.getUint32(0, true);
  if (size > kMaxBytes) throw damaged(`it claims ${size} bytes`);
  const output = new Output(new Uint8Array(size));
  const input = new BitReader(gzip.subarray(0, gzip.length - kTrailerBytes), kHeaderBytes);
  for (let last = false; !last;) {
    last = input.bits(1) === 1;
    const kind = input.bits(2);
    if (kind === 3) throw damaged('a block of no kind');
    if (kind === 0) readStored(input, output);
    else readBlock(input, output, kind === 1 ? fixedCodes() : readDynamicCodes(input));
  }
  return output.finish();
}
