// SPDX-License-Identifier: Apache-2.0
// What of JavaScript the module calls and reads: functions, kernels, bytes, each by a number.
import { TernError } from './errors.js';
import type { Host, HostKernel, Pointer } from './exports.js';
import { kAny } from './generated/layouts.js';
import type { Memory } from './memory.js';
import { type HostFunction, readValue, TernFunction, type Value, writeValue } from './values.js';

// The kind "failed" of core/base/status.h: the program itself said so.
const kFailed = 11;
// Causes of JavaScript may go round in circles.
const kMaxCauses = 16;

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

/** What of JavaScript the module holds, by number: functions, kernels, bytes that it reads from. */
export class HostFunctions implements Host {
  private readonly kernels = new Map<number, HostKernel>();
  private readonly functions = new Map<number, HostFunction>();
  private readonly sources = new Map<number, Uint8Array>();
  private next = 1;
  private memory: Memory | undefined;
  runtime: Pointer = 0;
  /** Brings operators that a call under way wants: whether they came. */
  bringOperators: () => boolean = () => false;

  /** What it writes values to: a module needs its imports before there is a memory. */
  attach(memory: Memory): void {
    this.memory = memory;
  }

  get size(): number {
    return this.functions.size;
  }

  get sourceBytes(): number {
    let total = 0;
    for (const bytes of this.sources.values()) total += bytes.length;
    return total;
  }

  get kernelCount(): number {
    return this.kernels.size;
  }

  keepKernel(kernel: HostKernel): number {
    const id = this.next++;
    this.kernels.set(id, kernel);
    return id;
  }

  /** The module's import: runs a kernel that has no code in the module's table. */
  runKernel(id: number, buffers: Pointer, slots: Pointer): number {
    return this.kernels.get(id)?.call?.(buffers >>> 0, slots >>> 0) ?? 1;
  }

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
        values.push(readValue(memory, (args >>> 0) + kAny.size * i));
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
