// SPDX-License-Identifier: Apache-2.0
// The address bar is the state: after a reload, back and forward, and in a second tab.
import { expect, Playground, test } from '../support/page.js';

const hash = (url: string): string => new URL(url).hash;
/** The address follows at rest. */
const kRest = 600;

test('a page that was left is as it was when the visitor comes back', async ({
  playground, page,
}) => {
  await playground.open('?test=1#v=1&ex=power');
  await page.evaluate(() => window.ternPlayground.step(4));
  await page.waitForTimeout(kRest);
  const before = await playground.state();
  const url = page.url();
  expect(hash(url)).toContain('step=4');
  await page.goto(new URL('embed-example.html', url).href);
  await page.goBack();
  await playground.ready();
  expect(page.url()).toBe(url);
  expect(await playground.state()).toEqual(before);
  // It can be gone on with, whether the browser had kept it or not.
  await playground.click('step');
  expect((await playground.state()).step).toBe(5);
  await page.goForward();
  await page.goBack();
  await playground.ready();
  expect((await playground.state()).program?.name).toBe('power.tasm');
});

test('back and forward go between programs', async ({ playground, page }) => {
  await playground.open('?test=1#v=1&view=lanes&ex=dot&vs=4&n=18');
  await page.evaluate(() => window.ternPlayground.loadLoops('relu'));
  await page.waitForTimeout(kRest);
  expect(hash(page.url())).toContain('ex=relu');
  await page.goBack();
  await playground.idle();
  await expect.poll(async () => (await playground.state() as unknown as {
    lanes: { example: string };
  }).lanes.example).toBe('dot');
  await page.goForward();
  await expect.poll(async () => (await playground.state() as unknown as {
    lanes: { example: string };
  }).lanes.example).toBe('relu');
});

test('a reload while a program runs shows what the address says', async ({ playground, page }) => {
  await playground.open('?test=1#v=1&ex=infinite_loop');
  await page.getByTestId('run').click();
  await expect(page.locator('body')).toHaveAttribute('data-state', 'running');
  const url = page.url();
  await page.reload();
  await playground.ready();
  expect(page.url()).toBe(url);
  expect(await playground.state()).toMatchObject({ state: 'idle', step: 0, problems: [] });
});

test('two tabs at once do not disturb each other', async ({ playground, page, context }) => {
  const other = new Playground(await context.newPage());
  await playground.open('?test=1#v=1&ex=power');
  await other.open('?test=1#v=1&ex=fibonacci');
  await Promise.all([
    page.evaluate(() => window.ternPlayground.step(3)),
    other.page.evaluate(() => window.ternPlayground.step(7)),
  ]);
  await page.waitForTimeout(kRest);
  expect(await playground.state()).toMatchObject({ step: 3, program: { name: 'power.tasm' } });
  expect(await other.state()).toMatchObject({ step: 7 });
  expect(hash(page.url())).toContain('ex=power');
  expect(hash(other.page.url())).toContain('ex=fibonacci');
  await other.page.getByTestId('preset-profile').click();
  await page.reload();
  await playground.ready();
  expect(await playground.state()).toMatchObject({ step: 3, program: { name: 'power.tasm' } });
  await other.page.close();
});
