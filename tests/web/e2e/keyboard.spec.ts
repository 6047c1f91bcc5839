// SPDX-License-Identifier: Apache-2.0
// One visit by keyboard alone, from an example to a link of what is shown: no mouse, no focus() and
// no script; after each step the focus is where it is expected. Once with the editor and once with
// the plain text field in its place.
import type { Page } from '@playwright/test';
import { readCsv } from '../support/csv.js';
import { expect, type Playground, test } from '../support/page.js';

const kMistaken = 'fn main() -> f32[4] { let x = f32([1, 2, 3, 4]) let y = x * 2.0; y + x }';

/** The test id of what has the focus, or of the part that it is in. */
const focused = (page: Page): Promise<string | undefined> => page.evaluate(() =>
  document.activeElement?.closest<HTMLElement>('[data-testid]')?.dataset['testid']);

/** By Tab, which is never caught on the way. */
async function reach(page: Page, testId: string): Promise<void> {
  const passed: unknown[] = [];
  for (let i = 0; i < 150; i++) {
    await page.keyboard.press('Tab');
    const at = await focused(page);
    if (at === testId) return;
    passed.push(at);
  }
  throw new Error(`${testId} is not reached by Tab, which went ${passed.join(' ')}`);
}

/** What is found first in the palette. */
async function palette(playground: Playground, words: string): Promise<void> {
  const { page } = playground;
  await page.keyboard.press('Control+k');
  await expect(page.getByTestId('palette-field')).toBeFocused();
  await page.keyboard.type(words);
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('palette')).toHaveCount(0);
  await playground.idle();
}

async function press(playground: Playground, ...keys: string[]): Promise<void> {
  for (const key of keys) {
    await playground.page.keyboard.press(key);
    await playground.idle();
  }
}

/** What texts are written in, and how it says whether it has found something wrong. */
const kEditors = {
  'editor': { attribute: 'data-squiggles', wrong: /^\d+-\d+$/, right: '' },
  'editor-plain': { attribute: 'aria-invalid', wrong: 'true', right: 'false' },
} as const;
type EditorName = keyof typeof kEditors;

/** Written anew, found to be wrong, mended, and run. */
async function editAndMend(playground: Playground, editor: EditorName): Promise<void> {
  const { page } = playground;
  const { attribute, wrong, right } = kEditors[editor];
  await palette(playground, 'pane source');
  await expect(page.getByTestId('pane-source')).toBeFocused();
  if (editor === 'editor-plain') {
    await reach(page, 'plain-text');
    await press(playground, 'Space');
  }
  await reach(page, editor);
  await page.keyboard.press('Control+a');
  await page.keyboard.type(kMistaken);
  await playground.idle();
  await expect(page.getByTestId(editor)).toHaveAttribute(attribute, wrong);
  expect(await focused(page)).toBe(editor);
  await palette(playground, 'pane problems');
  await expect(page.getByTestId('pane-problems')).toBeFocused();
  await reach(page, 'apply-fix');
  await press(playground, 'Enter');
  await expect(page.getByTestId(editor)).toHaveAttribute(attribute, right);
  await press(playground, 'Control+Enter');
  const { stopReason, outputs } = await playground.state();
  expect(stopReason).toBe('returned');
  expect(Object.values(outputs!)[0]!.values).toEqual([3, 6, 9, 12]);
}

/** A breakpoint is met; then on, back, and to a step by its number. */
async function stepAbout(playground: Playground): Promise<void> {
  const { page } = playground;
  await palette(playground, 'pane bytecode');
  await expect(page.getByTestId('pane-bytecode')).toBeFocused();
  await reach(page, 'bytecode-grid');
  await press(playground, 'Home', 'ArrowDown', 'ArrowDown', 'b');
  const [breakpoint] = (await playground.state()).breakpoints;
  await reach(page, 'reset');
  await press(playground, 'Enter', 'Control+Enter');
  expect(await playground.state()).toMatchObject({ stopReason: 'breakpoint', pc: breakpoint });
  await press(playground, 'b', 'n', 'p', 'p');
  const { step } = await playground.state();
  await press(playground, 'n', 'n', 'n');
  expect((await playground.state()).step).toBeGreaterThan(step);
  await reach(page, 'timeline');
  await press(playground, '1', 'Enter');
  expect((await playground.state()).step).toBe(1);
  expect(await focused(page)).toBe('timeline');
}

/** A cell at another vscale, the table of it, and its file. */
async function lookAtLanes(playground: Playground): Promise<void> {
  const { page } = playground;
  await palette(playground, 'vector: vector loops');
  // The key acts where the slider is, which comes with the pane's script.
  await expect(page.getByTestId('vscale')).toBeVisible();
  await press(playground, 'v');
  await expect(page.getByTestId('vscale')).toBeFocused();
  await press(playground, 'Home', 'ArrowRight');
  await expect(page.getByTestId('vscale-value')).toContainText('2');
  await reach(page, 'grid-predicated');
  await press(playground, 'ArrowRight', 'ArrowDown');
  await expect(page.getByTestId('lane-readout')).toContainText('Iteration 1 (main), lane 0 of 8');
  await press(playground, 't');
  await reach(page, 'csv-lane-table-predicated');
  const download = page.waitForEvent('download');
  await page.keyboard.press('Enter');
  const chunks: Buffer[] = [];
  for await (const chunk of await (await download).createReadStream()) chunks.push(chunk as Buffer);
  // Titles, and an iteration each.
  expect(readCsv(Buffer.concat(chunks).toString()).length).toBe(4);
}

async function visit(playground: Playground, editor: EditorName): Promise<void> {
  const { page } = playground;
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await palette(playground, 'recursion');
  expect((await playground.state()).program!.name).toMatch(/^fibonacci/);
  await editAndMend(playground, editor);
  await stepAbout(playground);
  await lookAtLanes(playground);
  await palette(playground, 'copy a link');
  const link = await page.evaluate(() => navigator.clipboard.readText());
  expect(link).toContain('view=lanes&ex=vector_add&vs=2');
  const places = await page.evaluateHandle(() => {
    const passed: string[] = [];
    document.addEventListener('focusin', ({ target }) => passed.push(
      (target as HTMLElement).dataset['testid'] ?? (target as HTMLElement).className));
    return passed;
  });
  for (let i = 0; i < 200; i++) await page.keyboard.press('Tab');
  const passed = await places.jsonValue();
  expect(passed.filter((at) => at === 'skip').length, 'Tab goes round').toBeGreaterThan(1);
  expect(new Set(passed).size).toBeGreaterThan(15);
}

test('a visit by keyboard alone', ({ playground }) => visit(playground, 'editor'));

test('the same with texts in a plain field', ({ playground }) => visit(playground, 'editor-plain'));
