// SPDX-License-Identifier: Apache-2.0
// The package in the browser, beside the page: loop kernels on every backend, and the language.
import { expect, test, type Page } from '@playwright/test';

import { chainModel } from '../support/onnx.js';

type Package = typeof import('../../../wasm/package/src/index.js');
interface Output {
  output0: { data: Float32Array };
}

const kKernel = `te fused<n, m>(x: float32[n, m], b: float32[m]) -> (y: float32[n, m]) {
  compute y[i, j] = max(x[i, j] + b[j], float32(0)) * float32(0.5)
  schedule {
    vectorize(y, j)
  }
}
`;
const kProgram = `
.kernel "fused" "loop" text ${JSON.stringify(kKernel)}
.func @main(x: f32[n, m], b: f32[m]) -> f32[n, m]
  invoke @fused in: %0, %1 dst: %2
  ret   ret %2
.func @fused(x: f32[n, m], b: f32[m]) -> f32[n, m]
  call  add  in: %0, %1 dst: %2
  call  relu in: %2 dst: %2
  call  mul  in: %2, f32[] [0.5] dst: %2
  ret   ret %2
`;

// Under the page's own policy: scripts of its origin, and WebAssembly.
test.beforeEach(async ({ page }) => {
  await page.goto(process.env['TERN_PAGE']!);
});

const packageUrl = (page: Page): string => new URL('../package/index.js', page.url()).href;

test('gives equal results by operators, interpreted and emitted', async ({ page }) => {
  const found = await page.evaluate(
    async ([url, text]) => {
      const { createRuntime } = (await import(url!)) as Package;
      const runtime = await createRuntime();
      const program = runtime.load(runtime.assemble(text!));
      const x = Float32Array.from({ length: 3 * 13 }, (_, i) => ((i * 7) % 11) - 5);
      const b = Float32Array.from({ length: 13 }, (_, i) => i / 4 - 1);
      const args = [
        { dtype: 'f32', shape: [3, 13], data: x },
        { dtype: 'f32', shape: [13], data: b },
      ];
      const rows: { backend: string; data: number[] }[] = [];
      for (const policy of ['operators', 'interpreter', 'compiled', 'auto'] as const) {
        const [kernel] = await runtime.prepareKernels(program, { policy });
        const { output0 } = program.run('main', args) as unknown as Output;
        rows.push({ backend: kernel!.backend, data: [...output0.data] });
      }
      const before = runtime.memory().kernels;
      program.dispose();
      return { rows, before, after: runtime.memory().kernels };
    },
    [packageUrl(page), kProgram],
  );
  const backends = found.rows.map(({ backend }) => backend);
  expect(backends).toEqual(['operators', 'interpreter', 'compiled', 'compiled']);
  for (const { data } of found.rows) expect(data).toEqual(found.rows[0]!.data);
  expect(found.rows[0]!.data[12]).toBe(2);
  expect([found.before, found.after]).toEqual([1, 0]);
});

// Chromium has an instruction for these sums where the processor does; Node's tests have others.
test('sums up 8-bit products without loss', { tag: '@browsers' }, async ({ page }) => {
  const text = `
.func @main(x: u8[5, 6, 6, 13], w: i8[20, 13, 1, 1], b: i32[20], s: f32[20]) -> u8[n]
  call conv2d_quantized{layout=nhwc x_zero=101 zero=120} in: %0, %1, %2, %3 dst: %4
  call reshape{shape=-1} in: %4 dst: %4
  ret ret %4
`;
  const [got, expected] = await page.evaluate(
    async ([url, program]) => {
      const { createRuntime } = (await import(url!)) as Package;
      const runtime = await createRuntime();
      const [pixels, from, to] = [5 * 6 * 6, 13, 20];
      const x = Uint8Array.from({ length: pixels * from }, (_, i) => (i % 3 ? 255 : i * 31));
      const extremes = [127, -128, 127, 127];
      const w = Int8Array.from({ length: to * from }, (_, i) => extremes[i % 5] ?? i * 37);
      const bias = Int32Array.from({ length: to }, (_, i) => i * 100 - 900);
      const { output0 } = runtime.load(runtime.assemble(program!)).run('main', [
        { dtype: 'u8', shape: [5, 6, 6, from], data: x },
        { dtype: 'i8', shape: [to, from, 1, 1], data: w },
        { dtype: 'i32', shape: [to], data: bias },
        { dtype: 'f32', shape: [to], data: new Float32Array(to).fill(2 ** -11) },
      ]) as unknown as { output0: { data: Uint8Array } };
      const sums = Array.from({ length: pixels * to }, (_, i) => {
        const [pixel, channel] = [Math.floor(i / to), i % to];
        let sum = bias[channel]!;
        for (let k = 0; k < from; k++) sum += (x[pixel * from + k]! - 101) * w[channel * from + k]!;
        const [low, rest] = [Math.floor(sum / 2048), sum / 2048 - Math.floor(sum / 2048)];
        const rounded = rest < 0.5 || (rest === 0.5 && low % 2 === 0) ? low : low + 1;
        return Math.min(255, Math.max(0, rounded + 120));
      });
      return [[...output0.data], sums];
    },
    [packageUrl(page), text],
  );
  expect(new Set(expected).size).toBeGreaterThan(50);
  expect(got).toEqual(expected);
});

test('fetches the loop compiler only for programs with kernels', async ({ page }) => {
  const fetched: string[] = [];
  page.on('request', (request) => fetched.push(request.url().split('/').pop()!));
  const prepare = (text: string): Promise<number> =>
    page.evaluate(
      async ([url, program]) => {
        const { createRuntime } = (await import(url!)) as Package;
        const runtime = await createRuntime();
        return (await runtime.prepareKernels(runtime.load(runtime.assemble(program!)))).length;
      },
      [packageUrl(page), text],
    );
  expect(await prepare('.func @main(x: int)\n  ret ret %0\n')).toBe(0);
  expect(fetched).not.toContain('tern-loops.wasm.gz');
  expect(await prepare(kProgram)).toBe(1);
  expect(fetched).toContain('tern-loops.wasm.gz');
});

const kCompiling = ['tern-compiler.wasm.gz', 'tern-operators.wasm.gz', 'tern.wasm'];

test('fetches the compiler only for what must be compiled', async ({ page }) => {
  const fetched: string[] = [];
  page.on('request', (request) => fetched.push(request.url().split('/').pop()!));
  const modules = (): string[] => fetched.filter((name) => /\.wasm(\.gz)?$/.test(name)).sort();
  const model = [...chainModel(['Neg', 'Relu'])];
  const executable = await page.evaluate(
    async ([url, bytes]) => {
      const { createRuntime } = (await import(url as string)) as Package;
      const runtime = await createRuntime({ compiler: true });
      return [...runtime.compile(Uint8Array.from(bytes as number[])).bytes];
    },
    [packageUrl(page), model] as const,
  );
  const run = (bytes: readonly number[], prepare = false): Promise<number[]> =>
    page.evaluate(
      async ([url, content, first]) => {
        const { createRuntime } = (await import(url as string)) as Package;
        const runtime = await createRuntime();
        if (first) await runtime.prepareCompiler();
        const program = runtime.load(Uint8Array.from(content as number[]));
        const x = { dtype: 'f32', shape: [4], data: Float32Array.of(-1, 2, -3, 4) };
        const { y } = program.run('main', [x]) as unknown as { y: { data: Float32Array } };
        return [...y.data];
      },
      [packageUrl(page), bytes, prepare] as const,
    );
  fetched.length = 0;
  expect(await run(executable)).toEqual([1, 0, 3, 0]);
  expect(modules()).toEqual(['tern.wasm']);
  fetched.length = 0;
  expect(await run(model, true)).toEqual([1, 0, 3, 0]);
  expect(modules()).toEqual(kCompiling);
  // A call that does not wait fetches it too.
  fetched.length = 0;
  expect(await run(model)).toEqual([1, 0, 3, 0]);
  expect(modules()).toEqual(kCompiling);
});

test('fetches further operators for a program that has one', async ({ page }) => {
  const fetched: string[] = [];
  page.on('request', (request) => fetched.push(request.url().split('/').pop()!));
  const programs = await page.evaluate(
    async ([url]) => {
      const { createRuntime } = (await import(url!)) as Package;
      const runtime = await createRuntime({ compiler: true });
      const assemble = (call: string): number[] => [
        ...runtime.assemble(
          `.func @main(x: f32[4])\n  call ${call} in: %0 dst: %1\n  ret ret %1\n`,
        ),
      ];
      return { common: assemble('neg'), further: assemble('topk{k=2}') };
    },
    [packageUrl(page)] as const,
  );
  const run = (bytes: readonly number[], waits: boolean): Promise<number[]> =>
    page.evaluate(
      async ([url, content, given]) => {
        const { createRuntime } = (await import(url as string)) as Package;
        const runtime = await createRuntime();
        const executable = Uint8Array.from(content as number[]);
        const program = given
          ? await runtime.load(new Response(executable))
          : runtime.load(executable);
        const x = { dtype: 'f32', shape: [4], data: Float32Array.of(-1, 2, -3, 4) };
        const { output0 } = program.run('main', [x]) as unknown as Output;
        return [...output0.data];
      },
      [packageUrl(page), bytes, waits] as const,
    );
  for (const waits of [true, false]) {
    fetched.length = 0;
    expect(await run(programs.common, waits)).toEqual([1, -2, 3, -4]);
    expect(fetched).not.toContain('tern-operators.wasm.gz');
    expect(await run(programs.further, waits)).toEqual([4, 2]);
    expect(fetched).toContain('tern-operators.wasm.gz');
  }
});

test('runs by operators where the loop compiler is not to be had', async ({ page }) => {
  const gone = { status: 404, body: 'gone' };
  await page.route('**/tern-loops.wasm.gz', (route) => route.fulfill(gone));
  const found = await page.evaluate(
    async ([url, text]) => {
      const { createRuntime } = (await import(url!)) as Package;
      const runtime = await createRuntime({ loops: true });
      const program = runtime.load(runtime.assemble(text!));
      const row = { dtype: 'f32', shape: [1], data: new Float32Array([3]) };
      const args = [{ ...row, shape: [1, 1] }, row];
      const { output0 } = program.run('main', args) as unknown as Output;
      return { kernel: program.kernels()[0]!, value: output0.data[0] };
    },
    [packageUrl(page), kProgram],
  );
  expect(found.value).toBe(3);
  expect(found.kernel.backend).toBe('operators');
  expect(found.kernel.why).toContain('there is no loop compiler');
  expect(found.kernel.why).toContain('404');
});

test('compiles, checks and answers about the language', async ({ page }) => {
  const found = await page.evaluate(
    async ([url]) => {
      const { createRuntime } = (await import(url!)) as Package;
      const runtime = await createRuntime({ language: true });
      const text = 'fn twice(x: int) -> int { x + x }\nfn main(x: int) -> int { twice(x) }\n';
      const program = runtime.load(runtime.compileSource(text).bytes);
      const wrong = runtime.checkSource('fn main() -> int { "€" }\n');
      return {
        result: program.run('main', [21])['output0'],
        wrong: wrong.map(({ severity, span }) => [severity, span?.line]),
        layout: runtime.formatSource('fn main( ){1}'),
        hover: runtime.querySource(text, 'hover', text.lastIndexOf('twice'))?.text,
        labels: runtime.querySource(text, 'complete', text.lastIndexOf('ice')).map((c) => c.label),
      };
    },
    [packageUrl(page)],
  );
  expect(found.result).toBe(42);
  expect(found.wrong).toEqual([['error', 1]]);
  expect(found.layout).toBe('fn main() { 1 }\n');
  expect(found.hover).toContain('twice: ');
  expect(found.labels).toContain('twice');
});

test('E20 finds the fastest schedule in the page', async ({ page }) => {
  const found = await page.evaluate(async (url) => {
    const { tuneLoops } = (await import(url)) as Package;
    const source =
      'te dot<n>(A: float32[n], B: float32[n]) -> (C: float32[]) {' +
      ' compute C[] = sum(k < n, A[k] * B[k]) }';
    const told: string[] = [];
    const first = await tuneLoops(source, {
      trials: 6,
      onProgress: ({ choice }) => told.push(choice),
    });
    const control = new AbortController();
    const aborted = await tuneLoops(source, {
      signal: control.signal,
      onProgress: () => control.abort(new Error('enough')),
    }).catch(String);
    const wrong = await tuneLoops('te dot<').catch((error: { code: string }) => error.code);
    const again = await tuneLoops(source, { trials: 6, log: first.log });
    return { first, told, aborted, wrong, resumed: again.resumed };
  }, packageUrl(page));
  expect(found.told.slice(0, 2)).toEqual(['as written', 'vectors=fixed']);
  expect(found.first.candidates.length).toBe(6);
  for (const { error, cost } of found.first.candidates) {
    expect(error).toBeUndefined();
    expect(cost).toBeGreaterThan(0);
  }
  expect(found.first.ratio).toBeLessThanOrEqual(1);
  expect(found.first.text).toContain('te dot<n>(');
  expect(found.aborted).toBe('Error: enough');
  expect(found.wrong).toBe('E0510');
  expect(found.resumed).toBe(6);
});

test.describe('beside the page', () => {
  test.use({ bypassCSP: true }); // which allows no worker that the test makes up

  test('E20 finds it in a worker', async ({ page }) => {
    const script = `import { tuneLoops } from ${JSON.stringify(packageUrl(page))};
      onmessage = async ({ data: { source, options } }) => {
        const onProgress = ({ choice }) => postMessage({ choice });
        postMessage({ result: await tuneLoops(source, { ...options, onProgress }) });
      };`;
    const found = await page.evaluate(
      ([code, source]) =>
        new Promise<{ told: string[]; text: string; frames: number }>((done, fail) => {
          const url = URL.createObjectURL(new Blob([code!], { type: 'text/javascript' }));
          const worker = new Worker(url, { type: 'module' });
          const told: string[] = [];
          let [frames, over] = [0, false];
          const count = (): void => {
            ++frames;
            if (!over) setTimeout(count, 10);
          };
          count();
          worker.onerror = (event) => fail(new Error(event.message));
          worker.onmessage = ({ data }) => {
            if (!data.result) return void told.push(data.choice);
            over = true;
            worker.terminate();
            done({ told, text: data.result.text, frames });
          };
          worker.postMessage({ source, options: { trials: 4 } });
        }),
      [script, 'te twice<n>(A: int32[n]) -> (C: int32[n]) { compute C[i] = A[i] + A[i] }'],
    );
    expect(found.told.length).toBe(4);
    expect(found.text).toContain('te twice<n>(');
    expect(found.frames).toBeGreaterThan(10);
  });
});
