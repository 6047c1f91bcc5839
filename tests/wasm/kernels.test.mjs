// SPDX-License-Identifier: Apache-2.0
// Loop kernels of programs through the package: emitted into the main memory and called through its
// table, interpreted in the side module, or left to the operators with the reason. Run by
// `node --test` after tools/build_web.sh.
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';

import { createLoopCompiler, createRuntime, TernError } from '../../wasm/package/dist/index.js';

// relu(x + b) * 0.5, whose bytecode calls the operators; its rows' sums; and a function that can do
// nothing without its kernel.
const kFused = `te fused<n, m>(x: float32[n, m], b: float32[m]) -> (y: float32[n, m]) {
  compute y[i, j] = max(x[i, j] + b[j], float32(0)) * float32(0.5)
  schedule {
    vectorize(y, j)
  }
}
`;
const kRows = `te rows<n, m>(x: float32[n, m]) -> (s: float32[n]) {
  compute s[i] = sum(k < m, x[i, k])
}
`;
const kBare = `te bare<n>(x: int32[n]) -> (y: int32[n]) {
  compute y[i] = x[i] * 3
}
`;
const kLost = `te lost<n>(x: int32[n]) -> (y: int32[n]) {
  compute y[i] = x[i + 1]
}
`;

const kernel = (name, text) => `.kernel "${name}" "loop" text ${JSON.stringify(text)}\n`;
const kProgram = `
${kernel('fused', kFused)}${kernel('rows', kRows)}${kernel('bare', kBare)}
.func @main(x: f32[n, m], b: f32[m]) -> (f32[n, m], f32[n])
  invoke @fused in: %0, %1 dst: %2
  invoke @rows in: %2 dst: %3
  alloc_adt tag: 0 in: %2, %3 dst: %2
  ret   ret %2
.func @fused(x: f32[n, m], b: f32[m]) -> f32[n, m]
  call  add  in: %0, %1 dst: %2
  call  relu in: %2 dst: %2
  call  mul  in: %2, f32[] [0.5] dst: %2
  ret   ret %2
.func @rows(x: f32[n, m]) -> f32[n]
  call  "reduce_sum{axes=1 keep_dims=false}" in: %0 dst: %1
  ret   ret %1
.func @triple(x: i32[n]) -> i32[n]
  invoke @bare in: %0 dst: %1
  ret   ret %1
.func @bare(x: i32[n]) -> i32[n]
  fatal string "the loop kernel 'bare' needs a backend"
`;

const tensor = (dtype, shape, data) => ({ dtype, shape, data });
const floats = (shape, f) => {
  const count = shape.reduce((a, b) => a * b, 1);
  return tensor('f32', shape, Float32Array.from({ length: count }, (_, i) => f(i)));
};
const ints = (...values) => tensor('i32', [values.length], Int32Array.from(values));

let runtime;
let bytes;
let atStart;
before(async () => {
  runtime = await createRuntime();
  bytes = runtime.assemble(kProgram);
  const program = runtime.load(bytes);
  await runtime.prepareKernels(program); // what is made once stays
  program.dispose();
});
beforeEach(() => {
  atStart = runtime.memory();
});
afterEach(() => {
  const now = runtime.memory();
  assert.equal(now.liveObjects, atStart.liveObjects, 'objects were leaked');
  assert.equal(now.kernels, 0, 'kernels were leaked');
});
after(() => runtime.dispose());

async function withProgram(source, policy, f) {
  const program = runtime.load(source);
  try {
    await f(program, await runtime.prepareKernels(program, { policy }));
  } finally {
    program.dispose();
  }
}
const backendsOf = (kernels) => kernels.map(({ name, backend }) => [name, backend]);

function refuses(f, code, words) {
  assert.throws(f, (error) => {
    assert.ok(error instanceof TernError, String(error));
    if (code) assert.equal(error.code, code);
    assert.match(error.message, words);
    return true;
  });
}

// The same calls with each policy, sizes around those of vectors.
function callsOf(program) {
  const results = [];
  for (const n of [0, 1, 3]) {
    for (const m of [0, 1, 3, 4, 5, 8, 13]) {
      const x = floats([n, m], (i) => ((i * 7) % 11) - 5);
      const b = floats([m], (i) => i / 4 - 1);
      const { output0, output1 } = program.run('main', { x, b });
      assert.deepEqual(output0.shape, [n, m]);
      assert.deepEqual(output1.shape, [n]);
      results.push(output0.data, output1.data);
    }
  }
  return results;
}

describe('loop kernels', () => {
  it('give the same results on every backend', async () => {
    const results = [];
    for (const policy of ['operators', 'interpreter', 'compiled', 'auto']) {
      await withProgram(bytes, policy, (program) => results.push(callsOf(program)));
    }
    // Numbers that floats hold exactly, so order does not matter.
    for (const each of results.slice(1)) assert.deepEqual(each, results[0]);
  });

  it('tell their backends and why', async () => {
    const program = runtime.load(bytes);
    assert.deepEqual(
      program.kernels().map(({ name, formats, operators, backend }) => {
        return [name, formats, operators, backend];
      }),
      [
        ['fused', ['loop'], true, 'operators'],
        ['rows', ['loop'], true, 'operators'],
        ['bare', ['loop'], false, 'none'],
      ],
    );
    for (const { why } of program.kernels()) assert.notEqual(why, '');
    const kernels = await runtime.prepareKernels(program);
    assert.deepEqual(kernels, program.kernels());
    assert.deepEqual(backendsOf(kernels), [
      ['fused', 'compiled'],
      ['rows', 'compiled'],
      ['bare', 'compiled'],
    ]);
    assert.match(kernels[0].signature, /f32\[n, m\]/);
    assert.equal(runtime.memory().kernels, 3);
    const again = await runtime.prepareKernels(program, { policy: 'interpreter' });
    assert.deepEqual(
      again.map(({ backend, why }) => [backend, why]),
      Array(3).fill(['interpreter', 'asked for']),
    );
    const back = await runtime.prepareKernels(program, { policy: 'operators' });
    assert.deepEqual(backendsOf(back), [
      ['fused', 'operators'],
      ['rows', 'operators'],
      ['bare', 'none'],
    ]);
    assert.equal(runtime.memory().kernels, 0);
    program.dispose();
  });

  it('that have no operators run, or say what they lack', async () => {
    for (const policy of ['interpreter', 'compiled', 'auto']) {
      await withProgram(bytes, policy, (program) => {
        const { output0 } = program.run('triple', [ints(1, -2, 3, 4, 5)]);
        assert.deepEqual([...output0.data], [3, -6, 9, 12, 15]);
      });
    }
    await withProgram(bytes, 'operators', (program) => {
      refuses(() => program.run('triple', [ints(1)]), '', /'bare' needs a backend/);
    });
  });

  it('check their arguments on every backend', async () => {
    for (const policy of ['operators', 'interpreter', 'compiled']) {
      await withProgram(bytes, policy, (program) => {
        const machine = program.machine();
        const x = floats([2, 3], (i) => i);
        refuses(() => machine.call('fused', [x]), 'E0207', /fused/);
        refuses(() => machine.call('fused', [x, floats([4], () => 0)]), 'E0203', /b/);
        refuses(() => machine.call('fused', [x, ints(1, 2, 3)]), '', /f32/);
        refuses(() => machine.call('rows', [7]), '', /tensor|f32/);
        assert.deepEqual([...machine.call('rows', [x]).data], [3, 12]);
        machine.dispose();
      });
    }
  });

  it('work on memory that grows', async () => {
    await withProgram(bytes, 'compiled', (program) => {
      const machine = program.machine();
      const count = 6 << 20; // 24 MiB in, 24 MiB out, past what the module starts with
      const wasmBytes = runtime.memory().wasmBytes;
      const result = machine.call('fused', [
        floats([1, count], (i) => i % 5),
        floats([count], () => 1),
      ]);
      assert.ok(runtime.memory().wasmBytes > wasmBytes);
      assert.equal(result.data[count - 1], ((count - 1) % 5) / 2 + 0.5);
      machine.dispose();
    });
  });

  it('live as long as the machines that call them', async () => {
    const program = runtime.load(bytes);
    await runtime.prepareKernels(program);
    const machine = program.machine();
    machine.call('bare', [ints(5)]);
    program.dispose();
    assert.equal(runtime.memory().kernels, 3);
    assert.deepEqual([...machine.call('bare', [ints(5)]).data], [15]);
    machine.dispose();
    assert.equal(runtime.memory().kernels, 0);
  });

  it('use places in the table and memory again', async () => {
    const round = async () => withProgram(bytes, 'compiled', callsOf);
    await round();
    const { wasmBytes } = runtime.memory();
    for (let i = 0; i < 50; ++i) await round();
    assert.equal(runtime.memory().wasmBytes, wasmBytes);
  });
});

describe('kernels that are wrong', () => {
  const one = (text, body = 'ret   ret %0') => `${kernel('f', text)}
.func @f(x: i32[n]) -> i32[n]
  ${body}
`;
  const named = (text) => text.replace(/\b(lost|bare)\b/, 'f');
  const kWrong = {
    'no text at all': '',
    'no loop program': 'fn main() {}',
    'another name': kBare,
    'two kernels': named(kBare) + named(kBare).replace('te f', 'te g'),
    'another type': named(kBare).replaceAll('int32', 'float32'),
    'another rank': named(kBare).replaceAll('int32[n]', 'int32[n, n]').replaceAll('[i]', '[i, i]'),
    'an access outside': named(kLost),
    'bytes that are no text': '\u0000\u0001\ufffd',
    'a deep expression': named(kBare).replace('x[i]', '('.repeat(5000) + 'x[i]' + ')'.repeat(5000)),
  };
  for (const [what, text] of Object.entries(kWrong)) {
    it(`leave ${what} to the operators, with the reason`, async () => {
      const made = runtime.assemble(one(text));
      for (const policy of ['auto', 'compiled']) {
        await withProgram(made, policy, (program, [kernels]) => {
          assert.equal(kernels.backend, 'operators', kernels.why);
          assert.ok(kernels.why.length > 10, kernels.why);
          assert.deepEqual([...program.run('f', [ints(1, 2)]).output0.data], [1, 2]);
        });
      }
    });
  }

  it('are told of where there are no operators', async () => {
    const fatal = 'fatal string "it needs its kernel"';
    await withProgram(runtime.assemble(one('', fatal)), 'auto', (program, [info]) => {
      assert.equal(info.backend, 'none');
      refuses(() => program.run('f', [ints(1)]), '', /it needs its kernel/);
    });
    // What cannot be proven may run where every access is checked.
    await withProgram(runtime.assemble(one(named(kLost), fatal)), 'auto', (program, [info]) => {
      assert.equal(info.backend, 'interpreter', info.why);
      refuses(() => program.run('f', [ints(1)]), '', /kernel/);
    });
  });

  it('of no function are left alone', async () => {
    const made = runtime.assemble(`${kernel('gone', kBare)}.func @f(x: int)\n  ret ret %0\n`);
    await withProgram(made, 'auto', (program, [info]) => {
      assert.equal(info.signature, null);
      assert.equal(program.run('f', [7]).output0, 7);
    });
  });

  it('are refused a policy that there is none of', async () => {
    refuses(() => runtime.load(bytes, { kernels: 'fast' }), 'E0003', /auto, operators, interp/);
    const program = runtime.load(bytes);
    await assert.rejects(runtime.prepareKernels(program, { policy: 'fast' }), { code: 'E0003' });
    program.dispose();
    await assert.rejects(runtime.prepareKernels(program), { code: 'E0702' });
  });
});

describe('a runtime with the loop compiler', () => {
  async function withRuntime(options, f) {
    const made = await createRuntime(options);
    try {
      await f(made);
      const start = made.memory(); // what is made once stays
      await f(made);
      assert.equal(made.memory().liveObjects, start.liveObjects);
      assert.equal(made.memory().kernels, 0);
    } finally {
      made.dispose();
    }
  }
  async function backends(options, loading = {}) {
    let found;
    await withRuntime(options, (made) => {
      const program = made.load(bytes, loading);
      found = program.kernels();
      assert.deepEqual([...program.run('rows', [floats([1, 2], () => 4)]).output0.data], [8]);
      program.dispose();
    });
    return found;
  }

  it('prepares kernels as it loads', async () => {
    const each = async (loading) =>
      (await backends({ loops: true }, loading)).map(({ backend }) => backend);
    assert.deepEqual(await each({}), ['compiled', 'compiled', 'compiled']);
    assert.deepEqual(await each({ constants: 'on-demand' }), ['compiled', 'compiled', 'compiled']);
    assert.deepEqual(await each({ kernels: 'interpreter' }), Array(3).fill('interpreter'));
    assert.deepEqual(await each({ kernels: 'operators' }), ['operators', 'operators', 'none']);
  });

  it('starts without it where it cannot be had, and says why', async () => {
    for (const loops of [new Uint8Array(20), new URL('missing.wasm', import.meta.url)]) {
      for (const { operators, backend, why } of await backends({ loops })) {
        assert.equal(backend, operators ? 'operators' : 'none');
        assert.match(why, /^there is no loop compiler: ./);
      }
    }
  });

  it('runs by operators where the engine compiles nothing', async () => {
    await withRuntime({ loops: true }, async (made) => {
      const { Module, compile } = WebAssembly;
      const refuse = () => {
        throw new WebAssembly.CompileError('refused by the policy of the page');
      };
      try {
        WebAssembly.Module = class {
          constructor() {
            refuse();
          }
        };
        WebAssembly.compile = async () => refuse();
        const program = made.load(bytes);
        const expected = [
          ['fused', 'operators'],
          ['rows', 'operators'],
          ['bare', 'interpreter'],
        ];
        assert.deepEqual(backendsOf(program.kernels()), expected);
        assert.match(program.kernels()[0].why, /refused by the policy/);
        assert.deepEqual(backendsOf(await made.prepareKernels(program)), expected);
        program.dispose();
      } finally {
        Object.assign(WebAssembly, { Module, compile });
      }
    });
  });
});

describe('kernels that the compiler makes', () => {
  const kSource = `kernel scale(x: f32[n], b: f32[n]) -> (y: f32[n]) {
  compute y[i] = x[i] * 2.0 + b[i]
}
fn main(x: f32[n], b: f32[n]) -> f32[n] { scale(x, b) }
`;
  // Three operators that become one loop.
  const kChain = 'fn main(x: f32[n, m], b: f32[m]) -> f32[n, m] { tanh(relu(x + b) * x) }\n';
  let made;
  before(async () => {
    made = await createRuntime({ language: true });
  });
  after(() => made.dispose());

  it('of the language run emitted and interpreted', async () => {
    const program = made.load(made.compileSource(kSource).bytes);
    const args = [floats([5], (i) => i), floats([5], () => 1)];
    refuses(() => program.run('main', args), '', /scale/);
    for (const policy of ['compiled', 'interpreter']) {
      const [{ backend, operators, why }] = await made.prepareKernels(program, { policy });
      assert.deepEqual([backend, operators], [policy, false], why);
      assert.deepEqual([...program.run('main', args).output0.data], [1, 3, 5, 7, 9]);
    }
    program.dispose();
    assert.equal(made.memory().kernels, 0);
  });

  it('of fused operators give what the operators give', async () => {
    const program = made.load(made.compileSource(kChain).bytes);
    const args = [floats([3, 13], (i) => i / 8 - 2), floats([13], (i) => 1 - i / 16)];
    const results = [];
    for (const policy of ['operators', 'compiled', 'interpreter']) {
      const kernels = await made.prepareKernels(program, { policy });
      assert.ok(kernels.length > 0, 'nothing was fused');
      for (const { backend, why } of kernels) assert.equal(backend, policy, why);
      results.push(program.run('main', args).output0.data);
    }
    for (const data of results.slice(1))
      data.forEach((value, i) => assert.ok(Math.abs(value - results[0][i]) < 1e-6, `${i}`));
    program.dispose();
  });

  // B21: a * b + c rounded once where the engine can; the executable says that it may be.
  it('are relaxed on request', async () => {
    const args = [floats([3, 13], (i) => i / 8 - 2), floats([13], (i) => 1 - i / 16)];
    const run = async (options) => {
      const program = made.load(made.compileSource(kChain, options).bytes);
      for (const { backend, why } of await made.prepareKernels(program, { policy: 'compiled' }))
        assert.equal(backend, 'compiled', why);
      const { output0 } = program.run('main', args);
      const { math } = program.info.metadata;
      program.dispose();
      return { math, data: output0.data };
    };
    const strict = await run({}),
      relaxed = await run({ relaxedMath: true });
    assert.deepEqual([strict.math, relaxed.math], [undefined, 'relaxed']);
    relaxed.data.forEach((value, i) => assert.ok(Math.abs(value - strict.data[i]) < 1e-6, `${i}`));
  });
});

describe('the loop compiler alone', () => {
  let compiler;
  before(async () => {
    compiler = await createLoopCompiler();
  });

  it('shows every stage by strategy', () => {
    const strategies = ['fixed', 'predicated'];
    const stages = compiler.stages(kFused, { stages: ['all'], strategies });
    assert.equal(stages[0].stage, 'te');
    assert.deepEqual([...new Set(stages.map(({ strategy }) => strategy))], ['fixed', 'predicated']);
    assert.ok(stages.some(({ text }) => text.includes('whilelt')));
    const [last] = compiler.stages(kFused, { strategies: ['predicated'], vlForm: true });
    assert.match(last.text, /VL/);
  });

  it('counts what runs at each vscale', () => {
    const counts = compiler.counts(kBare, {
      strategies: ['scalar'],
      vscales: [1, 2],
      sizes: { n: 18 },
    });
    assert.deepEqual(
      counts.map(({ vscale, n, scalar_iterations }) => [vscale, n, scalar_iterations]),
      [
        [1, 18, 18],
        [2, 18, 18],
      ],
    );
  });

  it('writes the LLVM IR of a target', () => {
    assert.match(compiler.llvm(kFused, { target: 'aarch64+sve' }), /vscale_range|aarch64/);
    assert.doesNotMatch(compiler.llvm(kFused, { target: 'x86_64+avx2' }), /vscale x/);
  });

  it('writes the text of a WebAssembly module', () => {
    const text = compiler.wat(kFused, { strategies: ['fixed'] });
    assert.match(text, /^\(module\n {2}\(type [^]*\n {4}local\.get 0\n[^]*\n\)\n$/);
    assert.match(text, /^ +f32x4\./m);
    // Of a target that has them, vectors of unknown length are as long as WebAssembly's.
    const wide = { strategies: ['predicated'], target: 'reference' };
    assert.match(compiler.wat(kFused, wide), /^ +f32x4\./m);
  });

  it('refuses what is wrong, and goes on', () => {
    refuses(() => compiler.stages('te'), '', /./);
    refuses(() => compiler.stages(kFused, { strategies: ['fast'] }), 'E0003', /fast/);
    refuses(() => compiler.stages(kFused, { stages: ['last'] }), 'E0003', /last/);
    refuses(() => compiler.llvm(kFused, { target: 'vax' }), 'E0003', /vax/);
    refuses(() => compiler.wat(kFused, { target: 'vax' }), 'E0003', /vax/);
    refuses(() => compiler.wat(kFused, { strategies: ['predicated'] }), 'E0513', /wasm32/);
    refuses(() => compiler.wat('te'), '', /./);
    refuses(() => compiler.counts(kBare), 'E0005', /'n'/);
    refuses(() => compiler.counts(kBare, { sizes: { m: 1 } }), 'E0005', /'m'/);
    refuses(() => compiler.counts(kBare, { sizes: { n: -1 } }), 'E0005', /n=-1/);
    refuses(() => compiler.counts(kBare, { sizes: { n: 1 }, vscales: [17] }), 'E0003', /17/);
    refuses(() => compiler.counts(kBare, { sizes: { n: 1e15 } }), '', /1000000000000000/);
    refuses(() => compiler.counts(kBare, { sizes: { n: 1000 }, maxSteps: 10 }), '', /./);
    assert.equal(compiler.stages(kBare).length, 1);
  });
});
