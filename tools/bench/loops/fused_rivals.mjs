// SPDX-License-Identifier: Apache-2.0
// The models that bench_loops wrote into a folder, by Tern and by onnxruntime-web on one thread, in
// turns: a line per model, four numbers as in fused_engines.mjs.
//   node fused_rivals.mjs Node|Chromium FOLDER
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openChromium } from '../../demo/chromium.mjs';
import { kRoot } from '../../models/targets.mjs';
import { compareEngines } from './fused_engines.mjs';

const [engine, folder] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));
const kRivals = join(here, '../node_modules/onnxruntime-web/dist');
const cases = JSON.parse(readFileSync(join(folder, 'cases.json'), 'utf8'));

async function inNode() {
  const bytes = (file) => readFileSync(join(folder, file));
  const { createRuntime } = await import('../../../wasm/package/dist/index.js');
  const ort = await import(join(kRivals, 'ort.wasm.min.mjs'));
  return compareEngines(createRuntime, ort, cases, bytes);
}

// Runs in the page.
async function inPage(cases) {
  const bytes = async (file) => new Uint8Array(await (await fetch(`/work/${file}`)).arrayBuffer());
  const { compareEngines } = await import('/bench/fused_engines.mjs');
  const { createRuntime } = await import('/tern/index.js');
  const ort = await import('/ort/ort.wasm.min.mjs');
  ort.env.wasm.wasmPaths = '/ort/';
  return compareEngines(createRuntime, ort, cases, bytes);
}

async function inChromium() {
  const page = await openChromium({
    '/tern/': join(kRoot, 'wasm/package/dist'),
    '/work/': folder,
    '/ort/': kRivals,
    '/bench/': here,
  });
  try {
    return await page.evaluate(`(${inPage})(${JSON.stringify(cases)})`);
  } finally {
    await page.close();
  }
}

const lines = await (engine === 'Chromium' ? inChromium() : inNode());
for (const numbers of lines) console.log(numbers.join(' '));
process.exit(0); // the rival may keep workers
