// SPDX-License-Identifier: Apache-2.0
// What the engine does at best on this machine: a product of matrices that fit into a cache, and a
// change of sign of more than caches hold, both counted and timed by the core's profiler, as a
// profile is.
import type { Program, ProfileOperator, Runtime, Tensor } from 'tern-runtime';
import type { MachineSpeed } from './inspection-protocol.js';

const kExtent = 256;
// 16 MiB are read, and as many written.
const kElements = 1 << 22;
/** Of each program; at least three times, since other work can only make one longer. */
const kMilliseconds = 100;
const kLeast = 3;

const kProbes = `.func @product(a: f32[n, n]) -> f32[n, n]
  call  matmul in: %0, %0 dst: %1
  ret   ret %1
.func @negative(a: f32[n]) -> f32[n]
  call  neg in: %0 dst: %1
  ret   ret %1
`;

type Amount = 'operations' | 'bytes';

/** The most of an amount that one run did in a nanosecond; 0 where the clock saw no time pass. */
function best(program: Program, name: string, argument: Tensor, amount: Amount): number {
  const rate = (row: ProfileOperator): number =>
    (row.nanoseconds > 0 ? row[amount] / row.nanoseconds : 0);
  const end = performance.now() + kMilliseconds;
  let most = 0;
  for (let i = 0; i < kLeast || performance.now() < end; i++) {
    const profile = program.profile(name, [argument]);
    try {
      most = Math.max(most, ...profile.operators.map(rate));
    } finally {
      profile.dispose();
    }
  }
  return most;
}

const ones = (...shape: number[]): Tensor => ({
  dtype: 'f32', shape, data: new Float32Array(shape.reduce((all, each) => all * each)).fill(1),
});

async function measure(runtime: Runtime): Promise<MachineSpeed | undefined> {
  await runtime.prepareCompiler();
  const program = runtime.load(runtime.assemble(kProbes, 'machine speed'));
  try {
    const operations = best(program, 'product', ones(kExtent, kExtent), 'operations');
    const bytes = best(program, 'negative', ones(kElements), 'bytes');
    return operations > 0 && bytes > 0 ? { operations, bytes } : undefined;
  } finally {
    program.dispose();
  }
}

let measured: Promise<MachineSpeed | undefined> | undefined;

/** Measured once. undefined: the clock is too coarse, or there is no memory for it. */
export function machineSpeed(runtime: Runtime): Promise<MachineSpeed | undefined> {
  // A profile without it is still one.
  measured ??= measure(runtime).catch(() => undefined);
  return measured;
}
