// SPDX-License-Identifier: Apache-2.0
// One loop function by the package's loop compiler: prints the milliseconds from its text to a
// function that can be called, then nanoseconds per element of that function and of the reference
// interpreter. Needs tools/build_web.sh before.
//   node time_package.mjs FILE NAME SIGNATURE COUNT
import { readFileSync } from 'node:fs';
import { createLoopCompiler } from '../../../wasm/package/dist/index.js';
import { median, turns } from './turns.mjs';

const [file, name, signature, countText] = process.argv.slice(2);
const count = Number(countText);
const text = readFileSync(file);
const compiler = await createLoopCompiler();
const memory = new WebAssembly.Memory({ initial: 64 });
const env = { memory, scratch: 1 << 20 };

function compile() {
  const kernel = compiler.kernel(name, text, signature);
  const { bytes } = kernel.emitWasm(false);
  kernel.dispose();
  return new WebAssembly.Instance(new WebAssembly.Module(bytes), { env }).exports[name];
}

const [textToCallable] = turns([compile], { calls: 1, rounds: 31 });

// Sizes first, then scalars, as the interpreter's slots are.
const kernel = compiler.kernel(name, text, signature);
const slots = BigInt64Array.from(kernel.spec.slots, (_, i) => (i === 0 ? BigInt(count) : 0n));
const view = new DataView(memory.buffer);
for (let i = 0; i < 3; ++i) view.setUint32(4096 + 4 * i, (2 << 20) + i * (count * 8 + 64), true);
slots.forEach((slot, i) => view.setBigInt64(8192 + 8 * i, slot, true));
const emitted = compile();
const [ours] = turns([() => emitted(4096, 8192)], { calls: 2000, rounds: 11 });
const nothing = () => {};
const [interpreted] = turns([() => kernel.interpret(slots, nothing, nothing)], {
  calls: 2,
  rounds: 11,
});
const perElement = (times) => (median(times) * 1e6) / count;
console.log(median(textToCallable), perElement(ours), perElement(interpreted));
