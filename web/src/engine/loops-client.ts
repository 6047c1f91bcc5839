// SPDX-License-Identifier: Apache-2.0
// The page's end of the loop compiler's worker. The worker is started by the first request, and
// anew after a fatal failure.
import './trusted-types.js';
import { EngineError, restartFailure } from './client.js';
import type {
  LoopAnswer, LoopPicture, LoopReply, LoopRequestBody, LoopTiming, LoopView,
} from './loops-protocol.js';

interface Waiting {
  resolve: (answer: LoopAnswer) => void;
  reject: (error: Error) => void;
}

const spawnWorker = (): Worker =>
  new Worker(new URL('./loops-worker.ts', import.meta.url), { type: 'module', name: 'tern-loops' });

export class LoopsClient {
  private worker: Worker | undefined;
  private readonly waiting = new Map<number, Waiting>();
  private nextId = 1;

  constructor(private readonly spawn: () => Worker = spawnWorker) {}

  async show(view: LoopView): Promise<{ picture: LoopPicture; milliseconds: number }> {
    return (await this.request({ kind: 'show', view })) as LoopAnswer & { kind: 'shown' };
  }

  async time(view: LoopView): Promise<LoopTiming> {
    return ((await this.request({ kind: 'time', view })) as LoopAnswer & { kind: 'timed' }).timing;
  }

  private request(body: LoopRequestBody): Promise<LoopAnswer> {
    const id = this.nextId++;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.worker ??= this.attach();
      this.worker.postMessage({ ...body, id });
    });
  }

  private attach(): Worker {
    const worker = this.spawn();
    worker.onmessage = (event: MessageEvent<LoopReply>) => this.receive(event.data);
    worker.onerror = (event) => {
      event.preventDefault();
      this.drop(event.message || 'its worker could not be loaded');
    };
    return worker;
  }

  private receive(reply: LoopReply): void {
    const waiting = this.waiting.get(reply.id);
    this.waiting.delete(reply.id);
    if (reply.ok) return waiting?.resolve(reply.answer);
    waiting?.reject(new EngineError(reply.failure));
    if (reply.failure.fatal) this.drop('another request made it fail');
  }

  private drop(reason: string): void {
    this.worker?.terminate();
    this.worker = undefined;
    const lost = [...this.waiting.values()];
    this.waiting.clear();
    for (const { reject } of lost) reject(new EngineError(restartFailure(reason)));
  }
}
