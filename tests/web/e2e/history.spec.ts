// SPDX-License-Identifier: Apache-2.0
// The address bar is the state: after a reload, back and forward, and in a second tab.
import { expect, Playground, test } from '../support/page.js';

test.use({ allowed: [/404/] }); // of another page, which has no icon

const hash = (url: string): string => new URL(url).hash;
/** Of an address of its own: a link that only differs behind the # is none to the browser. */
const open = (playground: Playground, link: string): Promise<void> =>
  playground.open(`?test=1&of=${encodeURIComponent(link)}${link}`);
/** The address follows at rest. */
const kRest = 600;

test('a page that was left is as it was when the visitor comes back', { tag: '@desktop' }, async ({
  playground, page,
}) => {
  await open(playground, '#v=1&ex=power');
  await page.evaluate(() => window.ternPlayground.step(4));
  await page.waitForTimeout(kRest);
  const before = await playground.state();
  const url = page.url();
  expect(hash(url)).toContain('step=4');
  await page.evaluate(() => Object.assign(window, { wasLeft: true }));
  await page.goto(new URL('icon.svg', url).href);
  // A page that was kept is not loaded again.
  await page.goBack({ waitUntil: 'commit' });
  await playground.ready();
  // The browser has kept it, with its workers.
  expect(await page.evaluate(() => 'wasLeft' in window)).toBe(true);
  expect(page.url()).toBe(url);
  expect(await playground.state()).toEqual(before);
  await playground.click('step');
  expect((await playground.state()).step).toBe(5);
});

test('a page that was not kept is made again from its address', async ({ playground, page }) => {
  await open(playground, '#v=1&ex=power');
  await page.evaluate(() => window.ternPlayground.step(4));
  await page.waitForTimeout(kRest);
  const before = await playground.state();
  const url = page.url();
  // What holds a lock is not kept.
  await page.evaluate(() => {
    void navigator.locks.request('kept', () => new Promise(() => {}));
  });
  await page.goto(new URL('icon.svg', url).href);
  // A page that was kept is not loaded again.
  await page.goBack({ waitUntil: 'commit' });
  await playground.ready();
  expect(page.url()).toBe(url);
  expect(await playground.state()).toEqual(before);
  await playground.click('step');
  expect((await playground.state()).step).toBe(5);
});

test('back and forward go between programs', async ({ playground, page }) => {
  await open(playground, '#v=1&view=lanes&ex=dot&vs=4&n=18');
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

test('so they do between programs of the machine, also after a run', async ({
  playground, page,
}) => {
  const name = async () => (await playground.state()).program?.name;
  // Links that are followed in the same tab.
  const links = [['ex=power&step=3', 'power.tasm', 3], ['ex=life', 'life.tn', 0]] as const;
  for (const [link, expected, step] of links) {
    await page.evaluate((hash) => {
      location.hash = hash;
    }, `#v=1&${link}`);
    await expect.poll(name).toBe(expected);
    // The page writes its address anew when it rests: a link is left once it is shown whole.
    await expect.poll(async () => (await playground.state()).step).toBe(step);
  }
  await page.waitForTimeout(kRest);
  await page.goBack();
  await expect.poll(name).toBe('power.tasm');
  await expect.poll(async () => (await playground.state()).step).toBe(3);
  await page.goBack();
  await expect.poll(name).toBe('digits.tern');
  expect((await playground.state()).problems).toEqual([]);
});

// Links that builds of the page gave out: what each shows stays for ever. Their fields are in
// tests/web/unit/address.test.ts.
const kLinks: readonly [link: string, shows: Record<string, unknown>][] = [
  ['#v=1&ex=power&step=4&sel=pc:2',
    { view: 'machine', step: 4, pc: 2, depth: 3, program: { name: 'power.tasm' } }],
  ['#v=1&view=machine&step=6&sel=reg:1.0',
    { view: 'machine', step: 6, pc: 6, program: { name: 'digits.tern', instructions: 18 } }],
  ['#v=1&view=lanes&ex=dot&vs=4&n=18',
    { view: 'lanes', step: 0, lanes: { example: 'dot', vscale: 4, n: 18 } }],
  ['#v=1&view=lanes&z=K0lVKCnPTE61ybPTqLBSSMvJTywxNorOi9VU0LVT0KhEFapWSM7PLSgtSVWojM6MVbBVqABRWg' +
    'pGegYKtQA&vs=16&n=5',
  { view: 'lanes', lanes: { example: '', vscale: 16, n: 5, problems: [] } }],
  ['#v=1&z=00srzUtWcMhNzMzT0FTQtVPIzCvhUlDIyU9MiU_OzysuAQkomCqkFJdYKagacCko5JbmKCgoqBroKBhDRQ25FB' +
    'SKUksUIKSqIRcA&as=tasm&step=2', {
    step: 2, pc: 2, program: { name: 'linked.tasm', kind: 'assembly', instructions: 3 },
    registers: [{ index: 0, value: '5' }, { index: 1, value: '15' }],
  }],
  ['#v=1&z=S8tTyE3MzNPQVNC1U8jMK1Go5lJQyEktUahQsFUwMrAG8_LSSzI0oit0FAxjNRW0FSq4arkA&as=tn',
    { step: 0, program: { name: 'linked.tn', kind: 'language' } }],
  // Of a version to come, and cut off: at least the page.
  ['#v=9&view=lanes&ex=dot', { view: 'machine', program: { name: 'digits.tern' } }],
  ['#v=1&ex=', { view: 'machine', program: { name: 'digits.tern' } }],
];

for (const [link, shows] of kLinks) {
  test(`the link ${link.slice(0, 40)} shows what it did`, async ({ playground }) => {
    await open(playground, link);
    const state = await playground.state();
    expect(state).toMatchObject(shows);
    expect(state.problems).toEqual([]);
  });
}

test('a skip link is no address', async ({ playground, page }) => {
  await open(playground, '#v=1&view=lanes&ex=dot&vs=4&n=18');
  const link = page.locator('.skip').first();
  await link.focus();
  await page.keyboard.press('Enter');
  await page.waitForTimeout(kRest);
  await expect(page.getByTestId('preset-vector')).toHaveAttribute('aria-pressed', 'true');
  await expect(page.getByTestId('strategy-fixed')).toBeVisible();
});

test('a skip link leads somewhere while the code of its pane is fetched', async ({
  playground, page,
}) => {
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => { release = resolve; });
  await page.route('**/assets/of-graphs-*.js', async (route) => {
    await held;
    await route.continue();
  });
  await page.getByTestId('preset-compare').click();
  await expect(page.getByText('Fetching the pane Compare…')).toBeVisible();
  const target = await page.locator('.skip').getAttribute('href');
  await expect(page.locator(target!)).toHaveCount(1);
  release();
  await playground.idle();
  await expect(page.locator(`${target!} h2`)).toHaveText('Compare');
});

test('a reload while a program runs shows what the address says', async ({ playground, page }) => {
  await open(playground, '#v=1&ex=infinite_loop');
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
  await open(playground, '#v=1&ex=power');
  await open(other, '#v=1&ex=fibonacci');
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
  await expect(page.getByTestId('preset-debug')).toHaveAttribute('aria-pressed', 'true');
  await other.page.close();
});
