// SPDX-License-Identifier: Apache-2.0
// The first seconds and later visits: what is fetched, what a stranger reads, no network, a server
// that demands Trusted Types.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Page } from '@playwright/test';
import { violations } from '../support/axe.js';
import { expect, test } from '../support/page.js';

const kAssets = resolve(__dirname, '../../../web/dist/assets');

test('starts without a compiler: the digits come compiled', async ({ playground, page }) => {
  expect((await playground.state()).program).toMatchObject({
    name: 'digits.tern', kind: 'executable', instructions: 18,
  });
  const fetched = await page.evaluate(() =>
    performance.getEntriesByType('resource').map((entry) => entry.name));
  expect(fetched.filter((name) => /compiler|tern-debug/.test(name))).toEqual([]);
});

test('shows a recorded run before the engine is there, and keeps what is pressed for it', async ({
  playground, page,
}) => {
  await playground.idle();
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  // The engine's module under any of its names, which a service worker would have otherwise.
  await page.route(/\.(?:wasm|gz)$/, async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(`${process.env['TERN_PAGE']}?test=1`);
  await expect(page.getByTestId('engine')).toHaveText('starting the engine…');
  await expect(page.getByTestId('pane-bytecode')).toContainText('ret');
  await expect(page.getByTestId('pane-registers')).toContainText('f32[1, 10]');
  await expect(page.getByTestId('status')).toContainText('a recorded run');
  await expect(page.locator('body')).toHaveAttribute('data-state', 'loading');
  expect(await violations(page)).toEqual([]);
  await page.getByTestId('step').click();
  await expect(page.locator('body')).toHaveAttribute('data-state', 'loading');
  release();
  await playground.ready();
  expect(await playground.state()).toMatchObject({ state: 'paused', step: 1, problems: [] });
});

test.describe('without an engine', () => {
  test.use({ allowed: [/Failed to load resource.* 404/] });

  test('nothing recorded stays where the engine does not come', async ({ playground, page }) => {
    await playground.idle();
    await page.route(/\.(?:wasm|gz)$/, (route) => route.fulfill({ status: 404 }));
    await page.goto(`${process.env['TERN_PAGE']}?test=1`);
    await expect(page.getByTestId('engine')).toHaveText('the engine did not start');
    const state = await playground.state();
    expect(state).toMatchObject({ program: null, registers: [], step: 0 });
    expect(state.problems).toHaveLength(1);
  });
});

const kEngine = /\/tern\.wasm-[^/]*\.gz$/;

/** Engines that were fetched, by the page and by its worker. */
async function fetchedEngines(page: Page): Promise<{ page: number; worker: number }> {
  const names = (): string[] =>
    performance.getEntriesByType('resource').map(({ name }) => name);
  const count = (all: string[]): number => all.filter((name) => kEngine.test(name)).length;
  const worker = page.workers()[0]!;
  return { page: count(await page.evaluate(names)), worker: count(await worker.evaluate(names)) };
}

test('the page itself asks for the engine, once', async ({ playground, page }) => {
  expect(await fetchedEngines(page)).toEqual({ page: 1, worker: 0 });
  // What records works on another copy of it.
  await playground.click('step');
  expect(await fetchedEngines(page)).toEqual({ page: 1, worker: 0 });
  await page.reload();
  await page.locator('body[data-state=idle]').waitFor();
  expect(await fetchedEngines(page)).toEqual({ page: 1, worker: 0 });
});

test('an engine that the server unpacks on its way is taken as it is', async ({
  playground, page,
}) => {
  await playground.idle();
  const file = readdirSync(kAssets).find((name) => kEngine.test(`/${name}`))!;
  const body = gunzipSync(readFileSync(join(kAssets, file)));
  await page.route(kEngine, (route) =>
    route.fulfill({ contentType: 'application/octet-stream', body }));
  await playground.open();
  expect(await fetchedEngines(page)).toEqual({ page: 1, worker: 0 });
  await playground.click('sample-4');
  expect((await playground.state()).classification?.digit).toBe(4);
});

for (const [what, damage] of [
  ['is cut short', (bytes: Buffer) => bytes.subarray(0, 5000)],
  ['is another file', () => Buffer.from('no module at all')],
  ['is empty', () => Buffer.alloc(0)],
] as const) {
  test(`an engine that ${what} is named, and asked for again`, async ({ playground, page }) => {
    await playground.idle();
    const file = readdirSync(kAssets).find((name) => kEngine.test(`/${name}`))!;
    const body = damage(readFileSync(join(kAssets, file)));
    await page.route(kEngine, (route) => route.fulfill({ contentType: 'application/gzip', body }));
    await playground.open();
    const { problems, program } = await playground.state();
    expect(program).toBeNull();
    expect(problems.map(({ code }) => code)).toEqual(['E0601']);
    await page.unroute(kEngine);
    await playground.click('retry');
    expect(await playground.state()).toMatchObject({ state: 'idle', problems: [] });
  });
}

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

test('works where Trusted Types are demanded', { tag: '@browsers' }, async ({
  playground, page,
}) => {
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
