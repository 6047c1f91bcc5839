// SPDX-License-Identifier: Apache-2.0
// Where the engine of an AsyncRuntime is: behind a worker of the browser or of Node, or on the same
// thread. Requests are promises either way.
import { unlessAborted } from './abort.js';
import { Engine } from './engine.js';
import { errorWithHelp, TernError } from './errors.js';
import { importFromNode, nodeProcess } from './files.js';
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

/** A worker of a browser or of Node, or what behaves like one. */
export interface WorkerLike {
  postMessage: (message: unknown, transfer: ArrayBuffer[]) => void;
  terminate: () => unknown;
  onmessage?: ((event: MessageEvent) => void) | null;
  onerror?: ((event: ErrorEvent) => void) | null;
  /** Node's. */
  on?: (event: string, listener: (value: never) => void) => unknown;
  ref?: () => void;
  unref?: () => void;
}

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
  private engine: Engine | undefined = new Engine();
  private next = 1;

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
    listen(
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

function listen(
  worker: WorkerLike,
  take: (reply: Reply) => void,
  failed: (why: string) => void,
): void {
  if (worker.on) {
    worker.on('message', take as (value: never) => void);
    worker.on('error', ((error: Error) => failed(error.message)) as (value: never) => void);
    worker.on('exit', (() => failed('it has exited')) as (value: never) => void);
    return;
  }
  worker.onmessage = ({ data }) => take(data as Reply);
  worker.onerror = (event) => {
    event.preventDefault?.();
    failed(event.message || 'its script was not found, or the policy of the page forbids it');
  };
}

const kHelloMs = 20_000;

/** Waits until the worker's script runs; throws with the reason where it does not. */
export async function greeted(worker: WorkerLike, signal?: AbortSignal): Promise<WorkerLike> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const hello = new Promise<WorkerLike>((done, fail) => {
    timer = setTimeout(() => fail(new Error('its script did not start')), kHelloMs);
    listen(
      worker,
      ({ kind }) => {
        if (kind === 'hello') done(worker);
      },
      (why) => fail(new Error(why)),
    );
  });
  try {
    return await unlessAborted(hello, signal);
  } catch (error) {
    void worker.terminate();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

async function nodeWorker(url: URL): Promise<WorkerLike> {
  const { Worker: NodeWorker } =
    await importFromNode<typeof import('node:worker_threads')>('worker_threads');
  return new NodeWorker(url) as unknown as WorkerLike;
}

/** A worker of the script at the address; one of another origin is imported by a script of ours. */
export async function makeWorker(url: URL): Promise<WorkerLike> {
  if (nodeProcess()) return nodeWorker(url);
  const ours = url.origin === globalThis.location.origin || url.protocol === 'blob:';
  return ours ? moduleWorker(url.href) : workerOf(`import ${JSON.stringify(url.href)};`);
}

function moduleWorker(address: string): WorkerLike {
  return new Worker(address, { type: 'module', name: 'tern-runtime' }) as unknown as WorkerLike;
}

/** A worker of a script at hand. */
export async function workerOf(script: string): Promise<WorkerLike> {
  if (nodeProcess())
    return nodeWorker(new URL(`data:text/javascript,${encodeURIComponent(script)}`));
  const address = URL.createObjectURL(new Blob([script], { type: 'text/javascript' }));
  const worker = moduleWorker(address);
  // The address is read before the first message comes.
  const revoke = (): void => URL.revokeObjectURL(address);
  const browsers = worker as unknown as Worker;
  browsers.addEventListener('message', revoke, { once: true });
  browsers.addEventListener('error', revoke, { once: true });
  return worker;
}
