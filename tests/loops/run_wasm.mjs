// SPDX-License-Identifier: Apache-2.0
// Runs a file of calls (call_file.h) on an emitted module, in memory of its own.
//   node run_wasm.mjs MODULE SCRATCH_BYTES INPUT OUTPUT NAME…
import { readFileSync, writeFileSync } from 'node:fs';

const [file, scratchBytes, input, output, ...names] = process.argv.slice(2);
const bytes = readFileSync(input);
const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const kPage = 65536;
const kHeap = 4096;

// Pages for one call at a time: no call needs more than the whole input.
const scratch = kHeap + bytes.length + 1024 * 64;
const pages = Math.ceil((scratch + Number(scratchBytes)) / kPage) + 1;
const memory = new WebAssembly.Memory({ initial: pages });
const { exports } = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(file)), {
  env: { memory, scratch: Math.ceil(scratch / 16) * 16 },
});
const heap = new Uint8Array(memory.buffer);
const heapView = new DataView(memory.buffer);

let at = 0;
const u32 = () => view.getUint32((at += 4) - 4, true);
const u64 = () => Number(view.getBigUint64((at += 8) - 8, true));
const parts = [];

function runCall() {
  const [index, slotCount, bufferCount] = [u32(), u32(), u32()];
  const pointers = kHeap;
  const slots = kHeap + 256;
  let free = kHeap + 1024;
  for (let i = 0; i < slotCount; ++i)
    heapView.setBigInt64(slots + 8 * i, view.getBigInt64((at += 8) - 8, true), true);
  const blocks = [];
  for (let i = 0; i < bufferCount; ++i) {
    const [start, size] = [u64(), u64()];
    const padded = Math.ceil(size / 8) * 8;
    heap.set(bytes.subarray(at, at + padded), free);
    at += padded;
    heapView.setUint32(pointers + 4 * i, free + start, true);
    blocks.push([free, padded]);
    free += Math.ceil(padded / 64) * 64;
  }
  const result = exports[names[index]](pointers, slots);
  if (result !== 0) throw new Error(`${names[index]} returned ${result}`);
  for (const [from, size] of blocks) parts.push(Buffer.from(heap.slice(from, from + size)));
}

for (let calls = u32(); calls > 0; --calls) runCall();
writeFileSync(output, Buffer.concat(parts));
