// SPDX-License-Identifier: Apache-2.0
// Damaged files: copies of good ones with a few bytes changed, moved, left out or put in, always
// the same ones for a seed. Executables get their checksums again, so that more than those is met.

export interface NamedBytes {
  readonly name: string;
  readonly bytes: Uint8Array;
}

type Below = (limit: number) => number;

function numbers(seed: number): Below {
  let state = seed >>> 0;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor(((state >>> 8) / 16777216) * limit);
  };
}

const kBytes = [0, 1, 0x7f, 0x80, 0xff];
const kWords = [
  '0', '-1', '4294967296', '9223372036854775807', '1e999', 'nan', '{', '}', '(', ')', '[', ']', ';',
  '%0', '%65535', '@main', 'f32', 'f32[n, m]', '"', '\\', '\u{1f600}', 'é', 'fn', 'let', '.func',
  'true:', '->', '..', '%', '/* ', '// ',
];

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}

/** One change of bytes. */
function damaged(bytes: Uint8Array, below: Below): Uint8Array {
  const at = below(bytes.length);
  const end = Math.min(at + 1 + below(16), bytes.length);
  const copy = bytes.slice();
  switch (below(6)) {
    case 0:
      copy[at]! ^= 1 << below(8);
      return copy;
    case 1:
      copy[at] = kBytes[below(kBytes.length)]!;
      return copy;
    case 2:
      return joined(bytes.slice(0, at), bytes.slice(end));
    case 3:
      return joined(bytes.slice(0, end), bytes.slice(at));
    case 4:
      return bytes.slice(0, at);
    default:
      copy.copyWithin(at, below(bytes.length), Math.min(bytes.length, at + 8));
      return copy;
  }
}

/** One change of words and lines, of which a text has more left than of bytes. */
function misspelt(text: string, below: Below): string {
  const words = text.split(/(?<=[^\w.%@])|(?=[^\w.%@])/);
  const at = below(words.length);
  const word = kWords[below(kWords.length)]!;
  switch (below(5)) {
    case 0:
      words.splice(at, 1);
      break;
    case 1:
      words.splice(at, 1, word);
      break;
    case 2:
      words.splice(at, 0, word);
      break;
    case 3:
      words.splice(at, 1, words[below(words.length)]!);
      break;
    default: {
      const lines = text.split('\n');
      lines.splice(below(lines.length), 1, lines[below(lines.length)]!);
      return lines.join('\n');
    }
  }
  return words.join('');
}

const kTable = Array.from({ length: 256 }, (_, byte) => {
  let sum = byte;
  for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0x82f63b78 : sum >>> 1;
  return sum >>> 0;
});

function crc32c(bytes: Uint8Array): number {
  let sum = 0xffffffff;
  for (const byte of bytes) sum = kTable[(sum ^ byte) & 255]! ^ (sum >>> 8);
  return ~sum >>> 0;
}

const kHeader = 64;
const kEntry = 40;

/** Checksums and length as they would be of what is there (docs/format.md). */
function sealed(bytes: Uint8Array): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const count = view.byteLength < kHeader ? Infinity : view.getUint32(16, true);
  const table = kHeader + count * kEntry;
  // Cut short, or with a count that leads out of the file: then it cannot be sealed.
  if (table + 4 > bytes.length) return bytes;
  view.setBigUint64(32, BigInt(bytes.length), true);
  for (let entry = kHeader; entry < table; entry += kEntry) {
    const offset = Number(view.getBigUint64(entry + 8, true));
    const covered = Number(view.getBigUint64(entry + 24, true));
    if (offset + covered > bytes.length) continue;
    view.setUint32(entry + 32, crc32c(bytes.subarray(offset, offset + covered)), true);
  }
  view.setUint32(table, crc32c(bytes.subarray(0, table)), true);
  return bytes;
}

const kTexts = /\.(?:tn|tasm|tloop|ternplay)$/;

function mutant({ name, bytes }: NamedBytes, below: Below): Uint8Array {
  let made = bytes;
  for (let left = 1 + below(3); left > 0 && made.length > 0; left--) {
    const isText = kTexts.test(name) && below(4) > 0;
    made = isText
      ? new TextEncoder().encode(misspelt(new TextDecoder().decode(made), below))
      : damaged(made, below);
  }
  return name.endsWith('.tern') && below(4) > 0 ? sealed(made.slice()) : made;
}

/** `count` of them, of each file in turn. */
export function mutants(files: readonly NamedBytes[], count: number, seed: number): NamedBytes[] {
  const below = numbers(seed);
  return Array.from({ length: count }, (_, i) => {
    const file = files[i % files.length]!;
    return { name: file.name, bytes: mutant(file, below) };
  });
}
