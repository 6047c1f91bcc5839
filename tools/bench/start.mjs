// SPDX-License-Identifier: Apache-2.0
// The program behind tools/bench/start. Sides take turns; a row has the medians of its rounds and
// the median ratio of a round. Pages are opened in a context of their own, whose caches are empty.
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { openChromium } from '../demo/chromium.mjs';
import { kRoot } from '../models/targets.mjs';
import { buildProgram, buildRival, makeNetwork, rivalLibrary } from './networks.mjs';

const kTern = join(kRoot, 'build/host/tern');
const kImage = `const data = new Float32Array(784).fill(0.5);`;
// Pages, by name: the script and the files that they ask for ahead, and what their module does
// before it tells the time.
const kPages = {
  empty: {
    script: [],
    ahead: [],
    body: `await WebAssembly.instantiate(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0));`,
  },
  '.tern': ternPage('mnist-cnn.tern'),
  '.onnx': ternPage('mnist-cnn/model.onnx', '/tern/tern-compiler.wasm.gz',
                    '/tern/tern-operators.wasm.gz'),
  'onnxruntime-web': {
    script: ['/ort/ort.wasm.min.mjs'],
    ahead: ['/ort/ort-wasm-simd-threaded.wasm', '/work/mnist-cnn/model.onnx'],
    body: `
      import * as ort from '/ort/ort.wasm.min.mjs';
      ort.env.wasm.numThreads = 1;
      ort.env.wasm.wasmPaths = '/ort/';
      const session = await ort.InferenceSession.create('/work/mnist-cnn/model.onnx');
      ${kImage}
      await session.run({ image: new ort.Tensor('float32', data, [1, 1, 28, 28]) });`,
  },
};
const kTold = 'finished: ';
const kPageTargets = { '.tern': 60, '.onnx': 150 };
// Native starts: what is run, and the targets of time and of memory. Time and, of executables,
// memory are parts of the rival's; memory of ONNX models is a part of the model's size.
const kStarts = [
  { name: 'mnist-cnn', from: '.tern', time: 0.1, memory: 0.33 },
  { name: 'mobilenet-v2', from: '.tern', time: 0.1, memory: 0.33 },
  { name: 'resnet-18', from: '.onnx', time: 0.4, memory: 1.2 },
  { name: 'bert-6l-384', from: '.onnx', time: 0.4, memory: 1.2 },
];

const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

function ternPage(program, ...more) {
  return {
    script: ['/tern/index.js'],
    ahead: ['/tern/tern.wasm', `/work/${program}`, ...more],
    body: `
      import { createRuntime } from '/tern/index.js';
      const runtime = await createRuntime();
      const program = await runtime.load('/work/${program}');
      ${kImage}
      await program.run('main', { image: { dtype: 'f32', shape: [1, 1, 28, 28], data } });`,
  };
}

function usage(problem) {
  console.error(`bench/start: ${problem}`);
  process.exit(2);
}

function parseArguments() {
  try {
    const { values } = parseArgs({
      options: {
        json: { type: 'string' },
        rounds: { type: 'string', default: '7' },
        'no-web': { type: 'boolean', default: false },
        'no-native': { type: 'boolean', default: false },
      },
    });
    const rounds = Number(values.rounds);
    if (!Number.isInteger(rounds) || rounds < 1)
      usage(`--rounds takes a whole number of at least 1, not '${values.rounds}'`);
    return { ...values, rounds };
  } catch (error) {
    usage(error.message);
  }
}

function toRow(bench, name, unit, pairs, target, reached) {
  const ratio = median(pairs.map(([tern, rival]) => tern / rival));
  const value = reached ?? ratio;
  return {
    bench,
    case: name,
    unit,
    tern: median(pairs.map((pair) => pair[0])),
    rival: median(pairs.map((pair) => pair[1])),
    limit: null,
    ratio,
    target,
    met: value <= target,
  };
}

function print(row) {
  console.log(
    [
      row.bench.padEnd(24),
      row.case.padEnd(20),
      row.tern.toFixed(1).padStart(9),
      row.rival.toFixed(1).padStart(9),
      row.unit,
      row.ratio.toFixed(2).padStart(6),
      `target ${row.target}`,
      row.met ? 'met' : 'missed',
    ].join(' '),
  );
}

/** Milliseconds from navigation to what the page does last. */
async function timePage(browser, base, name) {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    // Nothing is asked of the page before it has told: what a question brings along is compiled on
    // the page's thread while it starts.
    const told = page.waitForEvent('console', (each) => each.text().startsWith(kTold));
    await page.goto(`${base}/work/${encodeURIComponent(name)}.html`);
    const finished = (await told).text().slice(kTold.length);
    if (!(Number(finished) > 0)) throw new Error(`page '${name}': ${finished}`);
    return Number(finished);
  } finally {
    await context.close();
  }
}

async function benchPages(folder, rounds) {
  makeNetwork('mnist-cnn', folder);
  for (const [name, { script, ahead, body }] of Object.entries(kPages)) {
    const links = [
      ...script.map((file) => `<link rel="modulepreload" href="${file}" />`),
      ...ahead.map((file) => `<link rel="preload" as="fetch" crossorigin href="${file}" />`),
    ];
    // Imports stand first in a module, so what is told at the end covers fetching them.
    writeFileSync(
      join(folder, `${name}.html`),
      `<!doctype html><title>start</title>${links.join('')}<script>
      const tell = (what) => console.log('${kTold}' + what);
      addEventListener('unhandledrejection', (e) => tell(e.reason));
      addEventListener('error', (e) => tell(e.message));</script>
      <script type="module">${body}
      tell(performance.now());</script>`,
    );
  }
  const chromium = await openChromium({
    '/tern/': join(kRoot, 'wasm/package/dist'),
    '/work/': folder,
    '/ort/': join(dirname(new URL(import.meta.url).pathname), 'node_modules/onnxruntime-web/dist'),
  });
  try {
    const browser = chromium.page.context().browser(),
      base = new URL(chromium.page.url()).origin;
    const names = Object.keys(kPages);
    const times = [];
    for (let round = -1; round < rounds; round++) {
      const each = {};
      for (const name of names) each[name] = await timePage(browser, base, name);
      if (round >= 0) times.push(each);  // the first round starts the browser
    }
    return ['.tern', '.onnx'].map((name) => {
      const pairs = times.map((each) => [
        each[name] - each.empty,
        each['onnxruntime-web'] - each.empty,
      ]);
      const own = median(pairs.map((pair) => pair[0]));
      return toRow('page, above an empty one', `mnist-cnn ${name}`, 'ms', pairs,
                   kPageTargets[name], own);
    });
  } finally {
    await chromium.close();
  }
}

// How long after the moment at which an abort is due a promise is rejected, by where the work is
// done and what it does then: what keeps the timer waiting counts too. Sources are fetched by the
// runtime, but for the program that runs for ever.
const kAbortLimit = 50;
const kAborts = [
  { place: 'worker', phase: 'module' },
  { place: 'worker', phase: 'fetch' },
  { place: 'worker', phase: 'compile' },
  { place: 'worker', phase: 'load' },
  { place: 'worker', phase: 'run' },
  { place: 'page', phase: 'fetch' },
  { place: 'page', phase: 'compile' },
  { place: 'page', phase: 'load' },
  { place: 'page', phase: 'run' },
];
const kAbortPage = `
  import { createRuntime } from '/tern/index.js';
  const maker = await createRuntime();
  const forever = maker.assemble(
    '.func @forever()\\nagain:\\n  load_const int 0 dst: %0\\n  goto again\\n');
  maker.dispose();
  const wait = (ms) => new Promise((done) => setTimeout(done, ms));
  // Starts what is to be aborted; hear() is called in the phase.
  async function begin(runtime, options, phase, signal, hear) {
    const onProgress = (each) => each.phase === (phase === 'module' ? 'fetch' : phase) && hear();
    if (phase === 'module') return createRuntime({ ...options, signal, onProgress });
    if (phase !== 'run') return runtime.load('/work/model.onnx', { signal, onProgress });
    const program = await runtime.load(new Response(forever));
    setTimeout(hear, 5);
    return program.run('forever', [], { signal });
  }
  // Milliseconds, or undefined where the phase was over before.
  async function once(runtime, options, phase, delay) {
    const control = new AbortController();
    let due;
    const hear = () => {
      due ??= performance.now() + delay;
      setTimeout(() => control.abort(), delay);
    };
    try {
      (await begin(runtime, options, phase, control.signal, hear)).dispose?.();
      return undefined;
    } catch (error) {
      if (error.name !== 'AbortError') throw error;
      return performance.now() - due;
    }
  }
  window.timeAborts = async ({ place, phase, rounds }) => {
    const options = { worker: place === 'worker' };
    const times = [];
    for (let i = 0; times.length < rounds && i < 4 * rounds; ++i) {
      const runtime = await createRuntime(options);
      const time = await once(runtime, options, phase, i % 3);
      // Usable afterwards.
      (await runtime.load(new Response(forever))).dispose();
      if (time !== undefined) times.push(time);
      runtime.dispose();
      await wait(0);
    }
    return times;
  };
  window.finished = performance.now();`;

async function benchAborts(folder, rounds) {
  writeFileSync(join(folder, 'aborts.html'),
                `<!doctype html><script type="module">${kAbortPage}</script>`);
  copyFileSync(makeNetwork('mobilenet-v2', folder).model, join(folder, 'model.onnx'));
  const chromium = await openChromium({
    '/tern/': join(kRoot, 'wasm/package/dist'),
    '/work/': folder,
  });
  try {
    const { page } = chromium;
    await page.goto(new URL('/work/aborts.html', page.url()).href);
    await page.waitForFunction('window.finished !== undefined');
    const rows = [];
    for (const each of kAborts) {
      const asked = { ...each, rounds: 3 * rounds };
      const times = await page.evaluate((given) => window.timeAborts(given), asked);
      if (times.length < rounds) throw new Error(`${each.place} ${each.phase}: always too late`);
      const worst = [Math.max(...times), kAbortLimit];
      rows.push(toRow('abort, worst', `${each.place} ${each.phase}`, 'ms', [worst], 1));
    }
    return rows;
  } finally {
    await chromium.close();
  }
}

/**
 * [milliseconds, peak MB] of a process from its start to its end, the median of five. Processor
 * time, which neighbours on a busy machine change less; a process that waits for nothing takes no
 * longer.
 */
function timeProcess(cost, command) {
  const run = spawnSync(cost, ['5', ...command], { encoding: 'utf8' });
  if (run.status !== 0) throw new Error(run.error?.message ?? run.stderr);
  const [time, memory] = run.stdout.trim().split('\n').at(-1).split(' ').map(Number);
  return [time / 1e3, memory / 1024];
}

function benchProcess({ name, from, time, memory }, folder, rounds) {
  const network = makeNetwork(name, folder);
  const program = from === '.onnx' ? network.model : network.executable;
  const cost = join(folder, 'process_cost');
  const tern = [kTern, 'run', program, '--quiet', ...network.tern];
  const rival = [
    ...[join(folder, 'rival'), rivalLibrary('x64'), network.model, '1', 'output'],
    ...network.rival,
  ];
  const rows = [];
  for (let round = 0; round < rounds; round++) {
    rows.push([timeProcess(cost, tern), timeProcess(cost, rival)]);
  }
  const pairs = (i) => rows.map(([ours, theirs]) => [ours[i], theirs[i]]);
  const size = statSync(network.model).size / 2 ** 20;
  const reached = from === '.onnx' ? median(pairs(1).map((pair) => pair[0])) / size : undefined;
  return [
    toRow('start, processor time', `${name} ${from}`, 'ms', pairs(0), time),
    toRow('peak memory', `${name} ${from}`, 'MB', pairs(1), memory, reached),
  ];
}

const options = parseArguments();
const folder = mkdtempSync(join(tmpdir(), 'tern-start-'));
const rows = [];
try {
  console.log(`${'bench'.padEnd(45)}      tern     rival     ratio`);
  if (!options['no-native']) {
    buildRival('cc', join(folder, 'rival'));
    buildProgram('cc', 'process_cost', join(folder, 'process_cost'));
    for (const start of kStarts) rows.push(...benchProcess(start, folder, options.rounds));
    rows.forEach(print);
  }
  if (!options['no-web']) {
    execFileSync(join(kRoot, 'tools/build_web.sh'), { stdio: ['ignore', 'ignore', 'inherit'] });
    for (const bench of [benchPages, benchAborts]) {
      const pages = await bench(folder, options.rounds);
      pages.forEach(print);
      rows.push(...pages);
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
if (options.json) writeFileSync(options.json, JSON.stringify(rows, null, 1) + '\n');
