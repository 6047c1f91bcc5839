// SPDX-License-Identifier: Apache-2.0
// The page's end of the loop compiler's worker: answers, failures, a worker that dies.
import { describe, expect, it } from 'vitest';
import { LoopsClient } from '../../../web/src/engine/loops-client.js';
import type {
  LoopReply, LoopRequest, SentPicture,
} from '../../../web/src/engine/loops-protocol.js';

const kView = {
  name: 'p.tloop', text: '', n: 1, vscale: 1, strategy: 'fixed', code: '', first: 0, count: 0,
};

class ScriptedWorker {
  static made: ScriptedWorker[] = [];
  onmessage: ((event: { data: LoopReply }) => void) | undefined;
  onerror: ((event: { message: string; preventDefault: () => void }) => void) | undefined;
  asked: LoopRequest[] = [];
  ended = false;

  constructor() {
    ScriptedWorker.made.push(this);
  }
  postMessage(request: LoopRequest): void {
    this.asked.push(request);
  }
  terminate(): void {
    this.ended = true;
  }
  answer(milliseconds: number, at = 0, more: Partial<SentPicture> = {}): void {
    const picture = { lanes: [], ...more };
    const answer = { kind: 'shown', picture, milliseconds } as const;
    this.onmessage!({ data: { id: this.asked[at]!.id, ok: true, answer } });
  }
  fail(code: string, fatal: boolean, at = 0): void {
    const failure = { code, message: code, text: code, diagnostics: [], fatal };
    this.onmessage!({ data: { id: this.asked[at]!.id, ok: false, failure } });
  }
}

function start(): LoopsClient {
  ScriptedWorker.made = [];
  return new LoopsClient(() => new ScriptedWorker() as unknown as Worker);
}

describe('the loop compiler\'s client', () => {
  it('starts its worker with the first request, and one only', async () => {
    const client = start();
    expect(ScriptedWorker.made).toHaveLength(0);
    const [first, second] = [client.show(kView), client.show(kView)];
    const [worker] = ScriptedWorker.made;
    worker!.answer(2, 1);
    worker!.answer(1, 0);
    expect((await first).milliseconds).toBe(1);
    expect((await second).milliseconds).toBe(2);
    expect(ScriptedWorker.made).toHaveLength(1);
  });

  it('keeps the parts of a picture that an answer leaves out', async () => {
    const client = start();
    const asked = [client.show(kView), client.show(kView), client.show(kView)];
    const [worker] = ScriptedWorker.made;
    const stages = [{ stage: 'te', strategy: 'fixed', text: 'for i' }] as const;
    worker!.answer(1, 0, { sweep: [], stages: [...stages], code: 'ir' });
    worker!.answer(2, 1);
    worker!.answer(3, 2, { code: '' });
    const [first, second, third] = (await Promise.all(asked)).map(({ picture }) => picture);
    expect(second).toEqual(first);
    // The same ones, so that nothing that shows them is drawn anew.
    expect(second!.stages).toBe(first!.stages);
    expect(third).toEqual({ lanes: [], sweep: [], stages, code: '' });
  });

  it('hands on what is wrong with a program, and goes on', async () => {
    const client = start();
    const asked = client.show(kView);
    ScriptedWorker.made[0]!.fail('E0501', false);
    await expect(asked).rejects.toMatchObject({ failure: { code: 'E0501' } });
    expect(ScriptedWorker.made[0]!.ended).toBe(false);
  });

  it('replaces a worker that failed, with all that it was asked', async () => {
    const client = start();
    const [first, second] = [client.show(kView), client.time(kView)];
    ScriptedWorker.made[0]!.fail('E0901', true);
    await expect(first).rejects.toMatchObject({ failure: { code: 'E0901' } });
    await expect(second).rejects.toMatchObject({ failure: { code: 'E0605' } });
    expect(ScriptedWorker.made[0]!.ended).toBe(true);
    const again = client.show(kView);
    ScriptedWorker.made[1]!.answer(3);
    expect((await again).milliseconds).toBe(3);
  });

  it('says that a worker could not be loaded', async () => {
    const client = start();
    const asked = client.show(kView);
    ScriptedWorker.made[0]!.onerror!({ message: '', preventDefault: () => {} });
    await expect(asked).rejects.toMatchObject({ failure: { code: 'E0605' } });
  });
});
