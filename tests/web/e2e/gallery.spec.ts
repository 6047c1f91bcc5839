// SPDX-License-Identifier: Apache-2.0
// The gallery: opened by address, banner and palette, searched and walked by keyboard; its programs
// open, run and are named by links.
import { violations } from '../support/axe.js';
import { expect, test } from '../support/page.js';

test('is searched and walked by keyboard, and opens what is picked', async ({
  playground, page,
}) => {
  await playground.open('?test=1&gallery');
  await expect(page.getByTestId('gallery-field')).toBeFocused();
  await expect(page.getByTestId('gallery-count')).toContainText('to choose from');
  await page.keyboard.press('ArrowDown');
  await expect(page.getByTestId('card-digits')).toBeFocused();
  await page.keyboard.press('ArrowRight');
  await expect(page.getByTestId('card-text_model')).toBeFocused();
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowUp');
  await expect(page.getByTestId('gallery-field')).toBeFocused();
  await page.keyboard.type('no such thing');
  await expect(page.getByTestId('gallery')).toContainText('Nothing here has all of these words.');
  await page.getByTestId('gallery-field').fill('glider');
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('gallery')).toHaveCount(0);
  await expect(page.getByTestId('look-at')).toContainText('the glider flies');
  await playground.idle();
  await page.evaluate(() => window.ternPlayground.run());
  expect(await playground.state()).toMatchObject({
    stopReason: 'returned', program: { name: 'life.tn' },
  });
});

test('opens loops in their own arrangement, and links name programs; axe is content', async ({
  playground, page,
}) => {
  await playground.open('');
  await page.getByTestId('open-gallery').click();
  await expect(page.getByTestId('gallery-field')).toBeVisible();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await violations(page, '[data-testid=gallery]')).toEqual([]);
  }
  await page.getByTestId('card-seventeen').click();
  await expect(page.getByTestId('loop-example')).toHaveValue('seventeen');
  await page.getByTestId('open-gallery').click();
  await page.getByTestId('card-power').click();
  await playground.idle();
  await expect(page).toHaveURL(/#v=1&ex=power$/);
  await page.reload();
  await playground.ready();
  expect((await playground.state()).program?.name).toBe('power.tasm');
  await playground.open('#v=1&ex=no_such');
});

test('ten thousand instructions are run, and walked from end to end', async ({
  playground, page,
}) => {
  await playground.open('?test=1&gallery');
  await page.getByTestId('card-ten_thousand').click();
  await playground.idle();
  await page.getByTestId('fill-x').selectOption('zeros');
  await page.evaluate(() => window.ternPlayground.run());
  const state = await playground.state();
  expect(state.program!.instructions).toBe(10_000);
  expect(state.stopReason).toBe('returned');
  // The text's own arithmetic, in the page's order.
  const text = (await page.evaluate(() => window.ternPlayground.state()) as
    { source: { text: string } }).source.text;
  const sum = [...text.matchAll(/^ {2}(add|sub) +%0, (\d+)/gm)]
    .reduce((value, [, what, by]) => value + (what === 'add' ? 1 : -1) * Number(by), 0);
  expect(Object.values(state.outputs!)).toEqual([sum]);
  await page.evaluate(() => window.ternPlayground.seek(9_900));
  expect(await playground.state()).toMatchObject({ step: 9_900, depth: 100 });
  await page.evaluate(() => window.ternPlayground.seek(0));
  expect(await playground.state()).toMatchObject({ step: 0 });
});

test('the leak keeps its history until the end, and nothing after it', async ({
  playground, page,
}) => {
  await playground.open('?test=1&gallery');
  await page.getByTestId('card-history').click();
  await playground.idle();
  await page.evaluate(() => window.ternPlayground.run());
  expect((await playground.state()).stopReason).toBe('returned');
  await page.getByTestId('tab-heap').click();
  const objects = async (kind: string): Promise<number> => {
    await page.getByTestId('heap-kind').selectOption(kind);
    await playground.idle();
    return page.getByTestId('pane-heap').locator('tbody tr').count();
  };
  expect(await objects('leaked')).toBe(0);
  await page.evaluate(() => window.ternPlayground.stepBack(3));
  expect(await objects('live')).toBeGreaterThan(50);
});
