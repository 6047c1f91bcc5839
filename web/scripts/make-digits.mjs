// SPDX-License-Identifier: Apache-2.0
// Compiles the digit classifier by the package that the page runs on: web/made/digits.tern. The
// page then needs no compiler to start with. And records a run of it, of which the page shows the
// end until its engine is there: web/made/first.json.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRuntime } from 'tern-runtime';

const kModel = new URL('../../tests/models/digits/model.onnx', import.meta.url);
const kMade = new URL('../made/', import.meta.url);

const runtime = await createRuntime({ compiler: true });
const program = runtime.load(readFileSync(kModel), { sourceName: 'digits.onnx' });
const { bytes } = program;
mkdirSync(kMade, { recursive: true });
writeFileSync(new URL('digits.tern', kMade), bytes);
program.dispose();

const kDebugModule = new URL('../../wasm/package-debug/tern-debug.wasm', import.meta.url);
const kDrawn = new URL('../../tests/models/digits/inputs/drawn3.s0.image.u8', import.meta.url);
const recording = await createRuntime({ debugger: readFileSync(kDebugModule) });
const recorded = recording.load(bytes);
const data = Float32Array.from(readFileSync(kDrawn));
const image = { dtype: 'f32', shape: [1, 1, 28, 28], data };
const debug = recorded.debugger();
debug.begin(recorded.info.functions[0].name, [image]);
debug.continue();
const { end } = debug.stop();
// A run that has returned has no registers any more.
debug.seek(end - 1);
const first = {
  info: recorded.info, fileBytes: bytes.length,
  state: { ...debug.state(), steps: end - 1, state: 'paused' },
};
writeFileSync(new URL('first.json', kMade), JSON.stringify(first));
debug.dispose();
recorded.dispose();
