// SPDX-License-Identifier: Apache-2.0
// The page's end of the worker: requests as promises, progress as callbacks, a fresh worker after a
// fatal failure or when a stop is not heard.
import './trusted-types.js';
import {
  type Answer, type AnswerKinds, type Failure, kRuns, type LatePart, type PrepareRequest,
  type Progress, type Reply, type Request, type RequestBody,
} from './protocol.js';

export class EngineError extends Error {
  constructor(readonly failure: Failure) {
    super(failure.message);
    this.name = 'EngineError';
  }
}

type AnswerTo<K extends RequestBody['kind']> = Extract<Answer, { kind: AnswerKinds[K] }>;
type OnProgress = (progress: Progress) => void;

interface Waiting {
  resolve: (answer: Answer) => void;
  reject: (error: Error) => void;
  onProgress: OnProgress | undefined;
  isRun: boolean;
  /** It has told of progress. */
  isHeard: boolean;
}

/**
 * How long a stop may go unheard: a kernel cannot be interrupted. It is counted in turns of the
 * page, 400 ms of them: while the page itself is busy, no answer could be heard.
 */
const kPatienceTurns = 8;
/** And how long what was heard, which the worker tells by progress, may take to answer. */
const kAnswerTurns = 100;
const kTurnMilliseconds = 50;
const kMaxMute = 2;

/** The failure that requests in flight end with when the worker goes away. */
export function restartFailure(reason: string): Failure {
  const message = `the engine was restarted: ${reason}`;
  const help = 'the program is loaded again; start the run anew';
  const text = `error[E0605]: ${message}\n   = help: ${help}\n`;
  return { code: 'E0605', message, text, diagnostics: [], fatal: true };
}

const spawnWorker = (): Worker =>
  new Worker(new URL('./worker.ts', import.meta.url), { type: 'module', name: 'tern' });

export class EngineClient {
  private worker: Worker;
  private waiting = new Map<number, Waiting>();
  private nextId = 1;
  /** Workers in a row that failed without a word: after a few there is no use in another. */
  private mute = 0;

  /** Called when the worker had to be replaced: its program and machine are gone. */
  onReplaced: () => void = () => {};

  constructor(private readonly spawn: () => Worker = spawnWorker) {
    this.worker = this.attach();
  }

  async request<K extends RequestBody['kind']>(
    body: RequestBody & { kind: K }, onProgress?: OnProgress,
  ): Promise<AnswerTo<K>> {
    if (this.mute > kMaxMute) throw new EngineError(restartFailure('its worker does not start'));
    const id = this.nextId++;
    return (await new Promise<Answer>((resolve, reject) => {
      const isRun = kRuns.has(body.kind);
      this.waiting.set(id, { resolve, reject, onProgress, isRun, isHeard: false });
      this.worker.postMessage({ ...body, id } as Request);
    })) as AnswerTo<K>;
  }

  /** Fetches the part before something needs it. */
  prepare(part: LatePart): void {
    this.worker.postMessage({ kind: 'prepare', part } satisfies PrepareRequest);
  }

  /** Ends the run under way: between two instructions, or with the worker if it does not listen. */
  stop(): void {
    this.worker.postMessage({ kind: 'stop' });
    for (const each of this.waiting.values()) each.isHeard = false;
    // What waits behind a run may take its time once that has ended.
    const runs = [...this.waiting].filter(([, { isRun }]) => isRun).map(([id]) => id);
    this.awaitStop(this.worker, runs, kPatienceTurns);
  }

  private awaitStop(
    worker: Worker, stuck: readonly number[], turns: number, wasHeard = false,
  ): void {
    setTimeout(() => {
      if (worker !== this.worker || !stuck.some((id) => this.waiting.has(id))) return;
      const isHeard = stuck.some((id) => this.waiting.get(id)?.isHeard);
      const left = isHeard && !wasHeard ? kAnswerTurns : turns - 1;
      if (left > 0) return this.awaitStop(worker, stuck, left, isHeard);
      this.replace(restartFailure('it did not stop within a single instruction'));
    }, kTurnMilliseconds);
  }

  private attach(): Worker {
    const worker = this.spawn();
    worker.onmessage = (event: MessageEvent<Reply>) => this.receive(event.data);
    worker.onerror = (event) => {
      event.preventDefault();
      this.mute++;
      this.replace(restartFailure(event.message || 'its worker could not be loaded'));
    };
    return worker;
  }

  private receive(reply: Reply): void {
    this.mute = 0;
    const waiting = this.waiting.get(reply.id);
    if (!waiting) return;
    if ('progress' in reply) {
      waiting.isHeard = true;
      waiting.onProgress?.(reply.progress);
      return;
    }
    this.waiting.delete(reply.id);
    if (reply.ok) return waiting.resolve(reply.answer);
    if (reply.failure.fatal) this.replace(restartFailure('another request made it fail'));
    waiting.reject(new EngineError(reply.failure));
  }

  private replace(failure: Failure): void {
    this.worker.terminate();
    if (this.mute <= kMaxMute) this.worker = this.attach();
    const lost = [...this.waiting.values()];
    this.waiting.clear();
    this.onReplaced();
    for (const { reject } of lost) reject(new EngineError(failure));
  }
}
