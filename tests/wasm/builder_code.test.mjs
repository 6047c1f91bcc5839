// SPDX-License-Identifier: Apache-2.0
// C25: the JavaScript that a program is printed as, executed, gives the same bytes back, for random
// programs. tests/builder_code does so for C++. Run by `node --test` after tools/build_web.sh.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';

import { createRuntime, TernError } from '../../wasm/package/dist/index.js';

let runtime;
before(async () => {
  runtime = await createRuntime();
});
after(() => runtime.dispose());

// Numbers that are the same on every machine (mulberry32).
function numbers(seed) {
  let state = seed;
  return (low, high) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return low + (((t ^ (t >>> 14)) >>> 0) % (high - low + 1));
  };
}

const kConstants = [
  'int -9223372036854775808',
  'int 36028797018963968',
  'float -0',
  'float inf',
  'float bits 0x7ff8000000000001',
  'bool true',
  'none',
  'string ""',
  'string "quotes \\" and \\\\ and ünïcode 😀"',
  'dtype bf16',
  'shape [2, 3]',
  'f32[2, 2] [1, -2.5, 0, 3]',
  'i64[0] []',
  'string[2] ["a", "longer than seven bytes"]',
  'splat f32[70, 2] hex 0000803f',
];

function randomFunction(pick, index, count) {
  const inputs = pick(0, 3);
  const names = Array.from({ length: inputs }, (_, i) => `p${i}`).join(', ');
  const lines = [`.func @f${index}(${names})`];
  let made = inputs;
  const value = () => {
    if (made > 0 && pick(0, 3) > 0) return `%${pick(0, made - 1)}`;
    return `${pick(-9000, 9000)}`;
  };
  const add = (text) => lines.push(`  ${text} dst: %${made++}`);
  add(`load_const ${kConstants[pick(0, kConstants.length - 1)]}`);
  for (let i = pick(1, 12); i > 0; --i) {
    const list = Array.from({ length: pick(0, 6) }, value).join(', ');
    const kind = pick(0, 9);
    if (pick(0, 5) === 0) lines.push(`  .loc "node ${i}" ${pick(1, 90)}:${pick(1, 9)}`);
    if (kind < 3) add(`${['add', 'mul', 'le', 'mod'][pick(0, 3)]} ${value()}, ${value()}`);
    else if (kind === 3) add(`alloc_adt tag: ${pick(0, 300)} in: ${list}`);
    else if (kind === 4) add(`call some.primitive{axis=${pick(0, 3)}} in: ${list}`);
    else if (kind === 5) add(`alloc_tensor offset: 0 dtype: i16 shape: ${pick(0, 70000)}, 2`);
    else if (kind === 6) add(`load_consti ${pick(-5, 5)}`);
    else if (kind === 7) add(`alloc_storage size: ${value()} alignment: 64 dtype: f32 device: 0`);
    else if (kind === 8) add(`alloc_closure @f${pick(0, count - 1)} in:`);
    else add(`move %${pick(0, made - 1)}`);
  }
  // One jump over an instruction: both ways arrive with the same registers.
  lines.push(`  if %${pick(0, made - 1)} true: over false: next`, 'next:');
  lines.push(`  neg ${pick(-5, 5)} dst: %${made}`, '  goto over', 'over:');
  lines.push(`  ret ret ${value()}`);
  return lines.join('\n');
}

function randomProgram(seed) {
  const pick = numbers(seed);
  const count = pick(1, 3);
  const head = pick(0, 2) === 0 ? '.meta "producer" = "random"\n' : '';
  return head + Array.from({ length: count }, (_, i) => randomFunction(pick, i, count)).join('\n');
}

function rebuild(code) {
  assert.ok(code.startsWith('export function build(runtime) {'), code.slice(0, 80));
  return new Function(`${code.replace('export ', '')}return build;`)()(runtime);
}

it('C25 random programs come back byte for byte', () => {
  for (let seed = 1; seed <= 300; ++seed) {
    const text = randomProgram(seed);
    const bytes = runtime.assemble(text);
    const code = runtime.text(bytes, 'javascript');
    assert.deepEqual(rebuild(code), bytes, `seed ${seed}:\n${text}\n${code}`);
  }
});

it('C25 what was edited into nonsense is refused when it is built', () => {
  const code = runtime.text(runtime.assemble(randomProgram(7)), 'javascript');
  const cut = code.replace(/^.*emitRet.*$/gm, '');
  assert.notEqual(cut, code);
  assert.throws(() => rebuild(cut), TernError);
});
