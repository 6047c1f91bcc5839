// SPDX-License-Identifier: Apache-2.0
// The page's end of the worker that reads programs, with a worker that is none.
import { describe, expect, it } from 'vitest';
import { EngineError } from '../../../web/src/engine/client.js';
import { LanguageClient } from '../../../web/src/engine/language-client.js';
import type { LanguageReply, LanguageRequest } from '../../../web/src/engine/language-protocol.js';
import { failure } from '../support/fake-worker.js';

class SilentWorker {
  onmessage: ((event: { data: LanguageReply }) => void) | undefined;
  onerror: ((event: { message: string; preventDefault(): void }) => void) | undefined;
  terminated = false;
  readonly seen: LanguageRequest[] = [];

  postMessage(request: LanguageRequest): void {
    this.seen.push(request);
  }

  terminate(): void {
    this.terminated = true;
  }

  answer(at: number, text: string): void {
    this.onmessage?.({ data: { id: this.seen[at]!.id, ok: true, answer: text } });
  }
}

function made() {
  const workers: SilentWorker[] = [];
  const client = new LanguageClient(() => {
    workers.push(new SilentWorker());
    return workers.at(-1) as unknown as Worker;
  });
  return { client, workers };
}

const format = (text: string) =>
  ({ kind: 'format', source: { kind: 'language', name: 'a.tn', text } }) as const;

describe('the client', () => {
  it('starts its worker with the first request, and only one', async () => {
    const { client, workers } = made();
    expect(workers.length).toBe(0);
    const both = Promise.all([client.request(format('a')), client.request(format('b'))]);
    workers[0]!.answer(1, 'B');
    workers[0]!.answer(0, 'A');
    expect(await both).toEqual(['A', 'B']);
    expect(workers.length).toBe(1);
  });
  it('drops what has been asked anew, also where it failed', async () => {
    const { client, workers } = made();
    const asked = ['a', 'b', 'c'].map((text) => client.latest(format(text)));
    workers[0]!.answer(0, 'A');
    workers[0]!.onmessage?.({
      data: { id: workers[0]!.seen[1]!.id, ok: false, failure: failure('E1002') },
    });
    workers[0]!.answer(2, 'C');
    expect(await Promise.all(asked)).toEqual([undefined, undefined, 'C']);
  });
  it('takes a fresh worker after one that failed', async () => {
    const { client, workers } = made();
    const lost = [client.request(format('a')), client.request(format('b'))];
    const ends = Promise.allSettled(lost);
    workers[0]!.onmessage?.({
      data: { id: workers[0]!.seen[0]!.id, ok: false, failure: failure('E0901', { fatal: true }) },
    });
    expect((await ends).map((end) => end.status === 'rejected' && end.reason.failure.code))
      .toEqual(['E0901', 'E0605']);
    expect(workers[0]!.terminated).toBe(true);
    const next = client.request(format('c'));
    workers[1]!.answer(0, 'C');
    expect(await next).toBe('C');
  });
  it('tells of a worker that does not start', async () => {
    const { client, workers } = made();
    const lost = client.request(format('a'));
    workers[0]!.onerror?.({ message: 'no such file', preventDefault: () => {} });
    await expect(lost).rejects.toThrow(EngineError);
    await expect(lost).rejects.toThrow(/no such file/);
  });
});
