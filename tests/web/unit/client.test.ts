// SPDX-License-Identifier: Apache-2.0
// The page's end of the worker, with a worker that is none.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EngineClient, EngineError } from '../../../web/src/engine/client.js';
import { failure, FakeWorker } from '../support/fake-worker.js';

let client: EngineClient;
beforeEach(() => {
  FakeWorker.reset();
  client = new EngineClient(() => new FakeWorker() as unknown as Worker);
});
afterEach(() => {
  vi.useRealTimers();
});

async function codeOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return error instanceof EngineError ? error.failure.code : String(error);
}

describe('requests', () => {
  it('get the answer of their own id', async () => {
    const [started, done] = await Promise.all([
      client.request({ kind: 'start' }),
      client.request({ kind: 'reset' }),
    ]);
    expect(started.runtime.target).toBe('fake');
    expect(done.kind).toBe('done');
  });
  it('hand on progress before the answer', async () => {
    FakeWorker.deaf.add('run');
    const steps: number[] = [];
    const promise = client.request({ kind: 'run', back: false }, (progress) =>
      steps.push(progress.steps),
    );
    const worker = FakeWorker.all[0]!;
    const { id } = worker.seen[0] as { id: number };
    worker.onmessage!({ data: { id, progress: { steps: 7, milliseconds: 1 } } });
    worker.onmessage!({ data: { id, ok: true, answer: { kind: 'done' } } });
    await promise;
    expect(steps).toEqual([7]);
  });
});

describe('failures', () => {
  it('reject with what the engine said, and the worker stays', async () => {
    FakeWorker.failures.set('load', failure('E0105'));
    expect(await codeOf(client.request({ kind: 'load', name: 'x', bytes: new Uint8Array() }))).toBe(
      'E0105',
    );
    expect(FakeWorker.all).toHaveLength(1);
    await client.request({ kind: 'start' });
  });
  it('replace the worker when they are fatal, and end what else waits', async () => {
    const replaced = vi.fn();
    client.onReplaced = replaced;
    FakeWorker.deaf.add('run');
    FakeWorker.failures.set('call', failure('E0605', { fatal: true }));
    const run = client.request({ kind: 'run', back: false });
    const call = client.request({ kind: 'call', function: 'main', args: [] });
    expect(await codeOf(call)).toBe('E0605');
    expect(await codeOf(run)).toBe('E0605');
    expect(replaced).toHaveBeenCalledOnce();
    expect(FakeWorker.all.map((worker) => worker.terminated)).toEqual([true, false]);
    await client.request({ kind: 'start' });
  });
  it('replace a worker that does not hear a stop', async () => {
    vi.useFakeTimers();
    FakeWorker.deaf.add('run');
    const code = codeOf(client.request({ kind: 'run', back: false }));
    client.stop();
    await vi.advanceTimersByTimeAsync(500);
    expect(await code).toBe('E0605');
    expect(FakeWorker.all[0]!.terminated).toBe(true);
  });
  it('leave a worker alone whose answer the page was too busy to hear', async () => {
    vi.useFakeTimers();
    FakeWorker.deaf.add('run');
    const code = codeOf(client.request({ kind: 'run', back: false }));
    client.stop();
    // One turn, however late it comes, is no long silence.
    await vi.advanceTimersToNextTimerAsync();
    expect(FakeWorker.all[0]!.terminated).toBe(false);
    await vi.runAllTimersAsync();
    expect(await code).toBe('E0605');
  });
  it('leave a worker alone that did hear the stop', async () => {
    vi.useFakeTimers();
    const run = client.request({ kind: 'run', back: false });
    client.stop();
    await run;
    await vi.advanceTimersByTimeAsync(500);
    expect(FakeWorker.all).toHaveLength(1);
  });
  it('leave a worker alone that takes its time with what waited behind the run', async () => {
    vi.useFakeTimers();
    FakeWorker.deaf.add('view');
    const run = client.request({ kind: 'run', back: false });
    const view = client.request({ kind: 'view', query: { view: 'hits' } });
    client.stop();
    await run;
    await vi.advanceTimersByTimeAsync(3000);
    expect(FakeWorker.all).toHaveLength(1);
    const worker = FakeWorker.all[0]!;
    const { id } = worker.seen.find((each) => (each as { kind: string }).kind === 'view') as
      { id: number };
    worker.onmessage!({ data: { id, ok: true, answer: { kind: 'viewed', view: [] } } });
    await view;
  });
  it('wait longer for the answer of a worker that said it heard the stop', async () => {
    vi.useFakeTimers();
    FakeWorker.deaf.add('run');
    const run = client.request({ kind: 'run', back: false });
    const worker = FakeWorker.all[0]!;
    const { id } = worker.seen[0] as { id: number };
    client.stop();
    worker.onmessage!({ data: { id, progress: { steps: 7, milliseconds: 1 } } });
    await vi.advanceTimersByTimeAsync(3000);
    expect(worker.terminated).toBe(false);
    worker.onmessage!({ data: { id, ok: true, answer: { kind: 'done' } } });
    await run;
    expect(FakeWorker.all).toHaveLength(1);
  });
  it('replace one that said so and never answers', async () => {
    vi.useFakeTimers();
    FakeWorker.deaf.add('run');
    const code = codeOf(client.request({ kind: 'run', back: false }));
    const worker = FakeWorker.all[0]!;
    const { id } = worker.seen[0] as { id: number };
    client.stop();
    worker.onmessage!({ data: { id, progress: { steps: 7, milliseconds: 1 } } });
    await vi.advanceTimersByTimeAsync(6000);
    expect(await code).toBe('E0605');
  });
  it('do not take progress before a stop for having heard it', async () => {
    vi.useFakeTimers();
    FakeWorker.deaf.add('run');
    const code = codeOf(client.request({ kind: 'run', back: false }));
    const worker = FakeWorker.all[0]!;
    const { id } = worker.seen[0] as { id: number };
    worker.onmessage!({ data: { id, progress: { steps: 7, milliseconds: 1 } } });
    client.stop();
    await vi.advanceTimersByTimeAsync(500);
    expect(await code).toBe('E0605');
  });
  it('give up on a worker that never starts', async () => {
    for (let i = 0; i < 3; i++)
      FakeWorker.all.at(-1)!.onerror!({ message: '', preventDefault: () => {} });
    expect(FakeWorker.all).toHaveLength(3);
    expect(await codeOf(client.request({ kind: 'start' }))).toBe('E0605');
  });
  it('ignore replies to nobody', () => {
    expect(() =>
      FakeWorker.all[0]!.onmessage!({ data: { id: 99, ok: true, answer: { kind: 'done' } } }),
    ).not.toThrow();
  });
});
