// SPDX-License-Identifier: Apache-2.0
// Functions across the boundary: packed functions as handles that JavaScript calls, and functions
// of JavaScript that the module calls.
import { TernError } from './errors.js';
import type { Memory, Pointer } from './memory.js';
import { kAnyBytes, readValue, type Value, writeValue } from './values.js';

/**
 * A function of JavaScript that is called with values and gives one. What it throws becomes the
 * error of the call, with its causes. Packed functions among its arguments end when it returns;
 * `clone` keeps one.
 */
// eslint-disable-next-line @typescript-eslint/no-invalid-void-type
export type HostFunction = (...args: Value[]) => Value | void;

// The kind "failed" of core/base/status.h: the program itself said so.
const kFailed = 11;
// Causes of JavaScript may go round in circles.
const kMaxCauses = 16;

/** A packed function. Holds a reference until it is disposed of. */
export class TernFunction implements Disposable {
  private any: Pointer;

  /** @internal Shares the function at `any`. */
  constructor(
    private readonly memory: Memory,
    any: Pointer,
  ) {
    this.any = memory.alloc(kAnyBytes);
    memory.bytes(this.any, kAnyBytes).set(memory.bytes(any, kAnyBytes));
    memory.raw('tern_any_retain', this.any);
    memory.leaks?.made(this, 'TernFunction');
  }

  get name(): string {
    return this.info().name;
  }

  /** "(int, int) -> int"; may be empty. */
  get signature(): string {
    return this.info().signature;
  }

  call(...args: Value[]): Value {
    const { memory } = this;
    const runtime = memory.host.runtime;
    return memory.withAnys(args.length + 1, (anys) => {
      args.forEach((arg, i) => writeValue(memory, runtime, arg, anys + kAnyBytes * (i + 1)));
      const first = anys + kAnyBytes;
      memory.call('tern_function_call', runtime, this.pointer(), first, args.length, anys);
      return readValue(memory, anys);
    });
  }

  /** Another handle of the same function. */
  clone(): TernFunction {
    return new TernFunction(this.memory, this.pointer());
  }

  dispose(): void {
    if (this.any === 0) return;
    this.memory.leaks?.disposed(this);
    this.memory.raw('tern_any_release', this.any);
    this.memory.free(this.any);
    this.any = 0;
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  /** @internal The same for a use in some runtime, which must be this one's. */
  pointerIn(memory: Memory): Pointer {
    if (memory === this.memory) return this.pointer();
    throw new TernError('E0701', 'this function belongs to another runtime');
  }

  /** @internal The TernAny that holds the function. */
  pointer(): Pointer {
    if (this.any === 0) throw new TernError('E0702', 'this function has been disposed of');
    return this.any;
  }

  private info(): { name: string; signature: string } {
    this.memory.call('tern_function_info', this.pointer(), this.memory.scratch);
    const json = this.memory.takeBuffer(this.memory.u32(this.memory.scratch));
    return JSON.parse(json) as { name: string; signature: string };
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

// Writes what was thrown, and what caused that, as an Error into the empty value at `any`.
function writeError(memory: Memory, error: unknown, any: Pointer, depth = 0): number {
  const cause = error instanceof Error ? error.cause : undefined;
  return memory.withText(messageOf(error), (text) => {
    if (cause === undefined || depth === kMaxCauses)
      return memory.raw('tern_fail', any, kFailed, text);
    return memory.withAnys(1, (behind) => {
      writeError(memory, cause, behind, depth + 1);
      memory.call('tern_error_wrap', kFailed, text, behind, any);
      return kFailed;
    });
  });
}

/** Code of a kernel. `call` returns 0, or a number for what went wrong, and throws nothing. */
export interface HostKernel {
  call?: (buffers: Pointer, slots: Pointer) => number;
  release: () => void;
}

/** What of JavaScript the module holds, by number: functions, kernels, bytes that it reads from. */
export class HostFunctions {
  private readonly kernels = new Map<number, HostKernel>();
  private readonly functions = new Map<number, HostFunction>();
  private readonly sources = new Map<number, Uint8Array>();
  private next = 1;
  private memory: Memory | undefined;
  /** tern_runtime*, for the values that are made in calls. */
  runtime: Pointer = 0;

  attach(memory: Memory): void {
    this.memory = memory;
  }

  /** How many functions the module holds now. */
  get size(): number {
    return this.functions.size;
  }

  /** Bytes outside of the module that it may still read. */
  get sourceBytes(): number {
    let total = 0;
    for (const bytes of this.sources.values()) total += bytes.length;
    return total;
  }

  /** Kernels that functions of the module hold. */
  get kernelCount(): number {
    return this.kernels.size;
  }

  /** Keeps a kernel until the module releases the number. */
  keepKernel(kernel: HostKernel): number {
    const id = this.next++;
    this.kernels.set(id, kernel);
    return id;
  }

  /** The module's import: runs a kernel that has no code in the module's table. */
  runKernel(id: number, buffers: Pointer, slots: Pointer): number {
    return this.kernels.get(id)?.call?.(buffers >>> 0, slots >>> 0) ?? 1;
  }

  /** Keeps bytes for `read` until the module releases the number. */
  keep(bytes: Uint8Array): number {
    const id = this.next++;
    this.sources.set(id, bytes);
    return id;
  }

  /** The module's import: copies bytes into its memory; 0, or 1 where there are not so many. */
  read(id: number, offset: number, length: number, destination: Pointer): number {
    const bytes = this.sources.get(id);
    if (!bytes || offset + length > bytes.length) return 1;
    const to = this.attached().bytes(destination >>> 0, length);
    to.set(bytes.subarray(offset, offset + length));
    return 0;
  }

  /** Writes an owned TernAny that holds the function at `any`. */
  write(name: string, f: HostFunction, any: Pointer): void {
    const memory = this.attached();
    const id = this.next++;
    this.functions.set(id, f);
    try {
      memory.withText(name, (text) => memory.call('tern_wasm_host_function', text, id, any));
    } catch (error) {
      this.functions.delete(id);
      throw error;
    }
  }

  /** The module's import: a packed call. Nothing is thrown through the module. */
  call(id: number, args: Pointer, count: number, result: Pointer): number {
    const memory = this.attached();
    const values: Value[] = [];
    try {
      const f = this.functions.get(id);
      if (!f) throw new TernError('E0901', `there is no function ${id} of JavaScript`);
      for (let i = 0; i < count; ++i)
        values.push(readValue(memory, (args >>> 0) + kAnyBytes * i));
      writeValue(memory, this.runtime, f(...values) ?? null, result >>> 0);
      return 0;
    } catch (error) {
      return writeError(memory, error, result >>> 0);
    } finally {
      for (const value of values) if (value instanceof TernFunction) value.dispose();
    }
  }

  /** The module's import: the last reference is gone. */
  release(id: number): void {
    this.kernels.get(id)?.release();
    this.kernels.delete(id);
    this.functions.delete(id);
    this.sources.delete(id);
  }

  private attached(): Memory {
    if (!this.memory) throw new TernError('E0901', 'a call before the module has started');
    return this.memory;
  }
}
