// SPDX-License-Identifier: Apache-2.0
// How long a loop kernel takes in WebAssembly, from its text to a function that the machine calls,
// and what a call costs then, beside the operators. Needs tools/build_web.sh before.
//   tools/node.sh tools/bench/loops/web_kernels.mjs [--repeat N] [--json]
import { createLoopCompiler, createRuntime } from '../../../wasm/package/dist/index.js';

const kKernel = `te fused<n, m>(x: float32[n, m], b: float32[m]) -> (y: float32[n, m]) {
  compute y[i, j] = max(x[i, j] + b[j], float32(0)) * float32(0.5) + b[j]
}
`;
const kProgram = `
.kernel "fused" "loop" text ${JSON.stringify(kKernel)}
.func @main(x: f32[n, m], b: f32[m]) -> f32[n, m]
  invoke @fused in: %0, %1 dst: %2
  ret   ret %2
.func @fused(x: f32[n, m], b: f32[m]) -> f32[n, m]
  call  add  in: %0, %1 dst: %2
  call  relu in: %2 dst: %2
  call  mul  in: %2, f32[] [0.5] dst: %2
  call  add  in: %2, %1 dst: %2
  ret   ret %2
`;
const kShapes = [
  [1, 4],
  [16, 64],
  [256, 256],
  [1024, 1024],
];

const median = (times) => [...times].sort((a, b) => a - b)[times.length >> 1];

async function timed(f) {
  const begin = performance.now();
  const value = await f();
  return [performance.now() - begin, value];
}

// Milliseconds of each part, medians over the repetitions.
async function preparation(runtime, bytes, repeat) {
  const [fetchMs] = await timed(() => createLoopCompiler());
  const times = [];
  for (let i = 0; i < repeat; ++i) {
    const program = runtime.load(bytes);
    const [ms] = await timed(() => runtime.prepareKernels(program));
    times.push(ms);
    program.dispose();
  }
  return { startCompiler: fetchMs, first: times[0], textToCallable: median(times.slice(1)) };
}

const floats = (shape) => ({
  dtype: 'f32',
  shape,
  data: Float32Array.from({ length: shape.reduce((a, b) => a * b) }, (_, i) => (i % 7) - 3),
});

async function call(runtime, program, policy, shape) {
  const [kernel] = await runtime.prepareKernels(program, { policy });
  const machine = program.machine();
  const args = [floats(shape), floats(shape.slice(1))];
  const number = Math.max(1, Math.round(4e6 / (shape[0] * shape[1] + 4e3)));
  const { median: ns } = machine.timeEvaluator('main', args, number, 9);
  machine.dispose();
  return { backend: kernel.backend, us: ns / 1000 };
}

async function calls(runtime, bytes) {
  const program = runtime.load(bytes);
  const rows = [];
  for (const shape of kShapes) {
    const operators = await call(runtime, program, 'operators', shape);
    const emitted = await call(runtime, program, 'compiled', shape);
    if (emitted.backend !== 'compiled') throw new Error('the kernel was not emitted');
    rows.push({ shape, operatorsUs: operators.us, emittedUs: emitted.us });
  }
  program.dispose();
  return rows;
}

const argument = process.argv.indexOf('--repeat');
const repeat = argument > 0 ? Number(process.argv[argument + 1]) : 30;
const runtime = await createRuntime();
const bytes = runtime.assemble(kProgram);
const report = {
  milliseconds: await preparation(runtime, bytes, repeat),
  calls: await calls(runtime, bytes),
};
if (process.argv.includes('--json')) console.log(JSON.stringify(report, null, 2));
else {
  for (const [part, ms] of Object.entries(report.milliseconds))
    console.log(`${part.padEnd(16)} ${ms.toFixed(2)} ms`);
  for (const { shape, operatorsUs, emittedUs } of report.calls) {
    const ratio = (operatorsUs / emittedUs).toFixed(2);
    console.log(
      `${shape.join('x').padEnd(16)} operators ${operatorsUs.toFixed(2)} us, ` +
        `emitted ${emittedUs.toFixed(2)} us, ${ratio} times as fast`,
    );
  }
}
