// SPDX-License-Identifier: Apache-2.0
// The functions that few programs call as a part of its own: what runs without it, when it is
// fetched, and what happens where it cannot be had. Run by `node --test` after tools/build_web.sh.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, afterEach, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';

import { createRuntime } from '../../wasm/package/dist/index.js';
import { createRuntime as createThreaded } from '../../wasm/package/dist/threads.js';
import { createRuntime as createInline } from '../../wasm/package-inline/dist/inline.js';
import {
  checkProgress, digitOf, fails, kRoot, modelBytes, sends, serve, three,
} from './support.mjs';

const kBuilt = new URL('build/wasm/wasm/', kRoot);
const bytesOf = (name) => new Uint8Array(readFileSync(new URL(`${name}.wasm`, kBuilt)));
const kNowhere = new URL('no-such-operators.wasm', kBuilt);
const kTopTwo = '.func @main(x: f32[4])\n  call topk{k=2} in: %0 dst: %1\n  ret ret %1\n';
const kNegate = '.func @main(x: f32[4])\n  call neg in: %0 dst: %1\n  ret ret %1\n';
const kChecked = `.func @main(x: f32[n], y: f32[n])
  load_const string "main" dst: %2
  load_const string "(x: f32[n], y: f32[n])" dst: %3
  call tern.function.check_arguments in: %2, %3, %0, %1 dst: %4
  call add in: %0, %1 dst: %5
  ret ret %5
`;
const kText = '.func @main(s: string)\n  call tern.string.length in: %0 dst: %1\n  ret ret %1\n';
const kUnknown = '.func @main(x: f32[4])\n  call topp{k=2} in: %0 dst: %1\n  ret ret %1\n';
// Both directions at once, each on a thread of its own.
const kDirections = `.func @main(x: f32[40, 2, 8], w: f32[2, 256, 8], r: f32[2, 256, 64])
  call lstm{direction=bidirectional} in: %0, %1, %2 dst: %3
  ret ret %3
`;
const kX = { dtype: 'f32', shape: [4], data: Float32Array.of(1, 5, 3, 2) };

function waves(...shape) {
  const size = shape.reduce((product, each) => product * each, 1);
  return { dtype: 'f32', shape, data: Float32Array.from({ length: size }, (_, i) => Math.sin(i)) };
}

const topTwo = (program) => [...program.run('main', [kX]).output0.data];

describe('a runtime without the further operators', () => {
  let runtime, programs;
  before(async () => {
    const maker = await createRuntime({ compiler: true });
    const assemble = (text) => maker.assemble(text);
    const digits = maker.compile(modelBytes()).bytes;
    programs = {
      topTwo: assemble(kTopTwo),
      negate: assemble(kNegate),
      text: assemble(kText),
      unknown: assemble(kUnknown),
      directions: assemble(kDirections),
      checked: assemble(kChecked),
      digits,
    };
    maker.dispose();
  });
  afterEach(() => runtime?.dispose());

  it('runs what needs none of them, and does not look for them', async () => {
    runtime = await createRuntime({ operators: kNowhere });
    assert.deepEqual(topTwo(runtime.load(programs.negate)), [-1, -5, -3, -2]);
    const model = await runtime.load(new Response(programs.digits));
    assert.equal(digitOf(model.run('main', [three()])), 3);
    assert.ok(runtime.info.operators.includes('conv2d'));
    assert.ok(!runtime.info.operators.includes('topk'));
  });

  it('reads them for a program that has one, from bytes and from a response', async () => {
    for (const given of [programs.topTwo, new Response(programs.topTwo)]) {
      runtime = await createRuntime();
      assert.deepEqual(topTwo(await runtime.load(given)), [5, 3]);
      assert.ok(runtime.info.operators.includes('topk'));
      runtime.dispose();
    }
  });

  it('does without them for what compiled models begin with', async () => {
    runtime = await createRuntime();
    assert.equal(runtime.load(programs.checked).run('main', [kX, kX]).output0.data[1], 10);
    assert.ok(!runtime.info.operators.includes('topk'));
  });

  it('has them in a module that is whole', async () => {
    runtime = await createRuntime({ wasm: bytesOf('tern-simd-whole'), operators: kNowhere });
    assert.deepEqual(topTwo(runtime.load(programs.topTwo)), [5, 3]);
  });

  it('reads them for functions on texts, lists and maps', async () => {
    runtime = await createRuntime();
    assert.equal(runtime.load(programs.text).run('main', ['three']).output0, 5);
  });

  it('reads them for a function that is asked for by name', async () => {
    runtime = await createRuntime();
    assert.deepEqual([...runtime.function('topk{k=1}').call(kX)[0].data], [5]);
  });

  it('has them from the beginning where that was asked for', async () => {
    const bytes = bytesOf('tern-operators');
    for (const operators of [true, bytes, gzipSync(bytes)]) {
      runtime = await createRuntime({ operators });
      await runtime.prepareOperators();
      assert.ok(runtime.info.operators.includes('topk'));
      assert.deepEqual(topTwo(runtime.load(programs.topTwo)), [5, 3]);
      runtime.dispose();
    }
  });

  it('tells of the progress of fetching them', async () => {
    const heard = [];
    const onProgress = (each) => heard.push(each);
    runtime = await createRuntime({ operators: true, onProgress });
    checkProgress(assert, heard);
    runtime.dispose();
    heard.length = 0;
    runtime = await createRuntime();
    await runtime.prepareOperators({ onProgress });
    checkProgress(assert, heard);
  });

  it('prefers a function that the host registered under the name', async () => {
    runtime = await createRuntime({ operators: kNowhere });
    runtime.register('topk', () => 7);
    assert.equal(runtime.function('topk').call(), 7);
    runtime.unregister('topk');
  });

  it('says what is missing where they cannot be had', async () => {
    runtime = await createRuntime({ operators: kNowhere });
    assert.throws(() => runtime.load(programs.topTwo), (error) => {
      assert.equal(error.code, 'E0107');
      assert.match(error.help.join(), /no-such-operators/);
      return true;
    });
    await fails(runtime.load(new Response(programs.topTwo)), 'E0601', /no-such-operators/);
    await assert.rejects(runtime.prepareOperators());
    // What was missed is not told again of what fails for another reason.
    assert.throws(() => runtime.load(programs.negate).run('main', [1]), ({ help }) =>
      !/no-such-operators/.test(help.join()));
    assert.deepEqual(topTwo(runtime.load(programs.negate)), [-1, -5, -3, -2]);
  });

  it('is told to wait for them where a call cannot', async () => {
    runtime = await createRuntime({ operators: 'http://127.0.0.1:1/tern-operators.wasm' });
    assert.throws(() => runtime.function('topk'), ({ help }) =>
      /await runtime\.prepareOperators\(\)/.test(help.join()));
  });

  it('refuses those of another build, and other parts', async () => {
    const other = bytesOf('tern-operators');
    other[Buffer.from(other).indexOf('tern.pair') + 'tern.pair'.length] ^= 1;
    for (const operators of [other, bytesOf('tern-compiler'), bytesOf('tern-loops')]) {
      runtime = await createRuntime({ operators });
      await fails(runtime.load(new Response(programs.topTwo)), 'E0603', /does not belong/);
      assert.throws(() => runtime.load(programs.topTwo), { code: 'E0107' });
      runtime.dispose();
    }
    runtime = await createRuntime({ operators: bytesOf('tern-operators').subarray(0, 900) });
    await fails(runtime.prepareOperators(), 'E0601', /damaged/);
  });

  it('suggests one of them for a name that is mistyped', async () => {
    runtime = await createRuntime();
    assert.throws(() => runtime.load(programs.unknown), ({ code, text }) =>
      code === 'E0107' && /topp/.test(text) && /did you mean 'topk'/.test(text));
  });

  it('has them with the compiler, which folds what they compute', async () => {
    runtime = await createRuntime({ compiler: true });
    assert.ok(runtime.info.operators.includes('topk'));
  });

  it('has them in the script that brings all along', async () => {
    runtime = await createInline();
    assert.ok(!runtime.info.operators.includes('topk'));
    assert.deepEqual(topTwo(runtime.load(programs.topTwo)), [5, 3]);
  });

  it('runs parts of them on every thread', async () => {
    const args = [waves(40, 2, 8), waves(2, 256, 8), waves(2, 256, 64)];
    const bytes = [];
    for (const threads of [1, 2]) {
      runtime = await createThreaded({ threads });
      const program = runtime.load(programs.directions);
      const run = () => Buffer.from(program.run('main', args).output0.data.buffer);
      bytes.push(run());
      // Whoever comes first takes a part, and a busy machine may be late with the other.
      for (let i = 0; threads === 2 && runtime.threads.tasks[1] === 0 && i < 500; ++i)
        assert.ok(run().equals(bytes[1]));
      if (threads === 2) assert.ok(runtime.threads.tasks[1] > 0, 'the worker ran nothing');
      runtime.dispose();
    }
    assert.ok(bytes[0].equals(bytes[1]));
  });

  it('fetches them in a worker too', async () => {
    const apart = await createRuntime({ worker: true });
    const program = await apart.load(programs.topTwo);
    assert.deepEqual([...(await program.run('main', [kX])).output0.data], [5, 3]);
    apart.dispose();
  });
});

describe('operators from a server', () => {
  let server;
  before(async () => {
    const dist = new URL('wasm/package/dist/', kRoot);
    const files = ['tern.wasm', 'tern-simd.wasm.gz', 'tern-operators.wasm.gz'];
    server = await serve(Object.fromEntries(files.map((name) =>
      [`/${name}`, sends(readFileSync(new URL(name, dist)))])));
  });
  after(() => server.close());

  it('are fetched once, for the first program that has one', async () => {
    const maker = await createRuntime({ compiler: true });
    const [negate, two] = [maker.assemble(kNegate), maker.assemble(kTopTwo)];
    maker.dispose();
    const runtime = await createRuntime({ assets: server.url });
    const asked = () => server.asked.filter((path) => /operators/.test(path)).length;
    await runtime.load(new Response(negate));
    assert.equal(asked(), 0);
    const loaded = await Promise.all([two, two].map((each) => runtime.load(new Response(each))));
    for (const program of loaded) assert.deepEqual(topTwo(program), [5, 3]);
    assert.equal(asked(), 1);
    runtime.dispose();
  });
});
