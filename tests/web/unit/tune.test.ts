// SPDX-License-Identifier: Apache-2.0
// E20: the search for schedules in JavaScript, by the clock of this engine, kept small. On the side
// module that `tools/build.sh wasm` has built.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  createLoopCompiler,
  type LoopCompiler,
  type TuneCandidate,
  tuneLoops,
  type TuneOptions,
  type TuneResult,
  TernError,
} from '../../../wasm/package/src/index.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const wasm = new Uint8Array(readFileSync(`${root}/build/wasm/wasm/tern-loops.wasm`));
let compiler: LoopCompiler;
beforeAll(async () => {
  compiler = await createLoopCompiler({ wasm });
});

const kAdd =
  'te add<n>(A: float32[n], B: float32[n]) -> (C: float32[n]) { compute C[i] = A[i] + B[i] }';
const kTwo = `${kAdd}\n${kAdd.replace('te add', 'te other')}`;
// Vectors change the order of this sum, and nothing else.
const kDot = `te dot<n>(A: float32[n], B: float32[n]) -> (C: float32[]) {
  compute C[] = sum(k < n, A[k] * B[k])
}`;

interface Search {
  candidates: TuneCandidate[];
  result: TuneResult;
}

async function search(source: string, options: TuneOptions = {}): Promise<Search> {
  const steps = compiler.tune(source, { sizes: { n: 64 }, trials: 3, ...options });
  const candidates: TuneCandidate[] = [];
  for (;;) {
    const { done, value } = await steps.next();
    if (done) return { candidates, result: value };
    candidates.push(value);
  }
}

async function errorOf(source: string, options: TuneOptions = {}): Promise<TernError> {
  const error: unknown = await search(source, options).catch((e: unknown) => e);
  expect(error).toBeInstanceOf(TernError);
  return error as TernError;
}

describe('the search for schedules', () => {
  it('E20 measures the program as written, without vectors and with fixed ones', async () => {
    const { candidates, result } = await search(kAdd);
    const choices = candidates.map(({ choice }) => choice);
    expect(choices.slice(0, 2)).toEqual(['as written', 'vectors=fixed']);
    for (const { cost, default: beside, unit, error, known } of candidates) {
      expect(error).toBeUndefined();
      expect(cost).toBeGreaterThan(0);
      expect(beside).toBeGreaterThan(0);
      expect([unit, known]).toEqual(['ns', false]);
    }
    expect(result.candidates).toEqual(candidates);
    expect(result.function).toBe('add');
    expect(result.sizes).toEqual({ n: 64 });
    expect(result.resumed).toBe(0);
    expect(result.complete).toBe(true);
  });

  it('E20 gives a program that is never slower, and that compiles', async () => {
    const { result } = await search(kDot, { sizes: { n: 4096 }, trials: 6 });
    expect(result.ratio).toBeLessThanOrEqual(1);
    expect(result.text.startsWith('te dot<n>(')).toBe(true);
    if (result.choice !== 'as written') expect(result.text).toContain(result.schedule);
    expect(compiler.stages(result.text).length).toBe(1);
    expect(result.candidates.filter(({ error }) => error !== undefined)).toEqual([]);
  });

  it('E20 finishes the baseline, however short its time is', async () => {
    const { candidates, result } = await search(kAdd, { budgetMs: 1e-9, trials: 64 });
    expect(candidates.map(({ choice }) => choice)).toEqual(['as written', 'vectors=fixed']);
    expect(result.complete).toBe(false);
  });

  it('E20 goes on from its log, of which a line was cut off', async () => {
    const first = await search(kAdd, { trials: 4 });
    const { log } = first.result;
    expect(log).toBe(first.candidates.map(({ line }) => line).join(''));
    const entry = JSON.parse(log.split('\n')[0]!) as Record<string, unknown>;
    expect(Object.keys(entry)).toEqual([
      'function', 'target', 'program', 'choice', 'schedule', 'cost', 'default', 'unit',
    ]);
    expect(entry['target']).toBe('wasm32');
    const again = await search(kAdd, { trials: 4, log: log.slice(0, -9) });
    expect(again.candidates.map(({ known }) => known)).toEqual([true, true, true, false]);
    expect(again.result.resumed).toBe(3);
    expect(again.result.log.split('\n').length).toBe(5);
    const whole = await search(kAdd, { trials: 4, log });
    expect(whole.result.log).toBe(log);
  });

  it('E20 passes over logs of other programs and sizes', async () => {
    const { log } = (await search(kDot)).result;
    for (const [source, sizes] of [[kAdd, { n: 64 }], [kDot, { n: 65 }]] as const) {
      const { result } = await search(source, { log, sizes });
      expect(result.resumed).toBe(0);
      expect(result.log.startsWith(log)).toBe(true);
    }
  });

  it('E20 is not led by a log that lies', async () => {
    const { log } = (await search(kAdd, { trials: 64 })).result;
    const lines = log.split('\n').filter((line) => line !== '');
    const fast = lines.map((line, i) => {
      const { error, ...entry } = JSON.parse(line) as { error?: string };
      return `${JSON.stringify({ ...entry, cost: i === 1 ? 1e-6 : 1, default: 1, unit: 'ns' })}\n`;
    });
    const { result } = await search(kAdd, { trials: 64, log: fast.join('') });
    expect(result.ratio).toBeGreaterThan(1e-3);
    expect(result.ratio).toBeLessThanOrEqual(1);
  });

  it('E20 measures buffers that are read and written from their beginning each time', async () => {
    const source = `primfn grow<n>(A: inout float32[n], s: float32) {
  for (i, 0, n) { A[i] = A[i] * 1.0e9 + s }
}`;
    const { candidates } = await search(source, { trials: 4 });
    expect(candidates.filter(({ error }) => error !== undefined)).toEqual([]);
  });

  it('E20 passes over schedules that cannot be', async () => {
    const source = `primfn scan<n>(A: inout float32[n]) {
  for (i, 1, n - 1) { A[i] = A[i - 1] + 1.0 }
}`;
    const { candidates, result } = await search(source, { trials: 8 });
    const refused = candidates.filter(({ error }) => error !== undefined);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]!.error).toContain("the loop over 'i'");
    expect(result.choice).toBe('as written');
    expect(result.ratio).toBe(1);
  });

  it('tells of each candidate as a promise, with a module of its own', async () => {
    const told: string[] = [];
    const onProgress = ({ choice }: TuneCandidate): void => void told.push(choice);
    const result = await tuneLoops(kAdd, { wasm, trials: 3, sizes: { n: 8 }, onProgress });
    expect(told).toEqual(result.candidates.map(({ choice }) => choice));
  });
});

describe('the search refuses', () => {
  it('programs that are wrong', async () => {
    expect((await errorOf('te add<')).code).toBe('E0510');
    expect((await errorOf('')).code).toBe('E0528');
    expect((await errorOf(kTwo)).message).toContain('name one of add, other');
    expect((await errorOf(kTwo, { function: 'third' })).message).toContain("'third'");
  });

  it('programs that leave their buffers, do not end or have no room', async () => {
    const beyond = 'primfn f<n>(A: out float32[n]) { for (i, 0, n) { A[i + 1] = 1.0 } }';
    expect((await errorOf(beyond)).code).toBe('E0515');
    expect((await errorOf(kAdd, { maxSteps: 10 })).message).toMatch(/steps|operations/);
    expect((await errorOf(kAdd, { sizes: { n: 1e12 } })).message).toContain('give smaller sizes');
  });

  it('options that are wrong', async () => {
    const wrong: [TuneOptions, RegExp][] = [
      [{ target: 'aarch64' as 'wasm32' }, /only for wasm32/],
      [{ trials: 2 }, /trials is 2/],
      [{ trials: 3.5 }, /trials is 3.5/],
      [{ seed: -1 }, /seed is -1/],
      [{ budgetMs: 0 }, /budgetMs is 0/],
      [{ budgetMs: Number.NaN }, /budgetMs is NaN/],
      [{ maxSteps: -1 }, /maxSteps is -1/],
    ];
    for (const [options, words] of wrong) {
      const { code, message } = await errorOf(kAdd, options);
      expect(code).toBe('E0003');
      expect(message).toMatch(words);
    }
    for (const sizes of [{ m: 4 }, { n: -1 }, { n: 1.5 }, { n: Infinity }])
      expect((await errorOf(kAdd, { sizes })).code).toBe('E0005');
  });

  it('lines of a log that cannot be read', async () => {
    const { log } = (await search(kAdd)).result;
    for (const bad of ['nonsense\n', '{}\n', `${log}{"function": 3}\n`, '[1, 2\n']) {
      const { code, diagnostic } = await errorOf(kAdd, { log: bad });
      expect(code).toBe('E0529');
      expect(diagnostic.span?.line).toBe(bad.split('\n').length - 1);
    }
  });

  it('to go on after an abort, and keeps what was told', async () => {
    const aborted = AbortSignal.abort(new Error('at once'));
    await expect(search(kAdd, { signal: aborted })).rejects.toThrow('at once');
    const control = new AbortController();
    let log = '';
    const onProgress = ({ line }: TuneCandidate): void => {
      log += line;
      if (log.split('\n').length === 4) control.abort(new Error('enough'));
    };
    const tuning = tuneLoops(kAdd, { wasm, sizes: { n: 64 }, signal: control.signal, onProgress });
    await expect(tuning).rejects.toThrow('enough');
    const { result } = await search(kAdd, { trials: 4, log });
    expect(result.resumed).toBe(3);
  });

  it('nothing that comes after it: a loop over it may be left', async () => {
    const before = compiler.byteLength;
    for (let i = 0; i < 8; ++i) {
      for await (const { choice } of compiler.tune(kAdd, { sizes: { n: 1 << 18 }, trials: 3 })) {
        expect(choice).toBe('as written');
        break;
      }
    }
    expect(compiler.byteLength - before).toBeLessThan(8 << 20);
  });
});
