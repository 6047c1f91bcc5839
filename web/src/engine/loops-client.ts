// SPDX-License-Identifier: Apache-2.0
// The page's end of the loop compiler's worker.
import './trusted-types.js';
import type {
  LoopAnswer, LoopPicture, LoopRequestBody, LoopTiming, LoopView,
} from './loops-protocol.js';
import { WorkerRequests } from './worker-requests.js';

const spawnWorker = (): Worker =>
  new Worker(new URL('./loops-worker.ts', import.meta.url), { type: 'module', name: 'tern-loops' });

export class LoopsClient {
  /** Of the last answer. */
  private picture: LoopPicture = { lanes: [], sweep: [], stages: [], code: '' };
  private readonly requests: WorkerRequests<LoopRequestBody, LoopAnswer>;

  constructor(spawn: () => Worker = spawnWorker) {
    this.requests = new WorkerRequests(spawn);
  }

  async show(view: LoopView): Promise<{ picture: LoopPicture; milliseconds: number }> {
    const answer = await this.requests.send({ kind: 'show', view });
    const { picture, milliseconds } = answer as LoopAnswer & { kind: 'shown' };
    this.picture = { ...this.picture, ...picture };
    return { picture: this.picture, milliseconds };
  }

  async time(view: LoopView): Promise<LoopTiming> {
    const answer = await this.requests.send({ kind: 'time', view });
    return (answer as LoopAnswer & { kind: 'timed' }).timing;
  }
}
