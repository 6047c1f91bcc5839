// SPDX-License-Identifier: Apache-2.0
// A thousand damaged files of every kind that the page opens, one after another in one page: each
// is refused with a code that stands in the problems pane, or is loaded and can be stepped; the
// console stays silent and the page goes on working. TERN_MUTANTS is another number of files,
// TERN_MUTANT_SEED makes others.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { npy, npz, png, wav } from '../support/media.js';
import { mutants, type NamedBytes } from '../support/mutants.js';
import { chainModel } from '../support/onnx.js';
import { expect, type Playground, test } from '../support/page.js';
import { recordRun, kRecordedProgram } from '../support/recorded-run.js';

const kCount = Number(process.env['TERN_MUTANTS'] ?? 1000);
const kSeed = Number(process.env['TERN_MUTANT_SEED'] ?? 1);
// Files of one call of the page: so that a page which hangs is found out within the test's time.
const kAtOnce = 50;

const kExamples = resolve(__dirname, '../../../web/examples');
// These take long by design, whole or damaged.
const kLong = /infinite_loop|out_of_memory|mandelbrot|life|text_model|fibonacci/;

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

const examples = (ending: string): NamedBytes[] =>
  readdirSync(kExamples).filter((name) => name.endsWith(ending) && !kLong.test(name))
    .map((name) => ({ name, bytes: new Uint8Array(readFileSync(join(kExamples, name))) }));

const kModels: readonly NamedBytes[] = [
  { name: 'chain.onnx', bytes: chainModel(['Neg', 'Relu', 'Exp']) },
  { name: 'long.onnx', bytes: chainModel(['Sigmoid', 'Abs', 'Softmax', 'Tanh'], 7) },
];

const kInputs: readonly NamedBytes[] = [
  { name: 'x.npy', bytes: npy([2, 2], [1, 2, 3, 4]) },
  { name: 'x.npz', bytes: npz({ x: npy([4], [1, 2, 3, 4]) }) },
  { name: 'x.png', bytes: png(2, [1, 2, 3, 4]) },
  { name: 'x.wav', bytes: wav(16000, [1, 2, 3, 4]) },
];

interface Outcome {
  /** Of what is wrong; none where the file was loaded. */
  codes: string[];
  /** Codes that do not stand where problems are shown. */
  unseen: string[];
  state: string;
  /** Panes that the page shows: none would be a blank page. */
  panes: number;
}

/** Opens files as a visitor would, one after the other, and tells what became of each. */
function feed(playground: Playground, files: readonly NamedBytes[]): Promise<Outcome[]> {
  const packed = files.map(({ name, bytes }) =>
    [name, Buffer.from(bytes).toString('base64')] as const);
  return playground.page.evaluate(async (all) => {
    const { load, idle, state, step } = window.ternPlayground;
    const outcomes: Outcome[] = [];
    for (const [name, data] of all) {
      await load(Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0)), name);
      const isLanes = state()['view'] === 'lanes';
      if (!isLanes && state()['state'] === 'idle') await step(25);
      await idle();
      const now = state() as unknown as {
        state: string; problems: { code: string }[];
        source: { problems: { code: string }[] } | null;
        lanes: { problems: { code: string }[] } | null;
      };
      const shown = isLanes ? now.lanes!.problems
        : [...now.problems, ...(now.source?.problems ?? [])];
      const codes = shown.map(({ code }) => code);
      const place = isLanes ? '[data-testid=loop-problems]' : '[data-pane=problems]';
      const text = document.querySelector(place)?.textContent ?? '';
      outcomes.push({
        codes, unseen: codes.filter((code) => !text.includes(code)), state: now.state,
        panes: document.querySelectorAll('[data-pane]').length,
      });
    }
    return outcomes;
  }, packed);
}

/** Feeds them all and holds what is true of each. */
async function feedAll(
  playground: Playground, files: readonly NamedBytes[], share: number, seed = kSeed,
): Promise<void> {
  const all = mutants(files, Math.ceil(kCount * share), seed);
  let refused = 0;
  for (let begin = 0; begin < all.length; begin += kAtOnce) {
    const some = all.slice(begin, begin + kAtOnce);
    for (const [i, { codes, unseen, state, panes }] of (await feed(playground, some)).entries()) {
      const { name, bytes } = some[i]!;
      const what = `${begin + i}: ${name}, Base64 ${Buffer.from(bytes).toString('base64')}`;
      for (const code of codes) expect(code, what).toMatch(/^[EWNS]\d{4}$/);
      // Bugs of ours have codes too.
      expect(codes, what).not.toContain('E0901');
      expect(unseen, what).toEqual([]);
      expect(panes, what).toBeGreaterThan(3);
      expect(['idle', 'paused', 'stopped', 'error'], what).toContain(state);
      if (codes.length > 0) refused++;
    }
  }
  // Otherwise the files were hardly damaged, and the test says little.
  expect(refused).toBeGreaterThan(all.length / 4);
}

async function stillWorks(playground: Playground): Promise<void> {
  await playground.page.evaluate(() => window.ternPlayground.show('machine'));
  await playground.click('load-digits');
  await playground.page.getByTestId('tab-draw').click();
  await playground.click('sample-9');
  await playground.click('run');
  const { stopReason, problems, classification } = await playground.state();
  expect({ stopReason, problems, digit: classification?.digit })
    .toEqual({ stopReason: 'returned', problems: [], digit: 9 });
}

test('damaged executables, sealed again, and models', async ({ playground }) => {
  const executables: NamedBytes[] = [];
  for (const { name, bytes } of [...examples('.tasm').slice(0, 5), kModels[0]!]) {
    await playground.drop({ name, bytes });
    executables.push({ name: name.replace(/\.\w+$/, '.tern'), bytes: await playground.save() });
  }
  await feedAll(playground, executables, 0.3);
  await feedAll(playground, kModels, 0.15);
  await stillWorks(playground);
});

test('damaged texts of every kind', async ({ playground }) => {
  await feedAll(playground, examples('.tn'), 0.15);
  await feedAll(playground, examples('.tasm'), 0.15);
  await feedAll(playground, examples('.tloop'), 0.1);
  await stillWorks(playground);
});

test('damaged inputs, states and records', async ({ playground, page }) => {
  const record = { name: 'run.terntrace', bytes: recordRun() };
  await playground.drop({ name: 'double.tasm', bytes: utf8(kRecordedProgram) });
  await page.getByTestId('tab-program').click();
  const { bytes } = await playground.saved('save-state');
  await feedAll(playground, kInputs, 0.05);
  await playground.drop({ name: 'double.tasm', bytes: utf8(kRecordedProgram) });
  await feedAll(playground, [record], 0.05);
  await feedAll(playground, [{ name: 'page.ternplay', bytes }], 0.05);
  await stillWorks(playground);
});
