// SPDX-License-Identifier: Apache-2.0
// What every consumer does: a drawn 3 is classified by the synchronous and the asynchronous
// runtime.
export const where = (path) => new URL(path, globalThis.location?.origin).href;

export async function three() {
  const bytes = new Uint8Array(await (await fetch(where('/three.u8'))).arrayBuffer());
  return { dtype: 'f32', shape: [1, 1, 28, 28], data: Float32Array.from(bytes) };
}

export function digitOf({ probabilities }) {
  const data = [...probabilities.data];
  return data.indexOf(Math.max(...data));
}

export async function classify(createRuntime, options = {}) {
  const image = await three();
  const runtime = await createRuntime(options);
  const program = await runtime.load(where('/model.onnx'));
  const sync = digitOf(program.run('main', { image }));
  program.dispose();
  const { target } = runtime.info;
  runtime.dispose();
  const asynchronous = await createRuntime({ ...options, worker: 'auto' });
  const loaded = await asynchronous.load(where('/model.onnx'));
  const async = digitOf(await loaded.run('main', { image }));
  const { placement } = asynchronous;
  asynchronous.dispose();
  return { sync, async, placement, target };
}

/** Lets the test read what came of it. */
export function publish(promise) {
  const failed = (error) => ({
    code: error.code,
    message: String(error.message ?? error),
    help: error.help ?? [],
  });
  globalThis.outcome = promise.catch(failed);
}
