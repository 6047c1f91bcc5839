// SPDX-License-Identifier: Apache-2.0
// Workers of browsers and of Node, made of this package's scripts, alike to those who use them.
import { unlessAborted } from './abort.js';
import { assetAddress, type AssetName, type Assets, importFromNode, nodeProcess } from './files.js';

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

/** Hears of what a worker says, and of its end. */
export function listen<Said>(
  worker: WorkerLike,
  take: (said: Said) => void,
  failed: (why: string) => void,
): void {
  if (worker.on) {
    worker.on('message', take as (value: never) => void);
    worker.on('error', ((error: Error) => failed(error.message)) as (value: never) => void);
    worker.on('exit', (() => failed('it has exited')) as (value: never) => void);
    return;
  }
  worker.onmessage = ({ data }) => take(data as Said);
  worker.onerror = (event) => {
    event.preventDefault?.();
    failed(event.message || 'its script was not found, or the policy of the page forbids it');
  };
}

const kHelloMs = 20_000;

/** Waits until the worker's script runs; throws with the reason where it does not. */
export const greeted = (worker: WorkerLike, signal?: AbortSignal): Promise<WorkerLike> =>
  saying('hello', worker, signal);

/** Waits until the worker says this for the first time. */
export async function saying(
  expected: string,
  worker: WorkerLike,
  signal?: AbortSignal,
): Promise<WorkerLike> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const said = new Promise<WorkerLike>((done, fail) => {
    timer = setTimeout(() => fail(new Error('its script did not start')), kHelloMs);
    listen<{ kind: string }>(
      worker,
      ({ kind }) => {
        if (kind === expected) done(worker);
      },
      (why) => fail(new Error(why)),
    );
  });
  try {
    return await unlessAborted(said, signal);
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
  // Without the flags of this process, such as --input-type, which a script of its own has not.
  return new NodeWorker(url, { execArgv: [] }) as unknown as WorkerLike;
}

/** A worker of the script at the address; one of another origin is imported by a script of ours. */
async function makeWorker(url: URL): Promise<WorkerLike> {
  if (nodeProcess()) return nodeWorker(url);
  const ours = url.origin === globalThis.location.origin || url.protocol === 'blob:';
  return ours ? moduleWorker(url.href) : workerOf(`import ${JSON.stringify(url.href)};`);
}

/** A script of this package that runs in a worker. */
export interface PackageWorker {
  file: AssetName;
  /** Makes it where a bundler has seen to the script, and in pages. */
  bundled: () => WorkerLike;
}

/** The worker of a script that lies in `assets`, or beside this package. */
export async function packageWorker(
  { file, bundled }: PackageWorker,
  assets: Assets | undefined,
): Promise<WorkerLike> {
  if (assets !== undefined || nodeProcess()) return makeWorker(assetAddress(file, assets));
  try {
    return bundled();
  } catch (error) {
    // Another origin's script, as from a delivery network, starts by way of one of this origin.
    if (!(error instanceof DOMException && error.name === 'SecurityError')) throw error;
    return makeWorker(assetAddress(file));
  }
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
