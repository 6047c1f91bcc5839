// SPDX-License-Identifier: Apache-2.0
// Times one kernel of two modules in turns: an emitted one, and one compiled from rivals.c. Prints
// the medians in nanoseconds per element.
//   node time_wasm.mjs OURS RIVALS NAME COUNT
import { readFileSync } from 'node:fs';
import { median, turns } from './turns.mjs';

const [ourFile, rivalFile, name, countText] = process.argv.slice(2);
const count = Number(countText);
// What Emscripten's modules ask for.
const memory = new WebAssembly.Memory({ initial: 256, maximum: 256 });
const env = { env: { memory, scratch: 1 << 20 } };

function load(file) {
  return new WebAssembly.Instance(new WebAssembly.Module(readFileSync(file)), env).exports[name];
}

// The arrays lie apart, off by a cache line, as an allocator would have them.
const buffers = [0, 1, 2].map((i) => (2 << 20) + i * (count * 8 + 64));
const view = new DataView(memory.buffer);
buffers.forEach((pointer, i) => view.setUint32(4096 + 4 * i, pointer, true));
view.setBigInt64(8192, BigInt(count), true);
view.setFloat64(8200, 0.25, true);

const times = turns(
  [
    { f: load(ourFile), args: [4096, 8192] },
    { f: load(rivalFile), args: [...buffers, BigInt(count), 0.25] },
  ].map(({ f, args }) => () => f(...args)),
  { calls: 2000, rounds: 25 },
);
console.log(times.map((each) => (median(each) * 1e6) / count).join(' '));
