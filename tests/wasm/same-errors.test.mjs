// SPDX-License-Identifier: Apache-2.0
// F02: what is wrong with a program or a call is said in the same words, with the same code, place,
// notes and help, by WebAssembly and by the command line, and what runs in WebAssembly goes on. Run
// by `node --test` after tools/build_web.sh; $TERN_CLI names another command line.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

import { createRuntime, TernError } from '../../wasm/package/dist/index.js';
import { kRoot } from './support.mjs';

const kTern = process.env.TERN_CLI ?? fileURLToPath(new URL('build/host/tern', kRoot));
const kProgram = `fn both(x: f32[n], y: f32[n]) -> f32[n] { x + y }
fn pass(x: f32[?], y: f32[?]) -> f32[?] { both(x, y) }
fn divide(a: int, b: int) -> int { a / b }
fn down(n: int) -> int { if n == 0 { 0 } else { 1 + down(n - 1) } }
fn stop(why: string) -> int { if why == "" { 1 } else { fail(why) } }
`;
const f32 = (...numbers) => ({
  dtype: 'f32', shape: [numbers.length], data: Float32Array.from(numbers),
});
const i64 = (...numbers) => ({
  dtype: 'i64', shape: [numbers.length], data: BigInt64Array.from(numbers.map(BigInt)),
});
const kCalls = [
  ['both', { x: f32(1, 2), y: f32(1) }, ['x=f32[2]:1,2', 'y=f32[1]:1'], 'E0203'],
  ['both', { x: f32(1), y: i64(1) }, ['x=f32[1]:1', 'y=i64[1]:1'], 'E0204'],
  ['pass', { x: f32(1, 2), y: f32(1) }, ['x=f32[2]:1,2', 'y=f32[1]:1'], 'E0203'],
  ['divide', { a: 1, b: 0 }, ['a=1', 'b=0'], 'E0301'],
  ['down', { n: 1_000_000 }, ['n=1000000'], 'E0303'],
  ['stop', { why: 'no "more"\n' }, ['why=no "more"\n'], 'E0301'],
];
const kTexts = [
  'fn main() -> int { y }\n',
  'fn main() -> int { 1.5 }\nfn f(x: f32[n]) -> f32[n + 1] { x }\n',
  'fn main() -> int {\n  let x = 1;\n',
  'kernel k(a: f32[n]) -> (y: f32[n]) {\n  compute y[i] = a[i]\n  schedule { unroll(y, i) }\n}\n',
];

let folder;
let file;
let runtime;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tern-errors-'));
  file = join(folder, 'program.tn');
  runtime = await createRuntime({ language: true });
});
after(() => {
  runtime.dispose();
  rmSync(folder, { recursive: true });
});

/** What the command line says is wrong. */
function native(...words) {
  const { status, stdout, stderr } = spawnSync(kTern, [...words, '--format', 'json'], {
    encoding: 'utf8', cwd: folder,
  });
  assert.notEqual(status, 0, stdout);
  return JSON.parse(stderr);
}

/** What is thrown. */
function thrownBy(f) {
  try {
    f();
  } catch (error) {
    assert.ok(error instanceof TernError, String(error.stack));
    return error;
  }
  return assert.fail('nothing was refused');
}

function expectSame(error, said) {
  assert.equal(error.code, said.code);
  assert.equal(error.message, said.message);
  assert.deepEqual(JSON.parse(JSON.stringify(error.diagnostics)), said.diagnostics);
}

describe('errors are those of the command line', () => {
  for (const [name, inputs, words, code] of kCalls) {
    it(`${name} ${words.join(' ')}`, () => {
      writeFileSync(file, kProgram);
      const given = words.flatMap((word) => ['-i', word]);
      const said = native('run', 'program.tn', '-f', name, ...given);
      assert.equal(said.code, code);
      const { bytes } = runtime.compileSource(kProgram, { sourceName: 'program.tn' });
      const program = runtime.load(bytes);
      expectSame(thrownBy(() => program.run(name, inputs)), said);
      const { output0 } = program.run('divide', { a: 7, b: 2 });
      assert.equal(Number(output0), 3, 'it goes on');
      program.dispose();
    });
  }
  for (const text of kTexts) {
    it(text, () => {
      writeFileSync(file, text);
      const said = native('compile', 'program.tn', '-o', 'out.tern');
      expectSame(thrownBy(() => runtime.compileSource(text, { sourceName: 'program.tn' })), said);
    });
  }
});
