// SPDX-License-Identifier: Apache-2.0
// Times one kernel of two modules in turns: an emitted one, and one compiled from rivals.c. Prints
// the medians in nanoseconds per element, and the milliseconds from bytes to a function.
//   node time_wasm.mjs OURS RIVALS NAME COUNT
import { readFileSync } from 'node:fs';

const [ourFile, rivalFile, name, countText] = process.argv.slice(2);
const count = Number(countText);
const memory = new WebAssembly.Memory({ initial: 64 });
const ourBytes = readFileSync(ourFile);
const env = { env: { memory, scratch: 1 << 20 } };

function load() {
  return new WebAssembly.Instance(new WebAssembly.Module(ourBytes), env).exports[name];
}
const loads = Array.from({ length: 21 }, () => {
  const start = performance.now();
  load();
  return performance.now() - start;
}).sort((a, b) => a - b);

const ours = load();
const rivals = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(rivalFile)), env);
const rival = rivals.exports[name];
// The arrays lie apart, off by a cache line, as an allocator would have them.
const buffers = [0, 1, 2].map((i) => (2 << 20) + i * (count * 8 + 64));
const view = new DataView(memory.buffer);
buffers.forEach((pointer, i) => view.setUint32(4096 + 4 * i, pointer, true));
view.setBigInt64(8192, BigInt(count), true);
view.setFloat64(8200, 0.25, true);

const rivalArguments = [...buffers, BigInt(count), 0.25];
const runs = 2000;
function time(f, args) {
  const start = performance.now();
  for (let i = 0; i < runs; ++i) f(...args);
  return ((performance.now() - start) * 1e6) / runs / count;
}
const times = { ours: [], rival: [] };
for (let i = 0; i < 25; ++i) {
  times.ours.push(time(ours, [4096, 8192]));
  times.rival.push(time(rival, rivalArguments));
}
const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];
console.log(median(times.ours), median(times.rival), loads[10]);
