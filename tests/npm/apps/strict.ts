// SPDX-License-Identifier: Apache-2.0
// Compiled with all of TypeScript's checks, those of the package's own declarations included.
import {
  type AsyncRuntime,
  createRuntime,
  type Progress,
  type Runtime,
  type Tensor,
  TernError,
} from 'tern-runtime';
import { createRuntime as createInline } from 'tern-runtime-inline';
import { debugWasm } from 'tern-runtime-debug';
import { createRuntime as createThreaded, type ThreadOption } from 'tern-runtime/threads';

export async function synchronous(bytes: Uint8Array): Promise<number> {
  using runtime: Runtime = await createRuntime({ debugger: debugWasm, leakWarnings: true });
  using program = runtime.load(bytes);
  using fetched = await runtime.load('model.onnx', { cache: '1', integrity: 'sha256-' });
  using image = runtime.tensor('f32', [1, 1, 28, 28]);
  image.data.fill(0.5);
  const words: BigInt64Array = runtime.tensor('i64', [1]).copy().data;
  words.fill(1n);
  const { probabilities } = program.run('main', { image });
  fetched.runResident('main', [image]);
  return (probabilities as Tensor).data.length;
}

export async function asynchronous(signal: AbortSignal): Promise<string> {
  const heard: Progress[] = [];
  const onProgress = (each: Progress): void => void heard.push(each);
  await using runtime: AsyncRuntime = await createRuntime({ worker: 'auto', signal, onProgress });
  await using program = await runtime.load(new URL('https://example.com/m.onnx'), { signal });
  try {
    await program.run('main', [1, 'two', null], { signal, transfer: true, maxTimeMs: 100 });
  } catch (error) {
    if (error instanceof TernError) return error.help.join();
  }
  return runtime.placement.why;
}

export async function threaded(threads: ThreadOption): Promise<string> {
  using runtime: Runtime = await createThreaded({ threads });
  await using other: AsyncRuntime = await createThreaded({ worker: 'auto', threads: 2 });
  const tasks: readonly number[] = runtime.threads.tasks;
  return `${runtime.threads.count} ${tasks.length} ${other.threads.reason}`;
}

export const inline = createInline({ worker: true });
// @ts-expect-error A runtime with a worker is not a synchronous one.
export const wrong: Promise<Runtime> = createRuntime({ worker: true });
