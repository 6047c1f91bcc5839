// SPDX-License-Identifier: Apache-2.0
// What a worker's script has of the thread that made it, in a browser as in Node.
import { importFromNode, nodeProcess } from './files.js';

export interface Owner {
  post(message: unknown, transfer?: ArrayBuffer[]): void;
  /** Hears what the owner says, who says nothing before this worker has. */
  hear<Message>(take: (message: Message) => void): void;
  /** Ends this worker when it has nothing left to do. */
  close(): void;
}

interface WorkerScope {
  postMessage: (message: unknown, transfer: ArrayBuffer[]) => void;
  onmessage: ((event: { data: never }) => void) | null;
  close: () => void;
}

export async function ownerOfWorker(): Promise<Owner> {
  if (nodeProcess()) {
    const { parentPort } =
      await importFromNode<typeof import('node:worker_threads')>('worker_threads');
    return {
      post: (message, transfer = []) => parentPort?.postMessage(message, transfer),
      hear: (take) => void parentPort?.on('message', take),
      close: () => parentPort?.close(),
    };
  }
  const scope = globalThis as unknown as WorkerScope;
  return {
    post: (message, transfer = []) => scope.postMessage(message, transfer),
    hear: (take) => {
      scope.onmessage = ({ data }) => take(data);
    },
    close: () => scope.close(),
  };
}

// Deno (2.9) at times holds a worker's first message back until there is a second.
const kAgainMs = 250;

/** Says hello, until the owner is heard; then hears the owner. */
export function greetAndHear<Message>(
  { post, hear }: Owner,
  take: (message: Message) => void,
): void {
  const hello = (): void => post({ kind: 'hello' });
  const again = setInterval(hello, kAgainMs);
  hear<Message>((message) => {
    clearInterval(again);
    take(message);
  });
  hello();
}
