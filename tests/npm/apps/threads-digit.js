// SPDX-License-Identifier: Apache-2.0
// A drawn 3 classified by runtimes with two threads; and a product that is large enough for both,
// with what each did of it.
import { classify } from './digit.js';

const kSize = 256;
const kProduct = `.func @main(a: f32[n, n], b: f32[n, n]) -> f32[n, n]
  call matmul in: %0, %1 dst: %2
  ret  ret %2
`;

function matrix(step) {
  const data = Float32Array.from({ length: kSize * kSize }, (_, i) => Math.sin(i * step));
  return { dtype: 'f32', shape: [kSize, kSize], data };
}

const hasIdle = ({ count, tasks }) => count > 1 && tasks.includes(0);

/** The product's bytes, and how many parts of it each thread has run. */
async function multiply(createRuntime, options) {
  const runtime = await createRuntime(options);
  await runtime.prepareCompiler();
  const program = runtime.load(runtime.assemble(kProduct));
  const args = { a: matrix(0.37), b: matrix(0.11) };
  const bits = () => new Uint32Array(Object.values(program.run('main', args))[0].data.buffer);
  const first = bits().join();
  let same = true;
  // A worker may wake up too late for one run on a busy machine, not for all of them.
  const deadline = performance.now() + 10_000;
  do same &&= bits().join() === first;
  while (hasIdle(runtime.threads) && performance.now() < deadline);
  const { tasks } = runtime.threads;
  program.dispose();
  runtime.dispose();
  return { first, same, tasks };
}

export async function classifyByThreads(createRuntime, options = {}) {
  const made = [];
  const outcome = await classify(async (given) => {
    const runtime = await createRuntime({ ...given, threads: 2 });
    const { count, reason } = runtime.threads;
    made.push({ count, reason });
    return runtime;
  }, options);
  const one = await multiply(createRuntime, { ...options, threads: 1 });
  const two = await multiply(createRuntime, { ...options, threads: 2 });
  const product = { equal: one.same && two.same && one.first === two.first, tasks: two.tasks };
  return { ...outcome, isolated: globalThis.crossOriginIsolated, threads: made, product };
}
