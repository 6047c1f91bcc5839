// SPDX-License-Identifier: Apache-2.0
// The engine in a worker of a browser or of Node: what the workers of all entries run.
import { Engine } from './engine.js';
import { importFromNode, nodeProcess } from './files.js';
import { buffersOf, type Message, type Reply, toFailure } from './protocol.js';

type Begin = ConstructorParameters<typeof Engine>[0];
type Post = (reply: Reply, transfer: ArrayBuffer[]) => void;

/** Answers the messages of one owner. */
function serve(post: Post, begin: Begin): (message: Message) => void {
  const engine = new Engine(begin);
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

/** Answers what this worker is asked. */
export async function serveEngine(begin: Begin): Promise<void> {
  if (nodeProcess()) {
    const { parentPort } =
      await importFromNode<typeof import('node:worker_threads')>('worker_threads');
    const post: Post = (reply, transfer) => parentPort?.postMessage(reply, transfer);
    const answer = serve(post, begin);
    parentPort?.on('message', answer);
    post({ kind: 'hello' }, []);
    return;
  }
  const scope = globalThis as unknown as WorkerScope;
  const post: Post = (reply, transfer) => scope.postMessage(reply, transfer);
  const answer = serve(post, begin);
  scope.onmessage = ({ data }) => answer(data);
  post({ kind: 'hello' }, []);
}
