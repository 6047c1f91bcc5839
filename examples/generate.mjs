// SPDX-License-Identifier: Apache-2.0
// Text from a language model in JavaScript, token by token: a decoder in ONNX as exporters write
// it (plain operators, or GroupQueryAttention and weights of 4 bits), its cache of keys and values
// handed from step to step, and each token given to a callback as soon as it is chosen. Choices
// are greedy, or drawn by temperature, topK, topP and seed as in examples/lang/generate.tn, so
// that both choose the same tokens.
//   tools/models/write_decoder.py decoder.onnx
//   node examples/generate.mjs decoder.onnx 1,2,3 --count 10 --temperature 0.8 --seed 7
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';

import { createRuntime } from '../wasm/package/dist/index.js';

const nextRandom = (state) => (Math.imul(state, 1664525) + 1013904223) >>> 0;

/** Which of the logits is next; `random` lies between 0 and 1. */
export function chooseToken(logits, { temperature = 0, topK = 0, topP = 1 }, random) {
  const ranked = [...logits.keys()].sort((a, b) => logits[b] - logits[a] || a - b);
  if (temperature <= 0) return ranked[0];
  const kept = topK > 0 ? ranked.slice(0, topK) : ranked;
  const weights = kept.map((token) => Math.exp((logits[token] - logits[kept[0]]) / temperature));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const chances = weights.map((weight) => weight / total);
  let count = 0;
  for (let sum = 0; count < chances.length && (topP >= 1 || sum < topP); ++count)
    sum += chances[count];
  const left = chances.slice(0, Math.max(count, 1)).reduce((sum, chance) => sum + chance, 0);
  let place = 0;
  for (let sum = chances[0]; place + 1 < Math.max(count, 1) && sum <= random * left; ++place)
    sum += chances[place + 1];
  return kept[place];
}

/** The caches that the model takes, empty; a dimension without a number has no place yet. */
function emptyCaches(params) {
  const caches = {};
  for (const { name, dtype, shape } of params) {
    if (!name.startsWith('past_key_values')) continue;
    const extents = shape.map((extent) => (Number.isInteger(extent) ? extent : 0));
    caches[name] = { dtype, shape: extents, data: new Float32Array(0) };
  }
  return caches;
}

/** Where the tokens from `start` on stand, told as the model's inputs ask for it. */
function placesOf(params, start, count) {
  const i64 = (data) => ({ dtype: 'i64', shape: [1, data.length], data });
  const places = {
    position_ids: () => i64(BigInt64Array.from({ length: count }, (_, k) => BigInt(start + k))),
    attention_mask: () => i64(new BigInt64Array(start + count).fill(1n)),
  };
  const asked = params.filter(({ name }) => name in places);
  return Object.fromEntries(asked.map(({ name }) => [name, places[name]()]));
}

/** Chooses `count` tokens behind the prompt; calls onToken(token) with each at once. */
export async function generate(program, prompt, count, choice, onToken) {
  const { params } = program.functionInfo('main');
  let caches = emptyCaches(params);
  let tokens = prompt, start = 0, state = nextRandom(choice.seed ?? 1);
  for (let i = 0; i < count; ++i) {
    const shape = [1, tokens.length];
    const outputs = await program.run('main', {
      input_ids: { dtype: 'i64', shape, data: BigInt64Array.from(tokens, BigInt) },
      ...placesOf(params, start, tokens.length),
      ...caches,
    });
    const { data, shape: extents } = outputs.logits;
    const logits = data.subarray((tokens.length - 1) * extents[2]);
    const token = chooseToken(logits, choice, (state >>> 8) / 2 ** 24);
    onToken(token);
    caches = Object.fromEntries(Object.keys(caches).map((name) =>
      [name, outputs[name.replace('past_key_values', 'present')]]));
    start += tokens.length;
    tokens = [token];
    state = nextRandom(state);
  }
}

async function main() {
  const number = (value, other) => (value === undefined ? other : Number(value));
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: Object.fromEntries(['count', 'temperature', 'top-k', 'top-p', 'seed']
      .map((name) => [name, { type: 'string' }])),
  });
  const [path, prompt] = positionals;
  const runtime = await createRuntime();
  const program = await runtime.load(new Uint8Array(readFileSync(path)));
  const choice = {
    temperature: number(values.temperature, 0), topK: number(values['top-k'], 0),
    topP: number(values['top-p'], 1), seed: number(values.seed, 1),
  };
  await generate(program, prompt.split(',').map(Number), number(values.count, 10), choice,
    (token) => console.log(token));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
