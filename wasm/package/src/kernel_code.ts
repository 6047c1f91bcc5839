// SPDX-License-Identifier: Apache-2.0
// Code of kernels where the main module finds it: emitted functions in its table, and the
// interpreter behind its import. Each belongs to one function object, which ends it.
import type { Pointer } from './exports.js';
import type { LoopKernel } from './loops.js';
import type { Memory } from './memory.js';

/** What tern_kernel_spec says of the code: one of the two calls, and what it belongs to. */
export interface KernelCode {
  call: number;
  selfCall: number;
  /** The number by which the host knows it. */
  id: number;
}

const kFailed = 1;

/** Instantiates an emitted module on the main memory and puts its function into the table. */
export function emittedCode(
  memory: Memory,
  module: WebAssembly.Module,
  scratchBytes: number,
): KernelCode {
  const scratch = scratchBytes > 0 ? memory.alloc(scratchBytes, true) : 0;
  const freeScratch = (): void => {
    if (scratch !== 0) memory.free(scratch);
  };
  try {
    const env = { memory: memory.linear, scratch };
    const { exports } = new WebAssembly.Instance(module, { env });
    const index = memory.table.add(Object.values(exports)[0] as CallableFunction);
    const release = (): void => {
      memory.table.remove(index);
      freeScratch();
    };
    return { call: index, selfCall: 0, id: memory.host.keepKernel({ release }) };
  } catch (error) {
    freeScratch();
    throw error;
  }
}

function readSlots(memory: Memory, slots: Pointer, count: number): BigInt64Array {
  return new BigInt64Array(memory.bytes(slots, 8 * count).slice().buffer as ArrayBuffer);
}

/** The reference interpreter, on copies of the buffers. */
export function interpretedCode(memory: Memory, kernel: LoopKernel): KernelCode {
  const call = (buffers: Pointer, slots: Pointer): number => {
    const at = (i: number): Pointer => memory.u32(buffers + 4 * i);
    try {
      kernel.interpret(
        readSlots(memory, slots, kernel.spec.slots.length),
        (i, to) => to.set(memory.bytes(at(i), to.length)),
        (i, from) => memory.bytes(at(i), from.length).set(from),
      );
      return 0;
    } catch {
      return kFailed; // nothing is thrown through the module
    }
  };
  const release = (): void => kernel.dispose();
  const selfCall = memory.raw('tern_wasm_kernel_hook');
  return { call: 0, selfCall, id: memory.host.keepKernel({ call, release }) };
}
