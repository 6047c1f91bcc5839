// SPDX-License-Identifier: Apache-2.0
// The engine in a worker of a browser or of Node: what the workers of all entries run.
import { Engine } from './engine.js';
import { buffersOf, type Message, type Reply, toFailure } from './protocol.js';
import { greetAndHear, ownerOfWorker } from './worker_scope.js';

type Begin = ConstructorParameters<typeof Engine>[0];
type Post = (reply: Reply, transfer?: ArrayBuffer[]) => void;

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
      post({ kind: 'progress', id, progress });
    engine.request(message, tell).then(
      // What a run gives is a copy that nobody else has.
      (answer) => post({ kind: 'done', id, answer }, [...buffersOf(answer)]),
      (error: unknown) => post({ kind: 'failed', id, failure: toFailure(error) }),
    );
  };
}

/** Answers what this worker is asked. */
export async function serveEngine(begin: Begin): Promise<void> {
  const owner = await ownerOfWorker();
  greetAndHear(owner, serve(owner.post, begin));
}
