// SPDX-License-Identifier: Apache-2.0
// axe in the states that no other test passes through: every preset, each way to look into a
// tensor, while a program runs, and a page that is enlarged to twice its size.
import { violations } from '../support/axe.js';
import { expect, type Playground, test } from '../support/page.js';

const kEndless = '.func @main(x: int) -> int\nagain:\n  add %0, 1 dst: %0\n  goto again\n';
const kTabs = ['heatmap', 'table', 'histogram', 'stats', 'layout', 'hex', 'compare'];

async function expectClean({ page }: Playground, state: string, within?: string): Promise<void> {
  expect.soft(await violations(page, within), state).toEqual([]);
}

test('every preset in the dark, and each way to look into a tensor in both', async ({
  playground, page,
}) => {
  await playground.click('sample-3');
  await page.evaluate(() => window.ternPlayground.step(6));
  await page.locator('[data-testid=registers] [data-row-id="1"] button').first().click();
  await page.getByTestId('tab-inspector').click();
  for (const tab of kTabs) {
    await playground.click(`inspect-${tab}`);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await expectClean(playground, `${tab}, ${colorScheme}`, '[data-pane=inspector]');
    }
  }
  for (const preset of ['learn', 'profile', 'compare']) {
    await playground.click(`preset-${preset}`);
    if (preset === 'profile') await playground.click('profile-run');
    await expectClean(playground, preset);
  }
});

test('while a program runs, and when it was stopped', async ({ playground, page }) => {
  await playground.drop({ name: 'endless.tasm', bytes: new TextEncoder().encode(kEndless) });
  await page.getByTestId('run').click();
  await expect(page.locator('body')).toHaveAttribute('data-state', 'running');
  await expectClean(playground, 'running');
  await page.getByTestId('stop').click();
  await playground.idle();
  await expectClean(playground, 'stopped');
  await page.keyboard.press('Control+k');
  await page.getByTestId('palette-field').fill('step');
  await expectClean(playground, 'the palette');
});

test.describe('at 200 %', () => {
  // What a window of 1280 × 800 has room for when everything is twice as large.
  test.use({ viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 });
  test('nothing is cut off sideways in any preset', async ({ playground, page }) => {
    for (const preset of ['debug', 'learn', 'vector', 'profile', 'compare']) {
      await playground.click(`preset-${preset}`);
      await expectClean(playground, preset);
      const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect.soft(over, preset).toBeLessThanOrEqual(0);
    }
  });
});
