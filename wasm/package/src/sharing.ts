// SPDX-License-Identifier: Apache-2.0
// Modules on a memory that threads share. The modules are those of one thread: their bytes are
// changed where they say what memory they have, which is outside of their code. So no second set of
// modules is built or packed, and what runs is the same to the bit.
import { TernError } from './errors.js';
import type { Sharing } from './exports.js';

const enum Section {
  kImport = 2,
  kMemory = 5,
  kStart = 8,
  kData = 11,
  kDataCount = 12,
}

const kHeaderBytes = 8;
const kSharedLimits = 3; // with a maximum, shared
const kMemoryImport = 2;
const kMostPages = 65536;
const kNone = new Uint8Array([0]); // a section without entries
const kEncoder = new TextEncoder();

interface Limits {
  initial: number;
  maximum: number;
}

/** Initial contents of a memory. */
interface Segment {
  at: number;
  bytes: Uint8Array;
}

const notKnown = (what: string): TernError =>
  new TernError('E0603', `this module cannot run on shared memory: it has ${what}`);

/** Reads the numbers of a module's bytes. */
class Reader {
  constructor(
    readonly bytes: Uint8Array,
    public at = 0,
  ) {}

  get ended(): boolean {
    return this.at >= this.bytes.length;
  }

  byte(): number {
    const value = this.bytes[this.at++];
    if (value === undefined) throw notKnown('an end in the middle');
    return value;
  }

  /** LEB128, of at most 32 bits. */
  number(signed = false): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      value |= (byte & 0x7f) << shift;
      if (byte & 0x80) continue;
      if (signed) return byte & 0x40 && shift < 25 ? value | (-1 << (shift + 7)) : value;
      return value >>> 0;
    }
  }

  take(size: number): Uint8Array {
    if (this.at + size > this.bytes.length) throw notKnown('an end in the middle');
    this.at += size;
    return this.bytes.subarray(this.at - size, this.at);
  }

  limits(): Limits {
    const flags = this.byte();
    const initial = this.number();
    return { initial, maximum: flags & 1 ? this.number() : kMostPages };
  }
}

function leb(value: number): number[] {
  const bytes: number[] = [];
  for (let left = value; ; left >>>= 7) {
    if (left < 0x80) return [...bytes, left];
    bytes.push((left & 0x7f) | 0x80);
  }
}

const sharedLimits = (initial: number): number[] => [
  kSharedLimits,
  ...leb(initial),
  ...leb(kMostPages),
];

function nameOf(text: string): number[] {
  const bytes = kEncoder.encode(text);
  return [...leb(bytes.length), ...bytes];
}

// Behind the type of an import: what says more of it. Memories are told apart by their limits.
function skipImport(reader: Reader, kind: number): Limits | undefined {
  if (kind === kMemoryImport) return reader.limits();
  if (kind === 1) {
    reader.byte();
    reader.limits();
  } else if (kind === 3) {
    reader.take(2);
  } else if (kind === 0 || kind === 4) {
    if (kind === 4) reader.byte();
    reader.number();
  } else {
    throw notKnown(`an import of the kind ${kind}`);
  }
  return undefined;
}

/** The imports, a memory among them said to be shared, or one more: env.memory. */
function importsOf(section: Uint8Array | undefined, own: Limits | undefined): number[] {
  const reader = new Reader(section ?? kNone);
  const count = reader.number();
  const out: number[] = leb(count + (own ? 1 : 0));
  for (let i = 0; i < count; ++i) {
    const start = reader.at;
    for (let name = 0; name < 2; ++name) reader.take(reader.number());
    const kind = reader.byte();
    const head = reader.at;
    const memory = skipImport(reader, kind);
    out.push(...reader.bytes.subarray(start, memory ? head : reader.at));
    if (memory) out.push(...sharedLimits(memory.initial));
  }
  if (own) out.push(...nameOf('env'), ...nameOf('memory'), kMemoryImport);
  if (own) out.push(...sharedLimits(own.initial));
  return out;
}

/** What is written into the memory, once, by whoever makes it. */
function segmentsOf(section: Uint8Array): Segment[] {
  const reader = new Reader(section);
  const segments: Segment[] = [];
  for (let left = reader.number(); left > 0; --left) {
    if (reader.number() !== 0 || reader.byte() !== 0x41) throw notKnown('data without an address');
    const at = reader.number(true) >>> 0;
    if (reader.byte() !== 0x0b) throw notKnown('data at a computed address');
    segments.push({ at, bytes: reader.take(reader.number()) });
  }
  return segments;
}

function sectionsOf(bytes: Uint8Array): { kind: number; contents: Uint8Array }[] {
  const reader = new Reader(bytes, kHeaderBytes);
  const sections: { kind: number; contents: Uint8Array }[] = [];
  while (!reader.ended) {
    const kind = reader.byte();
    sections.push({ kind, contents: reader.take(reader.number()) });
  }
  return sections;
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

interface SharedModule {
  bytes: Uint8Array<ArrayBuffer>;
  segments: Segment[];
  /** Of the memory that it had for itself. */
  own: Limits | undefined;
}

/**
 * The module on a shared memory that it imports, and what is to be written there once, since each
 * thread has an instance: by the time that the second one is made, a program has changed it.
 */
export function onSharedMemory(bytes: Uint8Array): SharedModule {
  const sections = sectionsOf(bytes);
  const find = (kind: Section): Uint8Array | undefined =>
    sections.find((each) => each.kind === kind)?.contents;
  const memory = find(Section.kMemory);
  const limits = memory && new Reader(memory, 1).limits();
  if (limits && find(Section.kStart)) throw notKnown('a start function');
  if (find(Section.kDataCount)) throw notKnown('data that its code copies');
  const imported: number = Section.kImport;
  const dropped: number[] = [Section.kMemory, Section.kData];
  const parts: Uint8Array[] = [bytes.subarray(0, kHeaderBytes)];
  const add = (kind: number, contents: Uint8Array): void => {
    parts.push(new Uint8Array([kind, ...leb(contents.length)]), contents);
  };
  // In the order of their numbers, which may be broken by custom ones: imports come after types.
  let imports = false;
  for (const { kind, contents } of sections) {
    if (!imports && kind >= Section.kImport) {
      imports = true;
      add(Section.kImport, new Uint8Array(importsOf(find(Section.kImport), limits)));
    }
    if (kind !== imported && !dropped.includes(kind)) add(kind, contents);
  }
  return { bytes: joined(parts), segments: segmentsOf(find(Section.kData) ?? kNone), own: limits };
}

// An engine may not have the addresses for as much as the module would take.
function newMemory({ initial, maximum }: Limits): WebAssembly.Memory {
  for (let most = maximum; ; most = Math.max(initial, most >>> 1)) {
    try {
      return new WebAssembly.Memory({ initial, maximum: most, shared: true });
    } catch (error) {
      if (!(error instanceof RangeError) || most === initial) throw error;
    }
  }
}

/** The modules of one runtime: the first brings the memory, others come to work on it. */
export class SharedModules implements Sharing {
  memory: WebAssembly.Memory | undefined;

  shaped(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
    const { bytes: made, segments, own } = onSharedMemory(bytes);
    if (own) this.memory = newMemory(own);
    // Without a memory that is shared, the first module was given compiled, and has its own.
    if (!this.memory) return bytes as Uint8Array<ArrayBuffer>;
    for (const { bytes: data, at } of segments) new Uint8Array(this.memory.buffer).set(data, at);
    return made;
  }
}
