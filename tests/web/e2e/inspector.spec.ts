// SPDX-License-Identifier: Apache-2.0
// The tensor inspector, the profile and the memory plan, on the digits and on a program with values
// that are special.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { violations } from '../support/axe.js';
import { expect, type Playground, test } from '../support/page.js';

const kDigits = new Uint8Array(readFileSync(resolve(__dirname, '../../models/digits/model.onnx')));

const kSpecial = `.func @main() -> f32[2, 3]
  load_const f32[2, 3] [nan, inf, -0.0, 1, 2, 3] dst: %0
  ret   ret %0
`;

/** What the first convolution makes of a 3, in the inspector. */
async function inspectConvolved(playground: Playground): Promise<void> {
  const { page } = playground;
  await playground.click('sample-3');
  await page.evaluate(() => window.ternPlayground.step(6));
  await page.locator('[data-testid=registers] [data-row-id="1"] button').first().click();
  await page.locator('#tab-inspector').click();
  await playground.idle();
}

test('a register is looked into, in every way', async ({ playground, page }) => {
  await inspectConvolved(playground);
  await expect(page.getByTestId('inspected-type')).toContainText('f32[1, 28, 28, 16]');
  const cells = page.getByTestId('heatmap-cells');
  await cells.focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('End');
  await expect(page.getByTestId('cell-value')).toContainText('[0, 1, 27, 0] row 1, column 27');
  await page.getByTestId('axis-3').fill('5');
  await playground.idle();
  await expect(page.getByTestId('cell-value')).toContainText('[0, 1, 27, 5]');

  await playground.click('inspect-table');
  await expect(page.getByTestId('value-grid')).toHaveAttribute('aria-rowcount', '29');
  await page.getByTestId('number-format').selectOption('hex');
  await expect(page.getByTestId('value-grid').getByRole('gridcell').first())
    .toHaveText(/^[0-9a-f]{8}$/);
  await playground.click('inspect-stats');
  await expect(page.locator('[data-figure=count]')).toHaveText('12544');
  await playground.click('inspect-histogram');
  await expect(page.getByTestId('histogram').locator('rect')).toHaveCount(64);
  await playground.click('inspect-layout');
  await expect(page.getByTestId('axes-table').locator('tbody tr')).toHaveCount(4);
  await playground.click('inspect-hex');
  await expect(page.getByTestId('hex')).toContainText('00000000');
  expect(await violations(page, '[data-pane=inspector]')).toEqual([]);
});

test('the table shows whatever part of a tensor is scrolled to', async ({ playground, page }) => {
  await inspectConvolved(playground);
  await playground.click('inspect-table');
  const grid = page.getByTestId('value-grid');
  const cell = (row: number, column: number) => grid
    .locator(`[role=row][aria-rowindex="${row + 2}"]`)
    .locator(`[role=gridcell][aria-colindex="${column + 2}"]`);
  await grid.scrollIntoViewIfNeeded();
  await expect(cell(0, 0)).toBeInViewport();
  await expect(cell(27, 27)).not.toBeInViewport();
  await grid.evaluate((element) => element.scrollTo(1e5, 1e5));
  await playground.idle();
  const last = cell(27, 27);
  await last.scrollIntoViewIfNeeded();
  await expect(last).toBeInViewport({ ratio: 0.9 });
  // Heads lie beside and above their cells, and the cell that is clicked is the one that is meant.
  const box = (await last.boundingBox())!;
  const head = grid.getByRole('columnheader', { name: '27', exact: true });
  expect((await head.boundingBox())!.x).toBeCloseTo(box.x, 0);
  const side = grid.getByRole('rowheader', { name: '27', exact: true });
  expect((await side.boundingBox())!.y).toBeCloseTo(box.y, 0);
  // What is in sight is all there, at every place between.
  for (const part of [0.9, 0.6, 0.4, 0.1]) {
    await grid.evaluate((element, at) => element.scrollTo(
      at * element.scrollWidth, at * element.scrollHeight), part);
    await playground.idle();
    const holes = await grid.evaluate((element) => {
      const { left, top, width, height } = element.getBoundingClientRect();
      const places = [0.3, 0.6, 0.95].flatMap((x) => [0.3, 0.6, 0.95].map((y) => [x, y] as const));
      return places.filter(([x, y]) => !document
        .elementFromPoint(left + x * width - 8, top + y * height - 8)?.closest('.grid-cell'));
    });
    expect(holes).toEqual([]);
  }
  expect(await violations(page, '[data-pane=inspector]')).toEqual([]);
});

test('a tensor is compared with another step', async ({ playground, page }) => {
  await inspectConvolved(playground);
  await playground.click('inspect-compare');
  await page.getByTestId('other-step').fill('6');
  await playground.click('compare-step');
  await expect(page.getByTestId('comparison')).toContainText('12544 of 12544 equal');
  await page.getByTestId('other-step').fill('4');
  await playground.click('compare-step');
  await expect(page.locator('.inspector-problem')).toContainText('cannot be compared');
  await page.getByTestId('compare-file').setInputFiles({
    name: 'bad.npy', mimeType: 'application/octet-stream', buffer: Buffer.from('no'),
  });
  await expect(page.locator('.inspector-problem')).toContainText('.npy');
});

test('profiles are made, cold and warm, and shown in three ways', async ({ playground, page }) => {
  // A memory plan is made of a model.
  await playground.drop({ name: 'digits.onnx', bytes: kDigits });
  await page.getByTestId('preset-profile').click();
  await playground.idle();
  await playground.click('profile-run');
  await expect(page.getByTestId('operators').locator('tbody tr')).not.toHaveCount(0);
  await page.getByTestId('flame').focus();
  await page.keyboard.press('ArrowDown');
  await expect(page.getByTestId('flame-box')).not.toContainText('@main');
  await playground.click('profile-heavy');
  await expect(page.getByTestId('flame-box')).toContainText('@main');
  await playground.click('profile-sandwich');
  await expect(page.getByTestId('sandwich')).toContainText('conv2d');
  await playground.click('keep-baseline');
  await expect(page.getByTestId('operators')).toContainText('change');
  const threshold = page.getByRole('slider', { name: 'alike within' });
  await threshold.fill('20');
  await expect(threshold).toHaveAttribute('aria-valuetext', '20 percent');
  await expect(page.locator('[data-pane=ops] > header')).toContainText('20 %');
  await expect(page.getByTestId('plan-sums')).toContainText('alive at once');
  await playground.click('plan-alone');
  expect(await violations(page)).toEqual([]);
});

test('what is special has signs of its own', async ({ playground, page }) => {
  await playground.drop({ name: 'special.tasm', bytes: new TextEncoder().encode(kSpecial) });
  await page.evaluate(() => window.ternPlayground.step(1));
  await page.locator('[data-testid=registers] [data-row-id="0"] button').first().click();
  await page.locator('#tab-inspector').click();
  await playground.click('inspect-table');
  for (const kind of ['nan', 'infinite', 'negative zero'])
    await expect(page.locator(`[data-kind="${kind}"]`)).toHaveCount(1);
  await playground.click('inspect-stats');
  await expect(page.locator('[data-figure=nan]')).toContainText('the first at 0');
});

const kLarge = `.func @main(x: f32[1200, 1024]) -> f32[1200, 1024]
  move  %0 dst: %1
  ret   ret %1
`;

test('of what is large a part is shown at once, and how large it is', async ({
  playground, page,
}) => {
  await playground.drop({ name: 'large.tasm', bytes: new TextEncoder().encode(kLarge) });
  await page.evaluate(() => window.ternPlayground.step(1));
  await page.locator('[data-testid=registers] [data-row-id="1"] button').first().click();
  await playground.idle();
  await expect(page.getByTestId('inspected-large')).toContainText('f32[1200, 1024] of 4.7 MiB');
  await page.locator('#tab-inspector').click();
  await playground.idle();
  await expect(page.getByTestId('inspector-heatmap'))
    .toHaveAccessibleName(/^Heatmap of %1.*, 512 × 512 cells/);
  const facts = page.locator('.tensor-facts dd');
  await expect(facts.last()).toHaveText(/^[0-9a-f]{16}$/);
  await page.evaluate(() => window.ternPlayground.run());
  await page.locator('#tab-output').click();
  await expect(page.getByTestId('value-output0')).toContainText('too many for a picture');
});
