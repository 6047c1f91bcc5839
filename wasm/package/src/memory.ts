// SPDX-License-Identifier: Apache-2.0
// The linear memory and the calling convention: views made anew after growth, texts, scratch out-
// parameters, statuses turned into exceptions.
import { type Diagnostic, TernError } from './errors.js';
import type {
  Exports,
  Host,
  MemoryCalls,
  OnDemandExports,
  Pointer,
  Sharing,
} from './exports.js';
import { kAny } from './generated/layouts.js';
import type { LeakWatch } from './leaks.js';
import { type FieldValues, type Layout, writeFields } from './structs.js';

const kDecoder = new TextDecoder();
const kEncoder = new TextEncoder();
const kScratchBytes = 256;
const kShortText = 32;

/** A short text of ASCII, as names are, is taken letter by letter: an encoder takes longer. */
function encoded(text: string): Uint8Array {
  if (text.length > kShortText) return kEncoder.encode(text);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) {
    const code = text.charCodeAt(i);
    if (code > 127) return kEncoder.encode(text);
    bytes[i] = code;
  }
  return bytes;
}

/** The way back. Decoders take no shared memory, so they are given a copy. */
function decoded(bytes: Uint8Array): string {
  if (bytes.length > kShortText) return kDecoder.decode(bytes.slice());
  let text = '';
  for (const byte of bytes) {
    if (byte > 127) return kDecoder.decode(bytes.slice());
    text += String.fromCharCode(byte);
  }
  return text;
}

type ExportedFunction = (...args: (number | bigint)[]) => number;

/** Functions that were added to a module's table; their places are used again. */
export class FunctionTable {
  private readonly free: number[] = [];
  private used = 0;

  constructor(private readonly table: WebAssembly.Table) {}

  /** How many were added and not removed. */
  get size(): number {
    return this.used;
  }

  add(f: CallableFunction): number {
    const index = this.free.pop() ?? this.table.grow(1);
    this.table.set(index, f);
    ++this.used;
    return index;
  }

  remove(index: number): void {
    this.table.set(index, null);
    this.free.push(index);
    --this.used;
  }
}

export class Memory implements MemoryCalls {
  private readonly exports: Exports;
  private view_: DataView;
  private table_: FunctionTable | undefined;
  /** 256 bytes for out-parameters, used within one call only. */
  readonly scratch: Pointer;

  constructor(
    exports: Exports,
    readonly host: Host,
    /** Where functions are that the exports lack. */
    readonly onDemand?: OnDemandExports,
    /** Hears of the handles that are made and disposed of. */
    readonly leaks?: LeakWatch,
    /** Where other threads have the memory too. */
    private readonly sharing?: Sharing,
  ) {
    this.exports = exports;
    this.view_ = new DataView(exports.memory.buffer);
    this.scratch = this.alloc(kScratchBytes);
  }

  /** What modules that work on this memory import. */
  get linear(): WebAssembly.Memory {
    return this.exports.memory;
  }

  /** Where the module finds functions by number. */
  get table(): FunctionTable {
    const table = this.exports['__indirect_function_table'] as WebAssembly.Table | undefined;
    if (!table) throw new TernError('E0603', 'the WebAssembly module exports no function table');
    this.table_ ??= new FunctionTable(table);
    return this.table_;
  }

  /** A module of code that is to run on this memory. */
  shaped(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
    return this.sharing?.shaped(bytes) ?? bytes;
  }

  get byteLength(): number {
    return this.exports.memory.buffer.byteLength;
  }

  /** Valid until the next call into the module. */
  view(): DataView {
    if (this.view_.buffer !== this.exports.memory.buffer)
      this.view_ = new DataView(this.exports.memory.buffer);
    return this.view_;
  }

  bytes(pointer: Pointer, size: number): Uint8Array {
    return new Uint8Array(this.exports.memory.buffer, pointer, size);
  }

  u32(pointer: Pointer): number {
    return this.view().getUint32(pointer, true);
  }

  alloc(size: number, align64 = false): Pointer {
    const pointer = align64
      ? this.raw('tern_wasm_aligned_alloc', size)
      : this.raw('malloc', Math.max(size, 1));
    if (pointer === 0)
      throw new TernError('E0302', `out of memory: ${size} bytes are not to be had`);
    return pointer >>> 0;
  }

  free(pointer: Pointer): void {
    this.raw('free', pointer);
  }

  text(pointer: Pointer): string {
    if (pointer === 0) return '';
    const all = new Uint8Array(this.exports.memory.buffer, pointer);
    return decoded(all.subarray(0, all.indexOf(0)));
  }

  /** Runs f with a zero-terminated copy of the text, freed afterwards. */
  withText<T>(text: string, f: (pointer: Pointer, length: number) => T): T {
    const bytes = encoded(text);
    const pointer = this.alloc(bytes.length + 1);
    try {
      const copy = this.bytes(pointer, bytes.length + 1);
      copy.set(bytes);
      copy[bytes.length] = 0;
      return f(pointer, bytes.length);
    } finally {
      this.free(pointer);
    }
  }

  /** The same of several texts. */
  withTexts<T>(texts: readonly string[], f: (pointers: Pointer[]) => T): T {
    const [first, ...rest] = texts;
    if (first === undefined) return f([]);
    return this.withText(first, (pointer) =>
      this.withTexts(rest, (pointers) => f([pointer, ...pointers])),
    );
  }

  /** Runs f with a struct that has its size, these fields, and zeros for the others. */
  withStruct<L extends Layout, T>(
    layout: L,
    values: FieldValues<L>,
    f: (struct: Pointer) => T,
  ): T {
    const struct = this.alloc(layout.size);
    try {
      this.bytes(struct, layout.size).fill(0);
      writeFields(this.view(), struct, layout, { structSize: layout.size, ...values });
      return f(struct);
    } finally {
      this.free(struct);
    }
  }

  /** Runs f with `count` TernAnys of none, whose values are released afterwards. */
  withAnys<T>(count: number, f: (anys: Pointer) => T): T {
    const anys = this.alloc(kAny.size * count);
    this.bytes(anys, kAny.size * count).fill(0);
    try {
      return f(anys);
    } finally {
      for (let i = 0; i < count; ++i) this.raw('tern_any_release', anys + kAny.size * i);
      this.free(anys);
    }
  }

  /** Whether the module exports a function at once: some have more than others. */
  has(name: string): boolean {
    return name in this.exports;
  }

  /** Calls a function that returns a plain value. */
  raw(name: string, ...args: (number | bigint)[]): number {
    const f = (this.exports[name] ?? this.onDemand?.now()[name]) as ExportedFunction | undefined;
    if (!f)
      throw new TernError(
        'E0603',
        `the WebAssembly module has no '${name}': package and module differ in version`,
      );
    return f(...args);
  }

  /** Calls a function that returns tern_status*; throws TernError unless it is NULL. */
  call(name: string, ...args: (number | bigint)[]): void {
    const status = this.raw(name, ...args);
    if (status === 0) return;
    const error = this.takeError(status);
    throw this.onDemand?.before?.explained(error) ?? error;
  }

  /** The text of a tern_buffer, which is freed. */
  takeBuffer(buffer: Pointer): string {
    const bytes = this.takeBytes(buffer);
    return kDecoder.decode(bytes);
  }

  /** A copy of the bytes of a tern_buffer, which is freed. */
  takeBytes(buffer: Pointer): Uint8Array<ArrayBuffer> {
    const data = this.raw('tern_buffer_data', buffer) >>> 0;
    const copy = this.bytes(
      data,
      this.raw('tern_buffer_size', buffer) >>> 0,
    ).slice() as Uint8Array<ArrayBuffer>;
    this.raw('tern_buffer_free', buffer);
    return copy;
  }

  private takeError(status: Pointer): TernError {
    const read = (name: string): string => this.text(this.raw(name, status) >>> 0);
    const code = read('tern_status_code') || 'E0000';
    const message = read('tern_status_message');
    const text = read('tern_status_text');
    const json = JSON.parse(read('tern_status_json')) as {
      diagnostics?: Diagnostic[];
      notes?: string[];
    };
    this.raw('tern_status_free', status);
    const alone = { code, severity: 'error', message, notes: json.notes ?? [] };
    const found = Array.isArray(json.diagnostics) ? json.diagnostics : [];
    return new TernError(code, message, text, found.length > 0 ? found : [alone]);
  }
}
