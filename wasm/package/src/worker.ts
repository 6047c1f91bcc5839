// SPDX-License-Identifier: Apache-2.0
// The script of the package's own worker: an engine behind messages. createRuntime({ worker })
// starts it; it is an entry of its own for those who make the worker themselves.
import './dispose.js';
import { Engine } from './engine.js';
import { importFromNode, nodeProcess } from './files.js';
import { buffersOf, type Message, type Reply, toFailure } from './protocol.js';

type Post = (reply: Reply, transfer: ArrayBuffer[]) => void;

/** Answers the messages of one owner. */
function serve(post: Post): (message: Message) => void {
  const engine = new Engine();
  return (message) => {
    const { id } = message;
    if (message.kind === 'abort') {
      engine.abort(id);
      return;
    }
    const tell = (progress: Parameters<Parameters<Engine['request']>[1]>[0]): void =>
      post({ kind: 'progress', id, progress }, []);
    engine.request(message, tell).then(
      // What a run gives is a copy that nobody else has.
      (answer) => post({ kind: 'done', id, answer }, [...buffersOf(answer)]),
      (error: unknown) => post({ kind: 'failed', id, failure: toFailure(error) }, []),
    );
  };
}

interface WorkerScope {
  postMessage: (message: unknown, transfer: ArrayBuffer[]) => void;
  onmessage: ((event: { data: Message }) => void) | null;
}

async function main(): Promise<void> {
  if (nodeProcess()) {
    const { parentPort } =
      await importFromNode<typeof import('node:worker_threads')>('worker_threads');
    const post: Post = (reply, transfer) => parentPort?.postMessage(reply, transfer);
    const answer = serve(post);
    parentPort?.on('message', answer);
    post({ kind: 'hello' }, []);
    return;
  }
  const scope = globalThis as unknown as WorkerScope;
  const post: Post = (reply, transfer) => scope.postMessage(reply, transfer);
  const answer = serve(post);
  scope.onmessage = ({ data }) => answer(data);
  post({ kind: 'hello' }, []);
}

void main();
