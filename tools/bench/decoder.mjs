// SPDX-License-Identifier: Apache-2.0
// The program behind tools/bench/decoder: a decoder in both forms that exporters write, one step
// behind a filled cache. First the logits of both runtimes are compared, then they are timed in
// turns.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import ort from 'onnxruntime-node';
import { formatNpy, readNpy } from '../models/npy.mjs';
import { kRoot } from '../models/targets.mjs';

const kTern = join(kRoot, 'build/host/tern');
// What the two may differ by, as a part of the largest logit.
const kTolerance = 2e-3;

const { values } = parseArgs({
  options: Object.fromEntries(
    Object.entries({
      layers: '8',
      width: '512',
      hidden: '1376',
      heads: '8',
      'kv-heads': '4',
      vocabulary: '2048',
      past: '128',
      rounds: '5',
      seconds: '1',
      threads: '1',
    }).map(([name, fallback]) => [name, { type: 'string', default: fallback }]),
  ),
});
const number = (name) => Number(values[name]);

function writeModel(path, form) {
  const sizes = ['layers', 'width', 'hidden', 'heads', 'vocabulary'];
  const args = sizes.flatMap((name) => [`--${name}`, values[name]]);
  if (form === 'grouped') args.push('--kv-heads', values['kv-heads']);
  execFileSync(join(kRoot, 'tools/models/write_decoder.py'), [path, '--form', form, ...args]);
}

/** Whole numbers from a seed, as floats between -1 and 1. */
function noise(length, seed) {
  let state = seed;
  return Float32Array.from({ length }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 8) / 2 ** 23 - 1;
  });
}

function inputsOf(form) {
  const past = number('past');
  const i64 = (data) => ({ dtype: 'i64', shape: [1, data.length], data });
  const inputs = { input_ids: i64(BigInt64Array.of(7n)) };
  if (form === 'plain') inputs.position_ids = i64(BigInt64Array.of(BigInt(past)));
  else inputs.attention_mask = i64(new BigInt64Array(past + 1).fill(1n));
  const heads = number(form === 'plain' ? 'heads' : 'kv-heads');
  const shape = [1, heads, past, number('width') / number('heads')];
  for (let layer = 0; layer < number('layers'); layer++) {
    for (const [i, part] of ['key', 'value'].entries()) {
      const data = noise(heads * past * shape[3], 2 * layer + i + 1);
      inputs[`past_key_values.${layer}.${part}`] = { dtype: 'f32', shape, data };
    }
  }
  return inputs;
}

const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];

function openTern(model, inputs, folder) {
  const given = Object.entries(inputs).flatMap(([name, tensor]) => {
    const path = join(folder, `${name}.npy`);
    writeFileSync(path, formatNpy(tensor));
    return ['-i', `${name}=@${path}`];
  });
  const executable = `${model}.tern`;
  execFileSync(kTern, ['compile', model, '-o', executable]);
  const run = (verb, ...args) =>
    execFileSync(kTern, [verb, executable, ...given, '--threads', values.threads, ...args], {
      encoding: 'utf8',
      maxBuffer: 1 << 28,
    });
  return {
    logits: () => {
      const path = join(folder, 'out.npy');
      run('run', '--output', `logits=@${path}`);
      return readNpy(path).data;
    },
    time: () =>
      JSON.parse(run('bench', '--format', 'json', '--min-time', values.seconds)).p50_ms,
  };
}

async function openRival(model, inputs) {
  const session = await ort.InferenceSession.create(model, {
    intraOpNumThreads: number('threads'),
    interOpNumThreads: 1,
    logSeverityLevel: 3,
  });
  const types = { f32: 'float32', i64: 'int64' };
  const feeds = Object.fromEntries(
    Object.entries(inputs).map(([name, { dtype, data, shape }]) => [
      name,
      new ort.Tensor(types[dtype], data, shape),
    ]),
  );
  const time = async () => {
    const times = [];
    const end = performance.now() + 1000 * number('seconds');
    while (times.length < 3 || performance.now() < end) {
      const before = performance.now();
      await session.run(feeds);
      times.push(performance.now() - before);
    }
    return median(times);
  };
  return { logits: async () => (await session.run(feeds)).logits.data, time };
}

/** The largest distance, as a part of the largest number. */
function distance(actual, expected) {
  let largest = 0;
  let worst = actual.length === expected.length ? 0 : Infinity;
  for (let i = 0; i < expected.length; i++) {
    largest = Math.max(largest, Math.abs(expected[i]));
    worst = Math.max(worst, Math.abs(actual[i] - expected[i]));
  }
  return worst / largest;
}

const folder = mkdtempSync(join(tmpdir(), 'tern-decoder-'));
let failed = 0;
console.log('form      logits differ by    tern tokens/s   rival tokens/s   time ratio');
try {
  for (const form of ['plain', 'grouped']) {
    const model = join(folder, `${form}.onnx`);
    writeModel(model, form);
    const inputs = inputsOf(form);
    const tern = openTern(model, inputs, folder);
    const rival = await openRival(model, inputs);
    const off = distance(tern.logits(), await rival.logits());
    if (!(off <= kTolerance)) failed++;
    const pairs = [];
    for (let round = 0; round < number('rounds'); round++)
      pairs.push([tern.time(), await rival.time()]);
    const perSecond = (i) => (1000 / median(pairs.map((pair) => pair[i]))).toFixed(1);
    console.log(
      `${form.padEnd(9)} ${off.toExponential(1).padStart(15)} ${perSecond(0).padStart(16)} ` +
        `${perSecond(1).padStart(16)} ` +
        median(pairs.map(([a, b]) => a / b)).toFixed(2).padStart(12),
    );
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${2 - failed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
