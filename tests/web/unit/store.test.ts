// SPDX-License-Identifier: Apache-2.0
// The store and its actions over a worker that is none.
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { failure, FakeWorker } from '../support/fake-worker.js';

type Store = typeof import('../../../web/src/state/store.js');
type Files = typeof import('../../../web/src/state/files.js');
type Runs = typeof import('../../../web/src/state/runs.js');
let store: Store, files: Files, runs: Runs;
let report: () => Record<string, unknown>;

beforeAll(() => {
  vi.stubGlobal('Worker', FakeWorker);
  vi.stubGlobal('location', { search: '?test=1' });
});

beforeEach(async () => {
  vi.resetModules();
  FakeWorker.reset();
  store = await import('../../../web/src/state/store.js');
  files = await import('../../../web/src/state/files.js');
  runs = await import('../../../web/src/state/runs.js');
  const { sessionReport } = await import('../../../web/src/state/report.js');
  report = () => sessionReport(store.session.value);
  await store.start();
  await files.load('model.onnx', new Uint8Array([8, 7]));
});

const problems = (): string[] => store.session.value.problems.map((problem) => problem.code);

describe('loading', () => {
  it('chooses the first function and its inputs', () => {
    expect(report()).toMatchObject({
      state: 'idle',
      function: 'main',
      step: 0,
      pc: null,
      problems: [],
    });
    expect(store.session.value.inputs).toEqual({ x: { fill: 'random', seed: 1 } });
    expect(store.session.value.symbols).toEqual({ n: 1 });
  });
  it('makes a new snapshot for every change and never edits one', () => {
    const before = store.session.value;
    runs.setSymbol('n', 5.7);
    expect(before.symbols).toEqual({ n: 1 });
    expect(store.session.value.symbols).toEqual({ n: 5 });
    runs.setSymbol('n', Number.NaN);
    expect(store.session.value.symbols).toEqual({ n: 0 });
  });
  it('freezes times under ?test=1', () => {
    expect(store.session.value.program!.milliseconds).toBe(0);
  });
  it('keeps the program before when a file is refused, and the run that rests', async () => {
    await runs.step();
    FakeWorker.failures.set('load', failure('E0105'));
    await files.load('broken.tern', new Uint8Array(3));
    expect(report()).toMatchObject({ state: 'error', pc: 1, program: { name: 'model.onnx' } });
    expect(problems()).toEqual(['E0105']);
    expect(store.session.value.refused).toBe('broken.tern');
    await runs.step();
    expect(report()).toMatchObject({ state: 'paused', pc: 2, problems: [] });
    expect(store.session.value.refused).toBeUndefined();
  });
  it('is no longer said to be under way when the engine does not start', async () => {
    FakeWorker.failures.set('start', failure('E0601'));
    await store.start();
    expect(store.session.value.run).toBe('error');
    expect(problems()).toEqual(['E0601']);
    await store.start();
    expect(store.session.value.run).toBe('idle');
    expect(problems()).toEqual([]);
  });
});

describe('running', () => {
  it('steps, marks what changed, and returns', async () => {
    await runs.step();
    expect(report()).toMatchObject({ state: 'paused', step: 1, pc: 1, lastPc: 0 });
    expect((report()['registers'] as { changed: boolean }[])[0]!.changed).toBe(true);
    await runs.step(3);
    expect(report()).toMatchObject({
      state: 'stopped',
      stopReason: 'returned',
      outputs: { y: 4 },
      registers: [],
    });
  });
  it('stops at a breakpoint and goes on from there', async () => {
    runs.toggleBreakpoint(2);
    await runs.run();
    expect(report()).toMatchObject({
      state: 'paused',
      stopReason: 'breakpoint',
      pc: 2,
      breakpoints: [2],
    });
    runs.toggleBreakpoint(2);
    await runs.run();
    expect(report()).toMatchObject({ stopReason: 'returned', breakpoints: [] });
  });
  it('begins anew after it has returned, and after a reset', async () => {
    await runs.run();
    await runs.step();
    expect(report()).toMatchObject({ step: 1, outputs: null });
    await runs.reset();
    expect(report()).toMatchObject({ state: 'idle', step: 0, pc: null, stopReason: '' });
  });
  it('sends the arguments that were chosen', async () => {
    runs.setSymbol('n', 2);
    runs.setInput('x', { fill: 'ones' });
    await runs.step();
    const begin = FakeWorker.all[0]!.seen.find((message) => message.kind === 'begin');
    expect(begin).toMatchObject({ args: [{ dtype: 'f32', shape: [2, 3] }] });
  });
  it('leaves out what is asked while it runs', async () => {
    await Promise.all([runs.run(), runs.step(), runs.run()]);
    expect(FakeWorker.all[0]!.seen.filter((message) => message.kind === 'begin')).toHaveLength(1);
  });
  it('shows a register and follows it', async () => {
    await runs.step();
    runs.inspect(0);
    await store.idle();
    expect(store.session.value.inspected).toEqual({ index: 0, value: 1 });
    await runs.step();
    await store.idle();
    expect(store.session.value.inspected).toEqual({ index: 0, value: 2 });
  });
});

describe('the record of a run', () => {
  it('is walked in both directions, also after the return', async () => {
    await runs.run();
    expect(report()).toMatchObject({ state: 'stopped', step: 4, trace: { first: 0, end: 4 } });
    expect(store.session.value.before?.frames[0]?.pc).toBe(3);
    await runs.stepBack();
    expect(report()).toMatchObject({ state: 'paused', step: 3, pc: 3, lastPc: 2, outputs: null });
    await runs.seek(1);
    expect(report()).toMatchObject({ step: 1, pc: 1, lastPc: 0, trace: { first: 0, end: 4 } });
    await runs.step();
    expect(report()).toMatchObject({ step: 2, trace: { end: 4 } });
    await runs.run();
    expect(report()).toMatchObject({ stopReason: 'returned', outputs: { y: 4 } });
    expect(FakeWorker.all[0]!.seen.filter(({ kind }) => kind === 'begin')).toHaveLength(1);
  });
  it('follows a pointer that is dragged to where it is let go', async () => {
    await runs.run();
    await Promise.all([runs.seek(3), runs.seek(2), runs.seek(1), runs.seek(2)]);
    expect(report()).toMatchObject({ step: 2 });
    const asked = FakeWorker.all[0]!.seen.filter(({ kind }) => kind === 'seek').length;
    expect(asked).toBeLessThan(4);
    await runs.seek(-5);
    expect(report()).toMatchObject({ step: 0, pc: 0, lastPc: null });
  });
  it('does not go back where there is nothing', async () => {
    await runs.stepBack();
    await runs.seek(3);
    await runs.run(true);
    expect(report()).toMatchObject({ state: 'idle', step: 0, trace: null });
    await runs.step();
    await runs.stepBack();
    await runs.stepBack();
    expect(report()).toMatchObject({ state: 'paused', step: 0 });
  });
  it('is no longer gone on with when the inputs change', async () => {
    await runs.step(2);
    expect(report()).toMatchObject({ stale: false });
    runs.setInput('x', { fill: 'ones' });
    expect(report()).toMatchObject({ stale: true, step: 2 });
    await runs.stepBack();
    expect(report()).toMatchObject({ stale: true, step: 1 });
    await runs.step();
    expect(report()).toMatchObject({ stale: false, step: 1 });
    const begins = FakeWorker.all[0]!.seen.filter(({ kind }) => kind === 'begin');
    expect(begins).toHaveLength(2);
    runs.setSymbol('n', 3);
    expect(report()).toMatchObject({ stale: true });
  });
  it('asks for registers of the frame that is shown, until the next step', async () => {
    await runs.step();
    runs.inspect(0);
    runs.showFrame(1);
    expect(store.session.value).toMatchObject({ frame: 1, inspected: undefined });
    runs.inspect(0);
    await store.idle();
    const asked = FakeWorker.all[0]!.seen.filter(({ kind }) => kind === 'register');
    expect(asked.at(-1)).toMatchObject({ index: 0, frame: 1 });
    await runs.step();
    expect(store.session.value.frame).toBe(0);
  });
  it('goes on after a seek that failed', async () => {
    await runs.step();
    FakeWorker.failures.set('seek', failure('E0304'));
    await Promise.all([runs.seek(0), runs.seek(1)]);
    expect(problems()).toEqual(['E0304']);
    await runs.reset();
    await runs.step(2);
    await runs.seek(1);
    expect(report()).toMatchObject({ step: 1, problems: [] });
  });
});

describe('failing', () => {
  it('shows a trap with its code, and runs again', async () => {
    await runs.step();
    const state = { ...store.session.value.machine!, state: 'failed' as const };
    const trace = { first: 0, end: 1 };
    FakeWorker.failures.set('step', failure('E0301', { state, trace }));
    await runs.step();
    expect(report()).toMatchObject({ state: 'error', stopReason: 'trap(E0301)', pc: 1 });
    await runs.run();
    expect(report()).toMatchObject({ state: 'stopped', stopReason: 'returned', problems: [] });
  });
  it('reports an input that cannot be made without asking the engine', async () => {
    runs.setSymbol('n', 2 ** 30);
    await runs.run();
    expect(problems()).toEqual(['E0203']);
    expect(store.session.value.problems[0]!.text).toContain('help: make its dimensions smaller');
    expect(FakeWorker.all[0]!.seen.some((message) => message.kind === 'begin')).toBe(false);
  });
  it('loads the program again after the engine was lost, and goes on', async () => {
    FakeWorker.failures.set('run', failure('E0605', { fatal: true }));
    await runs.run();
    await store.idle();
    expect(problems()).toEqual(['E0605']);
    expect(FakeWorker.all).toHaveLength(2);
    expect(FakeWorker.all[1]!.seen[0]).toMatchObject({
      kind: 'load',
      bytes: new Uint8Array([1, 2, 3]),
    });
    await runs.run();
    expect(report()).toMatchObject({
      state: 'stopped',
      stopReason: 'returned',
      program: { name: 'model.onnx' },
    });
  });
  it('asks a new worker for the program before all that is pressed while it starts', async () => {
    // The smallest module.
    const module = new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0));
    store.arrival.module = Promise.resolve(module);
    FakeWorker.deaf.add('start');
    FakeWorker.all[0]!.onerror!({ message: 'unreachable', preventDefault: () => {} });
    // A press is another turn of the page.
    await new Promise((resolve) => setTimeout(resolve));
    await runs.run();
    expect(FakeWorker.all[1]!.seen.slice(0, 3).map(({ kind }) => kind))
      .toEqual(['start', 'load', 'begin']);
    expect(report()).toMatchObject({ state: 'stopped', stopReason: 'returned', problems: [] });
  });
  it('drops a program that kills the engine again', async () => {
    FakeWorker.failures.set('run', failure('E0605', { fatal: true }));
    FakeWorker.failures.set('load', failure('E0605', { fatal: true }));
    await runs.run();
    await store.idle();
    expect(report()).toMatchObject({ program: null });
  });
  it('refuses a .npy file that is none, and keeps the input', async () => {
    await store.guarded(() => files.setInputFile('x', new File(['<html>'], 'x.npy')));
    expect(problems()).toEqual(['E0502']);
    expect(store.session.value.inputs['x']!.fill).toBe('random');
  });
  it('dismisses problems', async () => {
    FakeWorker.failures.set('load', failure('E0604'));
    await files.load('page.html', new Uint8Array(1));
    store.dismissProblems();
    expect(report()).toMatchObject({ state: 'idle', problems: [] });
  });
});
