// SPDX-License-Identifier: Apache-2.0
// What every consumer does: a drawn 3 is classified by the synchronous and the asynchronous
// runtime, and the cases of the real model, where the site has one, are run by both.
export const where = (path) => new URL(path, globalThis.location?.origin).href;

export async function three() {
  const bytes = new Uint8Array(await (await fetch(where('/three.u8'))).arrayBuffer());
  return { dtype: 'f32', shape: [1, 1, 28, 28], data: Float32Array.from(bytes) };
}

export function digitOf({ probabilities }) {
  const data = [...probabilities.data];
  return data.indexOf(Math.max(...data));
}

/** What the real model says of each of its cases: the ten values of its only result. */
export async function scores(runtime, model, cases) {
  if (cases.length === 0) return [];
  const program = await runtime.load(model);
  const said = [];
  for (const { image } of cases) {
    const input = { dtype: 'f32', shape: [1, 1, 28, 28], data: Float32Array.from(image) };
    said.push([...Object.values(await program.run('main', [input]))[0].data]);
  }
  program.dispose();
  return said;
}

export async function classify(createRuntime, options = {}) {
  const image = await three();
  const runtime = await createRuntime(options);
  const program = await runtime.load(where('/model.onnx'));
  const sync = digitOf(program.run('main', { image }));
  program.dispose();
  const { target } = runtime.info;
  const { model, cases } = await (await fetch(where('/real.json'))).json();
  const real = await scores(runtime, model && where(model), cases);
  runtime.dispose();
  const asynchronous = await createRuntime({ ...options, worker: 'auto' });
  const loaded = await asynchronous.load(where('/model.onnx'));
  const async = digitOf(await loaded.run('main', { image }));
  const { placement } = asynchronous;
  const realAsync = await scores(asynchronous, model && where(model), cases);
  asynchronous.dispose();
  return { sync, async, placement, target, real: [real, realAsync] };
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
