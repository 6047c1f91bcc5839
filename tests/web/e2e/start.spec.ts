// SPDX-License-Identifier: Apache-2.0
// The first seconds and later visits: what is fetched, what a stranger reads, no network, a server
// that demands Trusted Types.
import { violations } from '../support/axe.js';
import { expect, test } from '../support/page.js';

test('starts without a compiler: the digits come compiled', async ({ playground, page }) => {
  expect((await playground.state()).program).toMatchObject({
    name: 'digits.tern', kind: 'executable', instructions: 18,
  });
  const fetched = await page.evaluate(() =>
    performance.getEntriesByType('resource').map((entry) => entry.name));
  expect(fetched.filter((name) => /compiler|tern-debug/.test(name))).toEqual([]);
});

test('a stranger is told what this is, and has three ways in', async ({ playground, page }) => {
  const welcome = page.getByTestId('welcome');
  await expect(welcome).toContainText('runs in this page');
  await playground.click('way-draw');
  expect((await playground.state()).classification?.digit).toBe(3);
  await expect(welcome).toHaveCount(0);
  await page.reload();
  await playground.ready();
  await expect(welcome).toHaveCount(0);
});

test('the other ways step and show vectors', async ({ playground, page }) => {
  await playground.click('way-step');
  expect((await playground.state()).step).toBe(1);
  await page.evaluate(() => localStorage.clear());
  await playground.open();
  await playground.click('way-lanes');
  await expect(page.getByTestId('pane-lanes')).toBeVisible();
});

test('leads to the documentation, which leads back', async ({ playground, page }) => {
  await playground.idle();
  await page.getByTestId('documentation').click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Tern');
  await page.getByRole('link', { name: 'the command line', exact: true }).click();
  await page.getByRole('link', { name: 'Playground' }).click();
  await playground.ready();
});

test('works without a network after one visit', async ({ playground, page, context }) => {
  await playground.open('');
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
  });
  await context.setOffline(true);
  await page.reload();
  await playground.ready();
  await playground.click('sample-7');
  await playground.click('run');
  expect(await playground.state()).toMatchObject({
    stopReason: 'returned', problems: [], classification: { digit: 7 },
  });
  await page.getByTestId('preset-vector').click();
  await expect(page.getByTestId('grid-predicated')).toBeVisible();
  await context.setOffline(false);
});

test('works where Trusted Types are demanded', async ({ playground, page }) => {
  await page.route(/\/play\/\?/, async (route) => {
    const response = await route.fetch();
    const headers = {
      ...response.headers(), 'content-security-policy': "require-trusted-types-for 'script'",
    };
    await route.fulfill({ response, headers });
  });
  await playground.open();
  await playground.click('step');
  expect((await playground.state()).step).toBe(1);
  await page.getByTestId('preset-vector').click();
  await playground.idle();
  await expect(page.getByTestId('grid-predicated')).toBeVisible();
});

for (const scheme of ['light', 'dark'] as const) {
  test.describe(scheme, () => {
    test.use({ colorScheme: scheme });
    test('axe has nothing to say of the welcome', async ({ playground, page }) => {
      await playground.idle();
      await expect(page.getByTestId('welcome')).toBeVisible();
      expect(await violations(page)).toEqual([]);
    });
  });
}
