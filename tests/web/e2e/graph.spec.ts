// SPDX-License-Identifier: Apache-2.0
// The graph of a model: laid out, walked, searched, linked with the instructions, as a table.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { violations } from '../support/axe.js';
import { chainModel } from '../support/onnx.js';
import { expect, type Playground, test } from '../support/page.js';

const kDigits = new Uint8Array(readFileSync(resolve(__dirname, '../../models/digits/model.onnx')));

async function open(playground: Playground, bytes: Uint8Array): Promise<void> {
  await playground.drop({ name: 'model.onnx', bytes });
  await playground.page.getByTestId('tab-graph').click();
  await playground.idle();
}

test('a graph is walked, searched, linked and told as a table', async ({ playground, page }) => {
  await page.getByTestId('tab-graph').click();
  await expect(page.getByTestId('pane-graph')).toContainText('Of ONNX models');
  await open(playground, kDigits);
  await expect(page.getByTestId('graph-picture'))
    .toHaveAttribute('aria-label', 'Graph of the model: 25 boxes, 25 lines');
  const detail = page.getByTestId('graph-detail');

  // Along the lines, from the input on.
  await page.getByTestId('graph-frame').focus();
  for (let i = 0; i < 2; i++) await page.keyboard.press('ArrowDown');
  await expect(detail).not.toContainText('input image');
  await page.keyboard.press('Home');
  await expect(detail).toContainText('input f32[batch, 1, 28, 28]');
  expect(await violations(page, '[data-pane=graph]')).toEqual([]);

  // To what the search finds, and to its instruction.
  const search = page.getByTestId('graph-search');
  await search.fill('pool2 maxpool');
  await expect(page.getByTestId('graph-found')).toHaveText('1 found');
  await search.press('Enter');
  await expect(page.getByTestId('graph-found')).toHaveText('1 of 1');
  await expect(detail).toContainText('kernel_shape');
  await page.getByTestId('graph-pc-8').click();
  await page.getByTestId('tab-bytecode').click();
  const row = page.locator('[data-testid=bytecode-grid] [data-row-id="8"]');
  await expect(row).toHaveClass(/\bselected\b/);

  // And back: what was made from the same node is shown there.
  await page.getByTestId('tab-graph').click();
  await expect(detail).toContainText('pool2/MaxPool');
  await search.fill('');
  await page.getByTestId('graph-as-table').click();
  const rows = page.getByTestId('graph-table').locator('tbody tr');
  await expect(rows).toHaveCount(25);
  await expect(page.getByTestId('graph-table').locator('tr.picked')).toContainText('pool2/MaxPool');
  await search.fill('conv');
  await expect(rows.first()).toContainText('conv');
  expect(await violations(page, '[data-pane=graph]')).toEqual([]);
});

test('a long graph is laid out, and its picture can be moved at once', async ({
  playground, page,
}) => {
  await open(playground, chainModel(Array.from({ length: 1200 }, (_, i) =>
    (i % 2 === 0 ? 'Neg' : 'Relu'))));
  await expect(page.getByTestId('graph-picture'))
    .toHaveAttribute('aria-label', 'Graph of the model: 1202 boxes, 1201 lines');
  await expect(page.getByTestId('pane-graph')).not.toContainText('Laying out');
  await page.getByTestId('graph-frame').focus();
  await page.keyboard.press('End');
  await expect(page.getByTestId('graph-detail')).toContainText('output');
  await page.getByTestId('graph-as-table').click();
  await expect(page.getByTestId('graph-table').locator('tbody tr')).toHaveCount(500);
  await expect(page.getByTestId('pane-graph')).toContainText('the first 500 of 1\u202f202 rows');
});
