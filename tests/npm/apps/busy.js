// SPDX-License-Identifier: Apache-2.0
// A page whose worker runs without an end: the page goes on, and ends it.
import { clearCache, createRuntime } from './package/index.js';
import { digitOf, publish, three, where } from './digit.js';

const kEndless = '.func @main()\nagain:\n  load_const int 0 dst: %0\n  goto again\n';

async function abortedRun(runtime) {
  const maker = await createRuntime();
  const endless = await runtime.load(maker.assemble(kEndless));
  const control = new AbortController();
  const run = endless.run('main', [], { signal: control.signal });
  let turns = 0;
  while (turns < 20) {
    await new Promise((done) => setTimeout(done, 1));
    ++turns;
  }
  control.abort();
  return run.catch((error) => error.name);
}

async function main() {
  await clearCache();
  const runtime = await createRuntime({ worker: true });
  const ended = await abortedRun(runtime);
  const image = await three();
  const fromCache = [];
  let digit;
  for (let i = 0; i < 2; ++i) {
    let kept = false;
    const onProgress = (each) => (kept ||= each.fromCache === true);
    const program = await runtime.load(where('/model.onnx'), { cache: '1', onProgress });
    digit = digitOf(await program.run('main', { image }, { transfer: i === 1 }));
    fromCache.push(kept);
  }
  return { ended, digit, fromCache, left: image.data.length };
}

publish(main());
