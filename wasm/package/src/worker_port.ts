// SPDX-License-Identifier: Apache-2.0
// Where the engine of an AsyncRuntime is: behind a worker of the browser or of Node, or on the same
// thread. Requests are promises either way.
import { unlessAborted } from './abort.js';
import { Engine } from './engine.js';
import { errorWithHelp, TernError } from './errors.js';
import type { Progress, ProgressListener } from './progress.js';
import {
  type Answers,
  fromFailure,
  type Message,
  type Reply,
  type Request,
  type RequestBody,
  toFailure,
} from './protocol.js';
import { listen, type WorkerLike } from './workers.js';

export interface RequestOptions {
  signal?: AbortSignal | undefined;
  onProgress?: ProgressListener | undefined;
  transfer?: ArrayBuffer[];
}

/** The way to an engine. */
export interface Port {
  request<K extends RequestBody['kind']>(
    body: RequestBody & { kind: K },
    options?: RequestOptions,
  ): Promise<Answers[K]>;
  dispose(): void;
}

const kClosed = 'this runtime has been disposed of';

/** The engine on this thread, which pauses between the slices of a run. */
export class LocalPort implements Port {
  private engine: Engine | undefined;
  private next = 1;

  constructor(begin: ConstructorParameters<typeof Engine>[0]) {
    this.engine = new Engine(begin);
  }

  async request<K extends RequestBody['kind']>(
    body: RequestBody & { kind: K },
    { signal, onProgress }: RequestOptions = {},
  ): Promise<Answers[K]> {
    const { engine } = this;
    if (!engine) throw new TernError('E0702', kClosed);
    const id = this.next++;
    let over = false;
    const tell = (progress: Progress): void => {
      if (!over) onProgress?.(progress);
    };
    const answer = engine
      .request({ ...body, id } as Request, tell)
      .catch((error: unknown) => Promise.reject(this.engine ? plain(error) : closed()));
    try {
      return (await unlessAborted(answer, signal)) as Answers[K];
    } catch (error) {
      if (signal?.aborted) this.giveUp(engine, id, body, answer);
      throw error;
    } finally {
      over = true;
    }
  }

  dispose(): void {
    this.engine?.dispose();
    this.engine = undefined;
  }

  private giveUp(engine: Engine, id: number, body: RequestBody, answer: Promise<unknown>): void {
    engine.abort(id);
    if (body.kind !== 'load') return;
    const free = (loaded: unknown): void => {
      const { program } = loaded as Answers['load'];
      void this.request({ kind: 'free', program }).catch(() => undefined);
    };
    void answer.then(free, () => undefined);
  }
}

// The same as from a worker.
const plain = (error: unknown): unknown =>
  error instanceof TernError ? error : fromFailure(toFailure(error));
const closed = (): TernError => new TernError('E0702', kClosed);

interface Waiting {
  kind: RequestBody['kind'];
  done: (answer: unknown) => void;
  fail: (error: Error) => void;
  onProgress: ProgressListener | undefined;
}

/** The engine in a worker that has said hello. */
export class WorkerPort implements Port {
  private readonly waiting = new Map<number, Waiting>();
  // Loads that were given up: what comes of them is freed.
  private readonly orphans = new Set<number>();
  private ended: TernError | undefined;
  private next = 1;

  constructor(private readonly worker: WorkerLike) {
    listen<Reply>(
      worker,
      (reply) => this.take(reply),
      (why) => this.end(workerEnded(why)),
    );
    worker.unref?.();
  }

  async request<K extends RequestBody['kind']>(
    body: RequestBody & { kind: K },
    { signal, onProgress, transfer = [] }: RequestOptions = {},
  ): Promise<Answers[K]> {
    signal?.throwIfAborted();
    if (this.ended) throw this.ended;
    const id = this.next++;
    const answer = new Promise<unknown>((done, fail) => {
      this.post({ ...body, id } as Request, transfer);
      this.waiting.set(id, { kind: body.kind, done, fail, onProgress });
      if (this.waiting.size === 1) this.worker.ref?.();
    });
    try {
      return (await unlessAborted(answer, signal)) as Answers[K];
    } finally {
      if (this.waiting.has(id)) this.giveUp(id);
    }
  }

  dispose(): void {
    this.end(closed());
  }

  private giveUp(id: number): void {
    if (this.waiting.get(id)?.kind === 'load') this.orphans.add(id);
    this.settle(id);
    this.post({ kind: 'abort', id }, []);
  }

  private post(message: Message, transfer: ArrayBuffer[]): void {
    try {
      this.worker.postMessage(message, transfer);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw errorWithHelp(
        'E0205',
        `this cannot be sent to the worker: ${why}`,
        'give tensors, numbers, texts, bytes, lists and maps of them',
      );
    }
  }

  private take(reply: Reply): void {
    if (reply.kind === 'hello') return;
    const waiting = this.waiting.get(reply.id);
    if (reply.kind === 'progress') {
      waiting?.onProgress?.(reply.progress);
      return;
    }
    if (this.orphans.delete(reply.id) && reply.kind === 'done') {
      const { program } = reply.answer as Answers['load'];
      void this.request({ kind: 'free', program }).catch(() => undefined);
    }
    this.settle(reply.id);
    if (reply.kind === 'done') waiting?.done(reply.answer);
    else waiting?.fail(fromFailure(reply.failure));
  }

  private settle(id: number): void {
    this.waiting.delete(id);
    if (this.waiting.size === 0) this.worker.unref?.();
  }

  private end(error: TernError): void {
    if (this.ended) return;
    this.ended = error;
    void this.worker.terminate();
    for (const { fail } of this.waiting.values()) fail(error);
    this.waiting.clear();
  }
}

function workerEnded(why: string): TernError {
  return errorWithHelp(
    'E0614',
    `the worker of this runtime has ended: ${why}`,
    'make another runtime with createRuntime',
  );
}
