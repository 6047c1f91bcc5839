// SPDX-License-Identifier: Apache-2.0
// What is picked in one place is lit in all: text, stages of compilation, bytecode.
import { expect, test } from '../support/page.js';

const kText = `fn main(x: f32[2]) -> f32[2] {
  let unused = 1;
  let powers = exp(x - f32([3, 4]));
  powers / reduce_sum(powers, axes = [0], keep_dims = true)
}
`;

test('a place is lit in the text, in each stage and in the bytecode', async ({ playground }) => {
  const { page } = playground;
  await page.setViewportSize({ width: 1600, height: 900 });
  await playground.open('?test=1&panes=source,stages,bytecode,run');
  await playground.drop({ name: 'lit.tn', bytes: new TextEncoder().encode(kText) });
  await playground.idle();
  const source = page.getByTestId('editor').locator('.cm-linked');
  const stage = page.getByTestId('stage-editor').locator('.cm-linked');
  const rows = page.getByTestId('bytecode-grid').locator('.row.selected');

  // From a stage: the line of the IR that the exponential is.
  await page.getByTestId('tab-stages').click();
  await page.getByTestId('stage-all').check();
  await page.getByTestId('stage-lower').click();
  await page.getByTestId('stage-editor').locator('.cm-line', { hasText: 'exp(' }).click();
  await expect(stage).toHaveCount(1);
  await expect(stage).toContainText('exp(');
  await page.getByTestId('tab-source').click();
  await expect(source).toHaveCount(1);
  await expect(source).toContainText('let powers');

  // From the text: what came from its line, in the bytecode and in every stage.
  await page.getByTestId('editor').locator('.cm-line', { hasText: 'reduce_sum' }).click();
  await expect(source).toContainText('reduce_sum');
  await expect(rows.first()).toBeVisible();
  await page.getByTestId('tab-stages').click();
  await expect(stage.filter({ hasText: 'reduce_sum(' })).toHaveCount(1);
  await expect(stage.filter({ hasText: 'exp(' })).toHaveCount(0);

  // The listing is a stage like others.
  await page.getByTestId('stage-bytecode').click();
  await expect(stage.first()).toBeVisible();
  expect(await stage.count()).toBe(await rows.count());
});
