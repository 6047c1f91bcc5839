// SPDX-License-Identifier: Apache-2.0
// Requests to a worker that is started by the first of them, and anew after a fatal failure.
import { EngineError, restartFailure } from './client.js';
import type { ReplyOf } from './protocol.js';

interface Waiting<Answer> {
  resolve: (answer: Answer) => void;
  reject: (error: Error) => void;
}

export class WorkerRequests<Body extends object, Answer> {
  private worker: Worker | undefined;
  private readonly waiting = new Map<number, Waiting<Answer>>();
  private nextId = 1;

  constructor(private readonly spawn: () => Worker) {}

  send(body: Body): Promise<Answer> {
    const id = this.nextId++;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.worker ??= this.attach();
      this.worker.postMessage({ ...body, id });
    });
  }

  private attach(): Worker {
    const worker = this.spawn();
    worker.onmessage = (event: MessageEvent<ReplyOf<Answer>>) => this.receive(event.data);
    worker.onerror = (event) => {
      event.preventDefault();
      this.drop(event.message || 'its worker could not be loaded');
    };
    return worker;
  }

  private receive(reply: ReplyOf<Answer>): void {
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
