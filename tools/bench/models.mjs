// SPDX-License-Identifier: Apache-2.0
// The program behind tools/bench/models. Tern and the rival take turns (A B A B …) within one run,
// and the ratio is the median over turns: machines drift, ratios hold. Times are medians of single
// runs, in milliseconds. What comes before the first run, `tern compile` and creating a session, is
// measured as processor time, which neighbours on a busy machine change less, and each in a process
// of its own: code that runs for the first time is slow for both.
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { openChromium } from '../demo/chromium.mjs';
import { makeInputs } from '../models/inputs.mjs';
import { formatNpy } from '../models/npy.mjs';
import { compileModel, kRoot } from '../models/targets.mjs';
import { firstInputs, isTransducer } from '../models/transducer.mjs';

const kHost = join(kRoot, 'build/host/tern');
// Targets: tern / rival of runs, per model; others are only reported. Of what comes before the
// first run, Tern is to be the faster one with every model.
const kTargets = { 'mnist-8': 0.5 };

// The name of the row of what comes before the first run.
const kCompile = 'compile, processor time';

function usage(problem) {
  console.error(`bench/models: ${problem}`);
  process.exit(2);
}

function parseArguments(args) {
  const options = {
    json: undefined,
    rounds: 5,
    seconds: 0.5,
    threads: [1, 2],
    web: true,
    runs: true,
    slowest: 0,
    dir: join(kRoot, 'tests/models'),
    names: [],
  };
  for (let i = 0; i < args.length; i++) {
    const value = () => args[++i] ?? usage(`${args[i - 1]} needs a value`);
    if (args[i] === '--json') options.json = value();
    else if (args[i] === '--rounds') options.rounds = Number(value());
    else if (args[i] === '--seconds') options.seconds = Number(value());
    else if (args[i] === '--threads') options.threads = value().split(',').map(Number);
    else if (args[i] === '--slowest') options.slowest = Number(value());
    else if (args[i] === '--no-web') options.web = false;
    else if (args[i] === '--no-runs') options.runs = false;
    else if (args[i] === '--dir') options.dir = resolve(value());
    else if (args[i].startsWith('--')) usage(`unknown option '${args[i]}'`);
    else options.names.push(args[i]);
  }
  return options;
}

/** Every model of a folder: those with inputs, and the plain ones of `light/`. */
function allModels(dir) {
  const light = join(dir, 'light');
  const plain = existsSync(light) ? readdirSync(light) : [];
  return [
    ...readdirSync(dir).filter((name) => existsSync(join(dir, name, 'inputs.json'))),
    ...plain.filter((name) => name.endsWith('.onnx')).map((name) => name.slice(0, -5)),
  ].sort();
}

const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

/** First case, first step of a model folder; ones for a plain model of `light/`. */
function loadModel(dir, name) {
  const folder = join(dir, name);
  if (existsSync(join(folder, 'model.onnx'))) {
    const { cases } = JSON.parse(readFileSync(join(folder, 'inputs.json'), 'utf8'));
    return {
      name,
      model: join(folder, 'model.onnx'),
      inputs: isTransducer(cases[0])
        ? firstInputs(cases[0])
        : makeInputs(cases[0].steps[0], folder),
    };
  }
  const plain = join(dir, 'light', `${name}.onnx`);
  if (!existsSync(plain)) usage(`no model '${name}' in '${dir}'`);
  return {
    name,
    model: plain,
    inputs: [
      { dtype: 'f32', shape: [1, 3, 224, 224], data: new Float32Array(3 * 224 * 224).fill(1) },
    ],
  };
}

/** Median milliseconds of run() over about `seconds`. */
async function time(run, seconds) {
  const times = [];
  for (
    const start = performance.now();
    performance.now() - start < seconds * 1000 || times.length < 3;
  ) {
    const before = performance.now();
    await run();
    times.push(performance.now() - before);
  }
  return median(times);
}

function ternNative(model, threads, folder) {
  const executable = compileModel(model.model, model.name);
  const args = ['bench', executable, '--format', 'json', '--threads', String(threads)];
  Object.entries(model.inputs).forEach(([name, tensor], i) => {
    const path = join(folder, `${model.name}-${i}.npy`);
    writeFileSync(path, formatNpy(tensor));
    args.push('-i', `${Array.isArray(model.inputs) ? '' : `${name}=`}@${path}`);
  });
  return async (seconds) =>
    JSON.parse(execFileSync(kHost, [...args, '--min-time', String(seconds)], { encoding: 'utf8' }))
      .p50_ms;
}

const kOrtTypes = {
  f32: 'float32',
  f64: 'float64',
  i64: 'int64',
  i32: 'int32',
  u8: 'uint8',
  bool: 'bool',
};

async function rivalNative(model, threads) {
  const { default: ort } = await import('onnxruntime-node');
  const session = await ort.InferenceSession.create(model.model, {
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    logSeverityLevel: 3,
  });
  const feeds = {};
  Object.values(model.inputs).forEach((tensor, i) => {
    const name = Array.isArray(model.inputs) ? session.inputNames[i] : Object.keys(model.inputs)[i];
    feeds[name] = new ort.Tensor(kOrtTypes[tensor.dtype], tensor.data, tensor.shape);
  });
  await session.run(feeds);
  return (seconds) => time(() => session.run(feeds), seconds);
}

/**
 * Runs in the page: both engines on the same model, in turns; with several threads Tern on one as
 * well. Each round is [Tern, rival, Tern on one thread]. It is sent as text, with `median` and
 * `time` before it.
 */
async function inPage(name, inputs, rounds, seconds, ortTypes, threads) {
  const arrays = {
    f32: Float32Array,
    i64: BigInt64Array,
    i32: Int32Array,
    u8: Uint8Array,
    bool: Uint8Array,
  };
  const bytes = async (path) => new Uint8Array(await (await fetch(path)).arrayBuffer());
  const tensors = await Promise.all(
    inputs.map(async ({ dtype, shape }, i) => ({
      dtype,
      shape,
      data: new arrays[dtype]((await bytes(`/work/${name}-web-${i}.bin`)).buffer),
    })),
  );

  const { createRuntime } = await import('/tern/threads.js');
  const program = await bytes(`/models/${name}.tern`);
  const start = async (count) => {
    const runtime = await createRuntime({ threads: count });
    if (runtime.threads.count !== count) throw new Error(runtime.threads.reason);
    const machine = runtime.load(program).machine();
    return { target: runtime.info.target, run: () => machine.run('main', tensors) };
  };
  const { run: tern, target } = await start(threads);
  const one = threads > 1 ? (await start(1)).run : undefined;

  const ort = await import('/ort/ort.wasm.min.mjs');
  ort.env.wasm.numThreads = threads;
  ort.env.wasm.wasmPaths = '/ort/';
  const session = await ort.InferenceSession.create(await bytes(`/work/${name}.onnx`), {
    executionProviders: ['wasm'],
    logSeverityLevel: 3,
  });
  const feeds = Object.fromEntries(
    tensors.map((t, i) => [
      inputs[i].name ?? session.inputNames[i],
      new ort.Tensor(ortTypes[t.dtype], t.data, t.shape),
    ]),
  );
  const rival = () => session.run(feeds);

  tern();
  one?.();
  await rival();
  const pairs = [];
  for (let round = 0; round < rounds; round++)
    pairs.push([
      await time(tern, seconds),
      await time(rival, seconds),
      ...(one ? [await time(one, seconds)] : []),
    ]);
  return { pairs, target };
}

async function benchWeb(model, threads, options, folder) {
  compileModel(model.model, model.name);
  writeFileSync(join(folder, `${model.name}.onnx`), readFileSync(model.model));
  const inputs = Object.entries(model.inputs).map(([name, { dtype, shape, data }], i) => {
    writeFileSync(
      join(folder, `${model.name}-web-${i}.bin`),
      Buffer.from(data.buffer, data.byteOffset, data.byteLength),
    );
    return { name: Array.isArray(model.inputs) ? undefined : name, dtype, shape };
  });
  const page = await openChromium({
    '/tern/': join(kRoot, 'wasm/package/dist'),
    '/models/': join(kRoot, 'build/models'),
    '/work/': folder,
    '/ort/': join(dirname(new URL(import.meta.url).pathname), 'node_modules/onnxruntime-web/dist'),
  });
  try {
    const { rounds, seconds } = options;
    const given = [model.name, inputs, rounds, seconds, kOrtTypes, threads].map((each) =>
      JSON.stringify(each),
    );
    const shared = `const median = ${median}; ${time}`;
    return await page.evaluate(`(() => { ${shared} return (${inPage})(${given}); })()`);
  } finally {
    await page.close();
  }
}

// Prints the milliseconds of processor time that the first session of this process takes, and the
// least of some later ones, when the runtime's tables are there and its code is in memory.
const kSessions = `
  import ort from 'onnxruntime-node';
  const options = { intraOpNumThreads: 1, interOpNumThreads: 1, logSeverityLevel: 3 };
  const times = [];
  for (let i = 0; i < 4; i++) {
    const before = process.cpuUsage();
    const session = await ort.InferenceSession.create(process.argv[1], options);
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1e3);
    await session.release();
  }
  console.log(JSON.stringify([times[0], Math.min(...times.slice(1))]));`;

/**
 * Milliseconds of processor time, of all threads, between a file and the first run: `tern compile`
 * with what it writes, less what the program takes to start; the first session in a process that
 * has loaded the runtime; and a later one.
 */
function benchCompile(model, options, folder) {
  // The clock of `times` is coarse: several in one shell. Its second line is of the children.
  const kTimes = 4;
  const cpuTime = (command, ...args) => {
    const script = `for ((i = 0; i < ${kTimes}; i++)); do ${command} >&2 || exit; done; times`;
    const said = execFileSync('bash', ['-c', script, kHost, ...args], {
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const parts = [...said.split('\n')[1].matchAll(/(\d+)m([\d.]+)s/g)];
    const sum = parts.reduce((all, [, minutes, seconds]) => all + minutes * 60 + +seconds, 0);
    return (sum * 1e3) / kTimes;
  };
  // Each writes a file that is not there yet, because replacing one takes away the old one, too.
  const tern = () => {
    const made = mkdtempSync(join(folder, 'compiled-'));
    const command = '"$0" compile "$1" -o "$2/$i.tern" --progress none';
    const spent = cpuTime(command, model.model, made) - cpuTime('"$0" --version');
    rmSync(made, { recursive: true });
    return spent;
  };
  const rival = () =>
    JSON.parse(
      execFileSync(
        process.execPath,
        ['--input-type=module', '--eval', kSessions, model.model],
        { encoding: 'utf8', cwd: dirname(new URL(import.meta.url).pathname) },
      ),
    );
  const rounds = [];
  for (let round = 0; round < options.rounds; round++) rounds.push([tern(), ...rival()]);
  return {
    pairs: rounds.map(([spent, first]) => [spent, first]),
    again: Math.min(...rounds.map(([, , later]) => later)),
  };
}

async function benchNative(model, threads, options, folder) {
  const tern = ternNative(model, threads, folder);
  const rival = await rivalNative(model, threads);
  const pairs = [];
  for (let round = 0; round < options.rounds; round++)
    pairs.push([await tern(options.seconds), await rival(options.seconds)]);
  return pairs;
}

/** Multiply-adds of one run, counted by the compiler where all shapes are known. */
function macsOf(name) {
  const info = JSON.parse(
    execFileSync(
      kHost,
      ['inspect', join(kRoot, 'build/models', `${name}.tern`), '--format', 'json'],
      { encoding: 'utf8', maxBuffer: 1 << 28 },
    ),
  );
  return Number(info.metadata?.macs ?? 0);
}

/** Measured multiply-add peak of one core, GFLOP/s (two per multiply-add). */
function measuredPeak() {
  const program = join(kRoot, 'build/host/tools/bench/kernels/bench_kernels');
  if (!existsSync(program)) return 0;
  return JSON.parse(execFileSync(program, ['--peak'], { encoding: 'utf8' })).gflops;
}

function toRow(bench, name, pairs, limit) {
  const tern = median(pairs.map((p) => p[0])),
    rival = median(pairs.map((p) => p[1]));
  const ratio = median(pairs.map((p) => p[0] / p[1]));
  const target = bench === kCompile ? 1 : (kTargets[name] ?? null);
  return {
    bench,
    case: name,
    unit: 'ms',
    tern,
    rival,
    limit,
    ratio,
    // How many times as fast as on one thread, where that was measured.
    scaling: pairs[0].length > 2 ? median(pairs.map((p) => p[2] / p[0])) : null,
    target,
    met: target === null ? null : ratio <= target,
  };
}

function print(row) {
  const share = row.limit ? `${((100 * row.limit) / row.tern).toFixed(0)} % of limit` : '';
  const scaling = row.scaling ? `${row.scaling.toFixed(2)} x one thread` : '';
  console.log(
    [
      row.bench.padEnd(26),
      row.case.padEnd(24),
      row.tern.toFixed(3).padStart(9),
      row.rival.toFixed(3).padStart(9),
      row.ratio.toFixed(2).padStart(6),
      share + scaling + (row.again ? `a later session ${row.again.toFixed(1)}` : ''),
    ].join(' '),
  );
}

/** What docs/onnx.md shows: the models with the largest ratios, and what compiling them takes. */
function printSlowest(rows, count) {
  const numbers = (row) => [row.tern.toFixed(2), row.rival.toFixed(2), row.ratio.toFixed(2)];
  const runs = rows.filter((row) => row.bench !== kCompile);
  const shown = runs.length > 0 ? runs : rows;
  console.log(`\n${cpus()[0].model}, ${cpus().length} processors; times in ms\n`);
  console.log(
    '| model | run | Tern | ONNX Runtime | ratio | compile | session | ratio | a later one |',
  );
  console.log('|---|---|---|---|---|---|---|---|---|');
  for (const row of shown.toSorted((a, b) => b.ratio - a.ratio).slice(0, count)) {
    const compiled = rows.find((other) => other.bench === kCompile && other.case === row.case);
    const cells = [row.case, row.bench, ...numbers(row), ...numbers(compiled)];
    cells.push(compiled.again.toFixed(2));
    console.log(`| ${cells.join(' | ')} |`);
  }
}

const options = parseArguments(process.argv.slice(2));
if (options.names.length === 0) options.names = allModels(options.dir);
if (options.names.length === 0) usage(`no model folder in '${options.dir}'`);
const folder = mkdtempSync(join(tmpdir(), 'tern-bench-'));
const peak = measuredPeak();
const rows = [];
console.log(
  `${'bench'.padEnd(26)} ${'model'.padEnd(24)} ${'tern ms'.padStart(9)} ` +
    `${'rival ms'.padStart(9)}  ratio   (peak of a core: ${peak ? peak.toFixed(0) : '?'} ` +
    `GFLOP/s)`,
);
try {
  for (const name of options.names) {
    const model = loadModel(options.dir, name);
    compileModel(model.model, name);
    const macs = macsOf(name);
    const { pairs, again } = benchCompile(model, options, folder);
    rows.push({ ...toRow(kCompile, name, pairs, null), again });
    print(rows.at(-1));
    for (const threads of options.runs ? options.threads : []) {
      const limit = peak && macs ? (2 * macs) / (peak * threads) / 1e6 : null;
      rows.push(
        toRow(
          `native ${threads} thread`,
          name,
          await benchNative(model, threads, options, folder),
          limit,
        ),
      );
      print(rows.at(-1));
    }
    for (const threads of options.runs && options.web ? options.threads : []) {
      const { pairs, target } = await benchWeb(model, threads, options, folder);
      rows.push(toRow(`Chromium ${target} ${threads} thread`, name, pairs, null));
      print(rows.at(-1));
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
if (options.slowest > 0) printSlowest(rows, options.slowest);
if (options.json) writeFileSync(options.json, JSON.stringify(rows, null, 1) + '\n');
process.exit(0);
