// SPDX-License-Identifier: Apache-2.0
// Loads a WebAssembly module with one page of memory and a global, and calls exports of it; each
// result is printed on a line.
//   node call_wasm.mjs MODULE NAME[=ARGUMENT,…]…     arguments that end in n are 64-bit
import { readFileSync } from 'node:fs';

const [file, ...calls] = process.argv.slice(2);
const memory = new WebAssembly.Memory({ initial: 1 });
const module = new WebAssembly.Module(readFileSync(file));
const { exports } = new WebAssembly.Instance(module, { env: { memory, scratch: 0 } });
if (calls.length === 0) console.log(Object.keys(exports).join('\n'));
for (const call of calls) {
  const [name, list] = call.split('=');
  const words = list ? list.split(',') : [];
  const values = words.map((word) => (word.endsWith('n') ? BigInt(word.slice(0, -1)) : +word));
  console.log(String(exports[name](...values)));
}
