// SPDX-License-Identifier: Apache-2.0
// The page's end of the worker that reads programs. The worker is started by the first request, and
// anew after a fatal failure. `latest` drops answers to questions that have been asked anew.
import { EngineError, restartFailure } from './client.js';
import type {
  LanguageAnswers, LanguageReply, LanguageRequest, LanguageRequestBody,
} from './language-protocol.js';

type Answer = LanguageAnswers[keyof LanguageAnswers];

interface Waiting {
  resolve: (answer: Answer) => void;
  reject: (error: Error) => void;
}

const spawnWorker = (): Worker =>
  new Worker(new URL('./language-worker.ts', import.meta.url),
    { type: 'module', name: 'tern-language' });

export class LanguageClient {
  private worker: Worker | undefined;
  private readonly waiting = new Map<number, Waiting>();
  private readonly newest = new Map<string, number>();
  private nextId = 1;

  constructor(private readonly spawn: () => Worker = spawnWorker) {}

  async request<K extends LanguageRequestBody['kind']>(
    body: LanguageRequestBody & { kind: K },
  ): Promise<LanguageAnswers[K]> {
    const id = this.nextId++;
    return (await new Promise<Answer>((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.worker ??= this.attach();
      this.worker.postMessage({ ...body, id } as LanguageRequest);
    })) as LanguageAnswers[K];
  }

  /** The same; undefined where another of its kind has been asked for meanwhile. */
  async latest<K extends LanguageRequestBody['kind']>(
    body: LanguageRequestBody & { kind: K },
  ): Promise<LanguageAnswers[K] | undefined> {
    const mine = (this.newest.get(body.kind) ?? 0) + 1;
    this.newest.set(body.kind, mine);
    try {
      const answer = await this.request<K>(body);
      return this.newest.get(body.kind) === mine ? answer : undefined;
    } catch (error) {
      if (this.newest.get(body.kind) !== mine) return undefined;
      throw error;
    }
  }

  private attach(): Worker {
    const worker = this.spawn();
    worker.onmessage = (event: MessageEvent<LanguageReply>) => this.receive(event.data);
    worker.onerror = (event) => {
      event.preventDefault();
      this.drop(event.message || 'its worker could not be loaded');
    };
    return worker;
  }

  private receive(reply: LanguageReply): void {
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
