// SPDX-License-Identifier: Apache-2.0
// The page's end of the worker that reads programs. `latest` drops answers to questions that have
// been asked anew.
import type { LanguageAnswers, LanguageRequestBody } from './language-protocol.js';
import { WorkerRequests } from './worker-requests.js';

type Answer = LanguageAnswers[keyof LanguageAnswers];

const spawnWorker = (): Worker =>
  new Worker(new URL('./language-worker.ts', import.meta.url),
    { type: 'module', name: 'tern-language' });

export class LanguageClient {
  private readonly requests: WorkerRequests<LanguageRequestBody, Answer>;
  private readonly newest = new Map<string, number>();

  constructor(spawn: () => Worker = spawnWorker) {
    this.requests = new WorkerRequests(spawn);
  }

  async request<K extends LanguageRequestBody['kind']>(
    body: LanguageRequestBody & { kind: K },
  ): Promise<LanguageAnswers[K]> {
    return (await this.requests.send(body)) as LanguageAnswers[K];
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
}
