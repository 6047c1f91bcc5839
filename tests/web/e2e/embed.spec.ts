// SPDX-License-Identifier: Apache-2.0
// Panes inside of another page: the custom element of the example page, its sandbox and size; one
// pane without what is around it.
import { violations } from '../support/axe.js';
import { expect, test } from '../support/page.js';

// The browser's warning of frames of the page's own server, as the example has them.
test.use({ allowed: [/can escape its sandboxing/] });

test('the example page shows two panes, which run and say how high they are', async ({
  playground, page,
}) => {
  await playground.idle();
  await page.goto(`${process.env['TERN_PAGE']}embed-example.html`);
  const first = page.locator('tern-playground').first();
  const frame = first.locator('iframe');
  await expect(frame).toHaveAttribute('sandbox', 'allow-scripts allow-same-origin allow-popups');
  const inside = frame.contentFrame();
  const body = inside.locator('body');
  await expect.poll(() => body.evaluate(() => 'ternPlayground' in window)).toBe(true);
  await body.evaluate(() => window.ternPlayground.ready);
  await inside.getByTestId('step').click();
  await expect(inside.locator('body')).toHaveAttribute('data-step', '1');
  await expect(inside.getByTestId('open-playground'))
    .toHaveAttribute('href', /#v=1&ex=power&step=1/);
  await expect(inside.getByTestId('open-gallery')).toHaveCount(0);
  const heights = await Promise.all([
    inside.locator('#app').evaluate((app) => app.getBoundingClientRect().height),
    frame.evaluate((element) => element.getBoundingClientRect().height),
  ]);
  expect(Math.abs(heights[0]! - heights[1]!)).toBeLessThanOrEqual(2);
  const second = page.locator('tern-playground').nth(1).locator('iframe').contentFrame();
  await second.getByTestId('vscale').scrollIntoViewIfNeeded();
  await expect(second.getByTestId('vscale')).toHaveValue('4');
});

test('an embedded pane stands alone, on a phone too; unknown ones show the controls', async ({
  playground, page,
}) => {
  await page.setViewportSize({ width: 360, height: 640 });
  await playground.open('?test=1&embed=1&pane=registers#v=1&ex=power&step=3');
  await expect(page.getByTestId('pane-registers')).toBeVisible();
  await expect(page.getByTestId('pane-bytecode')).toHaveCount(0);
  await expect(page.getByTestId('preset-debug')).toHaveCount(0);
  await expect(page.locator('.help')).toHaveCount(0);
  expect(await violations(page)).toEqual([]);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(overflow).toBeLessThanOrEqual(0);
  await playground.open('?test=1&embed=1&pane=no-such');
  await expect(page.getByTestId('pane-run')).toBeVisible();
});

test('the way to the whole page carries what was edited', async ({ playground, page }) => {
  await playground.open('?test=1&embed=1&pane=bytecode#v=1&ex=power');
  const link = page.getByTestId('open-playground');
  await expect(link).toHaveAttribute('href', /#v=1&ex=power/);
  const edited = '.func @main() -> int ; ünïcode\n  mul   6, 7 dst: %0\n  ret   ret %0\n';
  await page.evaluate((text) => window.ternPlayground.editSource(text), edited);
  await playground.click('run');
  await expect(link).toHaveAttribute('href', /&z=[\w-]+&as=tasm/);
  const address = new URL((await link.getAttribute('href'))!, page.url());
  await playground.open(`?test=1&linked${address.hash}`);
  const state = await playground.state() as unknown as { source: { text: string; name: string } };
  expect(state.source).toMatchObject({ text: edited, name: 'linked.tasm' });
  await playground.click('run');
  expect(Object.values((await playground.state()).outputs!)).toEqual([42]);
});

test('a link with assembly of one’s own, and one that was cut off', async ({
  playground, page,
}) => {
  await playground.drop({
    name: 'mine.tasm',
    bytes: new TextEncoder().encode(
      '.func @main() -> int\n  load_const int 5 dst: %0\n  ret   ret %0\n'),
  });
  await expect.poll(() => page.url()).toMatch(/&as=tasm/);
  const { hash } = new URL(page.url());
  await playground.open(`?test=1&linked${hash}`);
  expect(await playground.state()).toMatchObject({
    program: { name: 'linked.tasm', kind: 'assembly', instructions: 2 },
  });
  await playground.open(`?test=1&cut${hash.replace(/z=([\w-]{8})[\w-]*/, 'z=$1')}`);
  const { problems, program } = await playground.state();
  expect(problems[0]?.message).toContain('address of this page is damaged');
  expect(program?.name).not.toBe('linked.tasm');
});
