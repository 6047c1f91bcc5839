// SPDX-License-Identifier: Apache-2.0
// Drawing digits and seeing them classified.
import { expect, test } from '../support/page.js';

test('a one drawn by mouse is a 1', { tag: '@browsers' }, async ({ playground, page }) => {
  await playground.draw([[0.42, 0.3], [0.54, 0.18], [0.52, 0.82]]);
  await expect(page.getByTestId('digit')).toHaveText('1');
  const { classification } = await playground.state();
  expect(classification!.digit).toBe(1);
  expect(classification!.probabilities.reduce((a, b) => a + b, 0)).toBeCloseTo(1, 4);
});

test('a seven of two strokes and a zero drawn by mouse', async ({ playground, page }) => {
  await playground.draw([[0.28, 0.24], [0.72, 0.23], [0.46, 0.82]]);
  await expect(page.getByTestId('digit')).toHaveText('7');
  await playground.click('clear');
  await expect(page.getByTestId('digit')).toHaveText('–');
  const ring = Array.from({ length: 25 }, (_, i) => {
    const angle = (i / 24) * 2 * Math.PI;
    return [0.5 + 0.2 * Math.sin(angle), 0.5 - 0.3 * Math.cos(angle)] as const;
  });
  await playground.draw(ring);
  await expect(page.getByTestId('digit')).toHaveText('0');
});

test('every sample digit is classified as what it is', async ({ playground }) => {
  for (let digit = 0; digit < 10; digit++) {
    await playground.click(`sample-${digit}`);
    const { classification } = await playground.state();
    expect.soft(classification?.digit, `sample ${digit}`).toBe(digit);
    expect.soft(classification?.probabilities[digit], `sample ${digit}`).toBeGreaterThan(0.8);
  }
});

test('the keyboard alone draws a one', async ({ playground, page }) => {
  await page.getByTestId('draw-area').focus();
  for (let i = 0; i < 2; i++) await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Space');
  for (let i = 0; i < 18; i++) await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Space');
  await playground.idle();
  await expect(page.getByTestId('digit')).toHaveText('1');
  await page.keyboard.press('Backspace');
  await playground.idle();
  await expect(page.getByTestId('digit')).toHaveText('–');
});

test('the canvas has a name and a table with the same numbers', async ({ playground, page }) => {
  await playground.click('sample-3');
  await expect(page.getByRole('img', { name: 'Your drawing: 1 stroke' })).toBeVisible();
  await page.getByTestId('drawing-as-table').locator('summary').click();
  const rows = page.getByTestId('drawing-table').locator('tbody tr');
  await expect(rows).toHaveCount(28);
  const cells = await rows.locator('td').allTextContents();
  expect(cells).toHaveLength(28 * 28);
  expect(Math.max(...cells.map(Number))).toBeGreaterThan(200);
});

test('nothing drawn is nothing classified', async ({ playground, page }) => {
  await expect(page.getByTestId('classify')).toBeDisabled();
  expect((await playground.state()).classification).toBeUndefined();
  await playground.draw([[0.5, 0.5]]);
  await page.getByTestId('undo').click();
  await expect(page.getByTestId('classify')).toBeDisabled();
  expect((await playground.state()).classification).toBeUndefined();
});

test('drawing leaves the run that is being stepped alone', async ({ playground }) => {
  await playground.click('step');
  const before = await playground.state();
  await playground.click('sample-5');
  const after = await playground.state();
  expect(after.classification!.digit).toBe(5);
  expect([after.step, after.pc]).toEqual([before.step, before.pc]);
});
