// SPDX-License-Identifier: Apache-2.0
// The compiler as a part of its own: what runs without it, when it is fetched, and what happens
// where it cannot be had or belongs to another build. Run by `node --test` after
// tools/build_web.sh.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { afterEach, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';

import { createRuntime, hasRelaxedSimd, TernError } from '../../wasm/package/dist/index.js';

const kRoot = new URL('../../', import.meta.url);
const kDist = new URL('wasm/package/dist/', kRoot);
const kBase = hasRelaxedSimd() ? 'tern' : 'tern-simd';
const kRuntimes = hasRelaxedSimd() ? ['tern', 'tern-simd'] : ['tern-simd'];
const kBuilt = new URL('build/wasm/wasm/', kRoot);
const kNowhere = new URL('no-such-compiler.wasm', kDist);
const kProgram = '.func @main(a: int, b: int) -> int\n  add %0, %1 dst: %2\n  ret ret %2\n';

const bytesOf = (name) => new Uint8Array(readFileSync(new URL(`${name}.wasm`, kBuilt)));
const linesOf = (name) =>
  readFileSync(new URL(`wasm/${name}.txt`, kRoot), 'utf8').split('\n').filter(Boolean)
    .map((line) => line.slice(1));
const exportsOf = (name) =>
  new Set(WebAssembly.Module.exports(new WebAssembly.Module(bytesOf(name))).map((e) => e.name));

/** As if of another build. */
function withOtherMark(bytes) {
  bytes[Buffer.from(bytes).indexOf('tern.pair') + 'tern.pair'.length] ^= 1;
  return bytes;
}

function refuses(f, codes, words) {
  assert.throws(f, (error) => {
    assert.ok(error instanceof TernError, String(error));
    assert.match(error.code, codes, error.message);
    assert.match(error.message, words);
    return true;
  });
}

describe('a runtime without the compiler', () => {
  let executable;
  let runtime;
  before(async () => {
    const maker = await createRuntime({ compiler: true });
    executable = maker.assemble(kProgram);
    maker.dispose();
  });
  afterEach(() => runtime?.dispose());

  it('loads and runs executables, and tells what is in them', async () => {
    runtime = await createRuntime({ compiler: kNowhere });
    const program = runtime.load(executable);
    assert.equal(program.run('main', [20, 22]).output0, 42);
    assert.equal(program.info.instructions.length, 2);
    const onDemand = runtime.load(executable, { constants: 'on-demand' });
    assert.equal(onDemand.run('main', [1, 2]).output0, 3);
    assert.deepEqual(await runtime.prepareKernels(program), []);
    assert.equal(runtime.echo([1, 'two']).length, 2);
    refuses(() => runtime.load(Uint8Array.of(1, 2, 3)), /E0601/, /ENOENT|cannot|fetched/);
    program.dispose();
  });

  it('says nothing of error codes rather than fail', async () => {
    runtime = await createRuntime({ compiler: kNowhere });
    assert.equal(runtime.explain('E0203'), undefined);
    runtime.dispose();
    runtime = await createRuntime();
    assert.match(runtime.explain('E0203'), /shape/);
  });

  it('reads the compiler in a call that needs it', async () => {
    runtime = await createRuntime();
    assert.deepEqual(runtime.assemble(kProgram), executable);
    assert.match(runtime.load(executable).disassemble(), /@main/);
  });

  it('fetches it before, once, also while a call takes it', async () => {
    runtime = await createRuntime();
    const waiting = [runtime.prepareCompiler(), runtime.prepareCompiler()];
    assert.deepEqual(runtime.assemble(kProgram), executable);
    await Promise.all(waiting);
    await runtime.prepareCompiler();
    assert.deepEqual(runtime.assemble(kProgram), executable);
  });

  it('takes a URL, bytes, packed or not, or a compiled module', async () => {
    const bytes = bytesOf('tern-compiler');
    const url = new URL('tern-compiler.wasm.gz', kDist);
    const packed = new Uint8Array(readFileSync(url));
    const given = [url, url.href, bytes, bytes.buffer, packed, new WebAssembly.Module(bytes)];
    for (const compiler of given) {
      for (const first of ['fetched', 'in the call']) {
        runtime = await createRuntime({ wasm: bytesOf(kBase), compiler });
        if (first === 'fetched') await runtime.prepareCompiler();
        assert.deepEqual(runtime.assemble(kProgram), executable);
        runtime.dispose();
      }
    }
  });

  it('takes the same one for either runtime', async () => {
    const compiler = bytesOf('tern-compiler');
    for (const base of kRuntimes) {
      runtime = await createRuntime({ wasm: bytesOf(base), compiler });
      await runtime.prepareCompiler();
      assert.deepEqual(runtime.assemble(kProgram), executable, base);
      const program = runtime.load(executable);
      assert.equal(program.run('main', [20, 22]).output0, 42);
      assert.match(program.disassemble(), /@main/);
      assert.match(runtime.explain('E0203'), /shape/);
      refuses(() => runtime.assemble('.func @main('), /E0111/, /parameter's name/);
      runtime.dispose();
    }
  });

  it('needs none where the module is whole', async () => {
    runtime = await createRuntime({ wasm: bytesOf('tern-simd-whole'), compiler: kNowhere });
    assert.deepEqual(runtime.assemble(kProgram), executable);
  });
});

describe('the debugger and the language', () => {
  const source = 'fn main(a: int) -> int { a + 2 }';

  it('are one part for either runtime, beside the same compiler', async () => {
    const given = { compiler: bytesOf('tern-compiler'), debugger: bytesOf('tern-debug') };
    for (const base of kRuntimes) {
      const runtime = await createRuntime({ wasm: bytesOf(base), ...given });
      const program = runtime.load(runtime.compileSource(source).bytes);
      const debug = program.debugger();
      debug.begin('main', [40]);
      assert.equal(debug.run('continue').reason, 'returned', base);
      assert.equal(debug.results().output0, 42, base);
      assert.equal(program.run('main', [1]).output0, 3);
      debug.dispose();
      program.dispose();
      assert.throws(() => runtime.compileSource('fn main() -> int { y }'), { code: /./ });
      runtime.dispose();
    }
  });

  it('are read from bytes, packed or not, and from a compiled module', async () => {
    const bytes = bytesOf('tern-debug');
    for (const language of [bytes, gzipSync(bytes), new WebAssembly.Module(bytes)]) {
      const runtime = await createRuntime({ language });
      assert.deepEqual(runtime.checkSource(source), []);
      runtime.dispose();
    }
  });

  it('are refused where they do not fit the rest', async () => {
    const other = withOtherMark(bytesOf('tern-debug'));
    const refused = { code: 'E0603', message: /the debugger does not belong/ };
    await assert.rejects(createRuntime({ debugger: other }), refused);
    await assert.rejects(createRuntime({ debugger: bytesOf('tern-compiler') }), refused);
    await assert.rejects(createRuntime({ debugger: bytesOf('tern-loops') }), refused);
    const debug = bytesOf('tern-debug');
    const wasm = bytesOf('tern-simd-whole');
    await assert.rejects(createRuntime({ wasm, debugger: debug }), refused);
    const compiler = withOtherMark(bytesOf('tern-compiler'));
    await assert.rejects(createRuntime({ compiler, debugger: debug }), {
      code: 'E0603',
      message: /the compiler does not belong/,
    });
    await assert.rejects(createRuntime({ debugger: debug.subarray(0, 1000) }), { code: 'E0601' });
  });
});

describe('an engine that lacks something', () => {
  it('is told that it has no SIMD', async () => {
    const { validate } = WebAssembly;
    try {
      WebAssembly.validate = () => false;
      await assert.rejects(createRuntime(), { code: 'E0602', message: /WebAssembly SIMD/ });
    } finally {
      WebAssembly.validate = validate;
    }
  });

  it('is told to wait for a compiler that a call cannot fetch', async () => {
    const runtime = await createRuntime({ compiler: 'http://127.0.0.1:1/tern-compiler.wasm' });
    refuses(() => runtime.assemble(kProgram), /E0608/, /prepareCompiler\(\)/);
    assert.equal(runtime.print(7), '7');
    runtime.dispose();
  });
});

describe('a compiler that does not fit', () => {
  const start = async (compiler) => {
    const runtime = await createRuntime({ wasm: bytesOf(kBase), compiler });
    refuses(() => runtime.assemble(kProgram), /E060[13]/, /./);
    assert.equal(runtime.print(7), '7');
    await runtime.prepareCompiler().finally(() => runtime.dispose());
  };
  const rejects = (promise, code, words) =>
    assert.rejects(promise, (error) => code.test(error.code) && words.test(error.message));

  it('is refused when it is of another build', async () => {
    await rejects(start(withOtherMark(bytesOf('tern-compiler'))), /E0603/, /does not belong/);
    await rejects(start(bytesOf('tern-debug')), /E0603/, /does not belong/);
    await rejects(start(bytesOf('tern-loops')), /E0603/, /belong/);
  });

  it('is refused when it is no WebAssembly, or broken', async () => {
    await rejects(start(new TextEncoder().encode('<!doctype html>')), /E0601/, /HTML/);
    await rejects(start(new Uint8Array()), /E0601/, /not WebAssembly/);
    const broken = bytesOf('tern-compiler').subarray(0, 1000);
    await rejects(start(broken), /E0601/, /damaged/);
    await rejects(start(gzipSync(broken).subarray(0, 500)), /E060[13]/, /damaged|unexpected|early/);
    await assert.rejects(start(kNowhere));
  });

  it('is refused in a call too, and the runtime goes on', async () => {
    const runtime = await createRuntime({ compiler: kNowhere });
    for (let i = 0; i < 2; ++i) {
      refuses(() => runtime.assemble(kProgram), /E0601/, /./);
      await assert.rejects(runtime.prepareCompiler());
    }
    assert.equal(runtime.print(7), '7');
    runtime.dispose();
    refuses(() => runtime.assemble(kProgram), /E0702/, /disposed/);
  });
});

describe('the parts', () => {
  const kLater = ['operators', 'compiler', 'debug'];
  const ofApi = (name) => [...exportsOf(name)].filter((each) => each.startsWith('tern_')).sort();

  it('share no export of the C API, and have all between them', () => {
    const later = kLater.flatMap((part) => ofApi(`tern-${part}`));
    for (const part of kLater)
      assert.deepEqual(ofApi(`tern-${part}`), linesOf(`exports-${part}`).sort());
    for (const base of kRuntimes) {
      const first = exportsOf(base);
      for (const name of linesOf('exports')) assert.ok(first.has(name), `${base}: ${name}`);
      for (const name of later) assert.ok(!first.has(name), `${base}: ${name}`);
    }
  });

  it('fit together: all that one imports, those before it export', () => {
    for (const base of kRuntimes) {
      const there = exportsOf(base);
      for (const part of kLater.map((each) => `tern-${each}`)) {
        const imports = WebAssembly.Module.imports(new WebAssembly.Module(bytesOf(part)));
        assert.ok(imports.length > 100, `${part} shares ${imports.length}`);
        for (const { module, name } of imports) {
          assert.equal(module, 'p');
          assert.ok(there.has(name), `${base}, ${part}: ${name}`);
        }
        for (const name of exportsOf(part)) {
          assert.ok(!there.has(name), `${part}: ${name}`);
          there.add(name);
        }
      }
    }
  });
});
