// SPDX-License-Identifier: Apache-2.0
// Compiles the digit classifier by the package that the page runs on: web/made/digits.tern. The
// page then needs no compiler to start with.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRuntime } from 'tern-runtime';

const kModel = new URL('../../tests/models/digits/model.onnx', import.meta.url);
const kMade = new URL('../made/', import.meta.url);

const runtime = await createRuntime({ compiler: true });
const program = runtime.load(readFileSync(kModel), { sourceName: 'digits.onnx' });
mkdirSync(kMade, { recursive: true });
writeFileSync(new URL('digits.tern', kMade), program.bytes);
program.dispose();
