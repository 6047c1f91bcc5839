// SPDX-License-Identifier: Apache-2.0
// The program behind tools/demo.sh. The first row is the reference that the others must agree with.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeInputs } from '../models/inputs.mjs';
import { formatNpy, readNpy } from '../models/npy.mjs';
import { kRoot } from '../models/targets.mjs';
import { openChromium } from './chromium.mjs';

const kFolder = join(kRoot, 'tests/models/digits');
const kHost = join(kRoot, 'build/host/tern');
const kWork = join(kRoot, 'build/demo');
const kExecutable = join(kWork, 'digits.tern');
// The same products in another order differ in the last bits; more is a disagreement.
const kAgreement = 1e-5;

/** The first case of the model folder: {name, path of a .npy file, tensor}. */
function firstInput() {
  const { cases } = JSON.parse(readFileSync(join(kFolder, 'inputs.json'), 'utf8'));
  const [[name, tensor]] = Object.entries(makeInputs(cases[0].steps[0], kFolder));
  const path = join(kWork, 'input.npy');
  writeFileSync(path, formatNpy(tensor));
  return { name, path, tensor };
}

/** {probabilities, ms} by a command line program. */
function runCommandLine(prefix, input, options) {
  const output = join(kWork, 'output.npy');
  const args = [
    ...prefix,
    'run',
    kExecutable,
    '--quiet',
    '-i',
    `${input.name}=@${input.path}`,
    '--output',
    `@${output}`,
    ...options,
  ];
  execFileSync(args[0], args.slice(1), { stdio: ['ignore', 'ignore', 'inherit'] });
  const bench = [
    ...prefix,
    'bench',
    kExecutable,
    '--format',
    'json',
    '--min-time',
    '0.2',
    '--warmup',
    '0.05',
    '-i',
    `${input.name}=@${input.path}`,
    ...options,
  ];
  const timing = JSON.parse(execFileSync(bench[0], bench.slice(1), { encoding: 'utf8' }));
  return { probabilities: [...readNpy(output).data], ms: timing.p50_ms };
}

function infoOf(prefix) {
  return JSON.parse(
    execFileSync(prefix[0], [...prefix.slice(1), 'info', '--format', 'json'], { encoding: 'utf8' }),
  );
}

function hostRows(input) {
  const info = infoOf([kHost]);
  const names = { avx512: 'AVX-512', avx2: 'AVX2', sse4: 'SSE4', neon: 'NEON', sve: 'SVE' };
  const machine = process.arch === 'x64' ? 'x86-64' : process.arch;
  return info.targets
    .filter((target) => target !== 'reference')
    .map((target) => ({
      target: `${machine} ${names[target] ?? target}`,
      run: () => runCommandLine([kHost], input, ['--target', target]),
    }));
}

function aarch64Rows(input) {
  const program = join(kRoot, 'build/aarch64/tern');
  const neon = {
    target: 'AArch64 NEON (qemu)',
    run: () => runCommandLine(['qemu-aarch64', '-cpu', 'cortex-a72', program], input, []),
  };
  const lengths = [128, 256, 512, 1024, 2048].map((bits) => ({
    target: `AArch64 SVE ${bits} bit (qemu)`,
    run: () => {
      const prefix = [
        'qemu-aarch64',
        '-cpu',
        `max,sme=off,sve-default-vector-length=${bits / 8}`,
        program,
      ];
      const seen = infoOf(prefix).vector_bytes * 8;
      if (seen !== bits) throw new Error(`the processor shows ${seen} bit`);
      // At 128 bit Tern would take NEON by itself: the same width without predicates.
      return runCommandLine(prefix, input, ['--target', 'sve']);
    },
  }));
  return [neon, ...lengths];
}

/** Also runs in Chromium, so it takes its module as an argument and returns plain data. */
async function runPackage(createRuntime, wasm, bytes, input) {
  const runtime = await createRuntime(wasm ? { wasm } : {});
  const program = runtime.load(bytes);
  const machine = program.machine();
  const value = { dtype: 'f32', shape: input.shape, data: new Float32Array(input.data) };
  const [output] = Object.values(machine.run('main', [value]));
  const times = [];
  for (const start = performance.now(); performance.now() - start < 200;) {
    const before = performance.now();
    for (let i = 0; i < 10; i++) machine.run('main', [value]);
    times.push((performance.now() - before) / 10);
  }
  times.sort((a, b) => a - b);
  return {
    probabilities: [...output.data],
    ms: times[times.length >> 1],
    target: runtime.info.target,
  };
}

function nodeRows(input) {
  const dist = join(kRoot, 'wasm/package/dist');
  return ['tern.wasm', 'tern-simd.wasm.gz'].map((file) => ({
    target: `wasm in Node (${file === 'tern.wasm' ? 'relaxed SIMD' : 'SIMD128'})`,
    run: async () => {
      const { createRuntime } = await import(join(dist, 'index.js'));
      return runPackage(
        createRuntime,
        readFileSync(join(dist, file)),
        readFileSync(kExecutable),
        input.tensor,
      );
    },
  }));
}

function chromiumRow(input) {
  return {
    target: 'wasm in Chromium',
    run: async () => {
      const page = await openChromium({
        '/tern/': join(kRoot, 'wasm/package/dist'),
        '/demo/': kWork,
      });
      try {
        const plain = { shape: input.tensor.shape, data: [...input.tensor.data] };
        return await page.evaluate(
          `(async () => {
             const { createRuntime } = await import('/tern/index.js');
             const bytes = new Uint8Array(await (await fetch('/demo/digits.tern')).arrayBuffer());
             return (${runPackage})(createRuntime, undefined, bytes, ${JSON.stringify(plain)});
           })()`,
        );
      } finally {
        await page.close();
      }
    },
  };
}

function describe(probabilities) {
  const best = probabilities.indexOf(Math.max(...probabilities));
  return `digit ${best} (${(probabilities[best] * 100).toFixed(2)} %)`;
}

async function main() {
  mkdirSync(kWork, { recursive: true });
  execFileSync(kHost, ['compile', join(kFolder, 'model.onnx'), '-o', kExecutable, '--quiet'], {
    stdio: 'inherit',
  });
  const digest = createHash('sha256').update(readFileSync(kExecutable)).digest('hex').slice(0, 16);
  console.log(
    `one file for all: build/demo/digits.tern, ${statSync(kExecutable).size} bytes, sha256 ` +
      `${digest}…\n`,
  );
  const input = firstInput();
  const row = (...cells) =>
    console.log(
      [cells[0].padEnd(32), cells[1].padEnd(20), cells[2].padEnd(24), cells[3]].join(' '),
    );
  row('target', 'result', 'largest difference', 'time of a run');
  let reference,
    failures = 0;
  for (const { target, run } of [
    ...hostRows(input),
    ...aarch64Rows(input),
    ...nodeRows(input),
    chromiumRow(input),
  ]) {
    try {
      const { probabilities, ms } = await run();
      reference ??= probabilities;
      const difference = Math.max(...probabilities.map((p, i) => Math.abs(p - reference[i])));
      const agrees =
        difference <= kAgreement &&
        describe(probabilities).split(' ')[1] === describe(reference).split(' ')[1];
      if (!agrees) failures++;
      row(
        target,
        describe(probabilities),
        `${difference.toExponential(1)}${agrees ? '' : '  DISAGREES'}`,
        `${ms.toFixed(3)} ms`,
      );
    } catch (error) {
      failures++;
      row(target, 'FAILED', String(error.message ?? error).split('\n')[0], '');
    }
  }
  console.log(failures === 0 ? '\nall targets agree' : `\n${failures} targets do not agree`);
  process.exit(failures === 0 ? 0 : 1);
}

await main();
