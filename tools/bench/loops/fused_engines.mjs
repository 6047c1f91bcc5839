// SPDX-License-Identifier: Apache-2.0
// Tern and onnxruntime-web on the same models of one input and one output. Runs in Node and in
// pages.
const kRounds = 15;
const kRunsAtOnce = 4;
const kRoundMs = 20;
const kTolerance = 2e-5; // of float32 results around 1, whose roundings differ

/**
 * Microseconds of the processor's time where the engine tells, which others on the machine add
 * least to; else of the clock's.
 */
function now() {
  if (typeof process !== 'object') return performance.now() * 1000;
  const { user, system } = process.cpuUsage();
  return user + system;
}

// On a busy machine all but the shortest runs are interrupted.
const best = (times) => times.reduce((least, time) => Math.min(least, time));

/** Numbers from -4 to 4 in no order. */
function numbers(count) {
  let state = 12345;
  return Float32Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 8) / 2 ** 21 - 4;
  });
}

function check(name, ours, rival) {
  if (ours.length !== rival.length)
    throw new Error(`${name}: ${ours.length} results, not ${rival.length}`);
  ours.forEach((value, i) => {
    if (!(Math.abs(value - rival[i]) <= kTolerance * Math.max(1, Math.abs(rival[i]))))
      throw new Error(`${name}: result ${i} is ${value}, the rival's is ${rival[i]}`);
  });
}

/** Appends the microseconds of runs, averages of a few. */
async function time(run, times) {
  for (const start = performance.now(); performance.now() - start < kRoundMs; ) {
    const before = now();
    for (let i = 0; i < kRunsAtOnce; ++i) await run();
    times.push((now() - before) / kRunsAtOnce);
  }
}

async function rivalRun(ort, model, feeds) {
  const session = await ort.InferenceSession.create(model, {
    executionProviders: ['wasm'],
    logSeverityLevel: 3,
  });
  return { run: () => session.run(feeds), end: () => session.release() };
}

async function compareOne(runtime, ort, { name, shape, layers, single, chain }) {
  const data = numbers(shape.reduce((product, extent) => product * extent));
  const program = runtime.load(single);
  await runtime.prepareKernels(program);
  const machine = program.machine();
  const input = [{ dtype: 'f32', shape, data }];
  const ours = () => machine.run('main', input);
  const feeds = { x: new ort.Tensor('float32', data, shape) };
  const rival = await rivalRun(ort, single, feeds);
  const chained = await rivalRun(ort, chain, feeds);
  check(name, Object.values(ours())[0].data, (await rival.run()).y.data);
  const times = { ours: [], rival: [], chained: [] };
  const inside = [];
  for (let round = 0; round < kRounds; ++round) {
    await time(ours, times.ours);
    await time(rival.run, times.rival);
    await time(chained.run, times.chained);
    inside.push(...machine.timeEvaluator('main', input, 1, 51).repeats);
  }
  await rival.end();
  await chained.end();
  machine.dispose();
  program.dispose();
  const layer = (best(times.chained) - best(times.rival)) / (layers - 1);
  return [best(times.ours), best(times.rival), best(inside) / 1000, layer];
}

/**
 * For each of `cases` ({name, shape, layers, single, chain}): microseconds of a run by Tern, with
 * the copies into and out of its memory, and by the rival, with its own; then without those: of
 * Tern's function by the machine's own clock, and what each further layer of a chain adds to the
 * rival. Both on one thread. Throws where their results differ.
 */
export async function compareEngines(createRuntime, ort, cases, bytesOf) {
  const runtime = await createRuntime({ compiler: true });
  ort.env.wasm.numThreads = 1;
  const results = [];
  for (const each of cases) {
    const single = new Uint8Array(await bytesOf(each.single));
    const chain = new Uint8Array(await bytesOf(each.chain));
    results.push(await compareOne(runtime, ort, { ...each, single, chain }));
  }
  return results;
}
