// SPDX-License-Identifier: Apache-2.0
// The worker and the page as a whole: endless programs, an engine that dies, budgets, the CSP.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page } from '@playwright/test';
import { violations } from '../support/axe.js';
import { expect, test } from '../support/page.js';

const kDist = resolve(__dirname, '../../../web/dist');
const kEndless = `.func @main(x: int) -> int
again:
  add %0, 1 dst: %0
  goto again
`;
const isModule = (asset: string): boolean => /\.wasm(-.{8}\.gz)?$/.test(asset);
const nameOfModule = (asset: string): string =>
  asset.replace(/-.{8}\.wasm$/, '').replace(/\.wasm-.{8}\.gz$/, '');
const text = (value: string): Uint8Array => new TextEncoder().encode(value);

test.describe('an endless program', () => {
  test.beforeEach(async ({ playground }) => {
    await playground.drop({ name: 'endless.tasm', bytes: text(kEndless) });
  });

  test('is stopped, says so, and can go on', async ({ playground, page }) => {
    await page.getByTestId('run').click();
    await expect(page.locator('body')).toHaveAttribute('data-state', 'running');
    await expect
      .poll(async () => Number(await page.locator('body').getAttribute('data-step')))
      .toBeGreaterThan(1000);
    await page.getByTestId('stop').click();
    const stopped = await playground.state();
    expect(stopped.stopReason).toBe('cancelled');
    expect(stopped.registers[0]!.kind).toBe('int');
    await playground.click('step');
    expect((await playground.state()).step).toBe(stopped.step + 1);
  });

  test('leaves the page responsive while it runs', async ({ playground, page }) => {
    await page.getByTestId('run').click();
    await expect(page.locator('body')).toHaveAttribute('data-state', 'running');
    // Of many turns most are short; one alone may wait for other programs of the machine.
    const usual = await page.evaluate(async () => {
      const turns: number[] = [];
      for (let i = 0; i < 31; i++) {
        const begin = performance.now();
        await new Promise((resume) => setTimeout(resume, 5));
        turns.push(performance.now() - begin);
      }
      return turns.sort((a, b) => a - b)[15]!;
    });
    expect(usual).toBeLessThan(200);
    await page.keyboard.press('Escape');
    expect((await playground.state()).stopReason).toBe('cancelled');
  });

  test('ends when another program is loaded', async ({ playground, page }) => {
    await page.getByTestId('run').click();
    await expect(page.locator('body')).toHaveAttribute('data-state', 'running');
    await playground.click('load-digits');
    expect(await playground.state()).toMatchObject({
      state: 'idle',
      step: 0,
      program: { name: 'digits.tern' },
    });
  });
});

test('a kernel that does not listen ends with its engine, and the next run works', async ({
  playground, page,
}) => {
  await playground.drop({ name: 'busy.tasm', bytes: text(`.func @main(x: f32[2500, 2500])
  call  matmul  in: %0, %0  dst: %1
  call  matmul  in: %1, %0  dst: %1
  ret   ret %1
`) });
  await page.getByTestId('run').click();
  await expect(page.locator('body')).toHaveAttribute('data-state', 'running');
  await page.getByTestId('stop').click();
  const stopped = await playground.state();
  expect(stopped).toMatchObject({ stopReason: 'cancelled', program: { name: 'busy.tasm' } });
  expect(stopped.problems.map(({ code }) => code)).toEqual(['E0605']);
  await playground.click('load-digits');
  await playground.click('sample-4');
  await playground.click('run');
  expect(await playground.state()).toMatchObject({
    stopReason: 'returned', problems: [], classification: { digit: 4 },
  });
});

test.describe('a run that takes more than it may', () => {
  const kHungry = `.func @main(x: int) -> int
  alloc_storage size: 100000000 alignment: 64 dtype: f32 device: 0 dst: %1
  ret ret %0
`;

  test('rests by the name of the limit, and goes on', async ({ playground, page }) => {
    const limit = async (name: string, value: string): Promise<void> => {
      await page.getByTestId(`limit-${name}`).fill(value);
      await page.keyboard.press('Tab');
      await playground.idle();
    };
    const runs = async (): Promise<object> => {
      await playground.click('run');
      const { stopReason, step, problems } = await playground.state();
      return { stopReason, step, code: problems[0]?.code };
    };
    await playground.drop({ name: 'endless.tasm', bytes: text(kEndless) });
    await page.getByTestId('tab-breakpoints').click();
    await limit('steps', '0.001');
    expect(await runs()).toEqual({ stopReason: 'step-limit', step: 1000, code: 'S0301' });
    await expect(page.getByTestId('run')).toHaveText('Continue');
    expect(await runs()).toEqual({ stopReason: 'step-limit', step: 2000, code: 'S0301' });
    await playground.click('back');
    expect(await playground.state()).toMatchObject({ step: 1999 });
    // What is no limit leaves the one before.
    for (const none of ['-5', '']) await limit('steps', none);
    await expect(page.getByTestId('limit-steps')).toHaveValue('0.001');
    await limit('steps', '0');
    await limit('milliseconds', '0.05');
    expect(await runs()).toMatchObject({ stopReason: 'time-limit', code: 'S0303' });
    await playground.drop({ name: 'hungry.tasm', bytes: text(kHungry) });
    await limit('bytes', '1');
    expect(await runs()).toEqual({ stopReason: 'memory-limit', step: 1, code: 'E0302' });
    await limit('bytes', '512');
    expect(await runs()).toMatchObject({ stopReason: 'returned', code: undefined });
    expect(await violations(page)).toEqual([]);
  });
});

test('an engine that dies is replaced, with the program loaded again', async ({
  playground,
  page,
}) => {
  await playground.click('step');
  await page.workers()[0]!.evaluate(() => {
    setTimeout(() => {
      throw new Error('unreachable');
    });
  });
  await expect(page.locator('body')).toHaveAttribute('data-step', '0');
  await playground.click('sample-7');
  await playground.click('run');
  expect(await playground.state()).toMatchObject({
    stopReason: 'returned',
    classification: { digit: 7 },
  });
  // The page has given it the engine that it gave to the one before.
  const fetched = await page.workers()[0]!.evaluate(() =>
    performance.getEntriesByType('resource').map(({ name }) => name));
  expect(fetched.filter((name) => /\/tern(?:-simd)?\.wasm/.test(name))).toEqual([]);
});

test.describe('without its WebAssembly', () => {
  test.use({ allowed: [/404/, /Failed to load resource/] });

  test('the page says what the server sent instead', async ({ playground, page }) => {
    await page.route('**/tern.wasm*', (route) =>
      route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }),
    );
    await playground.open();
    const { problems } = await playground.state();
    expect(problems[0]!.code).toBe('E0601');
    expect(problems[0]!.message).toContain('HTML');
    await expect(page.getByTestId('run')).toBeDisabled();
    // It says so everywhere, and tries again when it is told to.
    await expect(page.getByTestId('engine')).toHaveText('the engine did not start');
    await expect(page.locator('body')).not.toContainText(/starting the engine/i);
    await page.unroute('**/tern.wasm*');
    await playground.click('retry');
    expect(await playground.state()).toMatchObject({
      state: 'idle', problems: [], program: { name: 'digits.tern' },
    });
  });

  test('the Lanes view says it too, and tries again', async ({ playground, page }) => {
    await page.route('**/tern-loops*.wasm*', (route) =>
      route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }),
    );
    await page.evaluate(() => window.ternPlayground.show('lanes'));
    await playground.idle();
    await expect(page.getByTestId('loop-problems')).toContainText('E0601');
    await page.unroute('**/tern-loops*.wasm*');
    await playground.click('loops-retry');
    await expect(page.getByTestId('loop-problems')).toBeEmpty();
    await expect(page.getByTestId('strategy-fixed')).toBeVisible();
  });
});

test('the policy forbids inline code, and nothing breaks it', async ({ playground, page }) => {
  const violations = await page.evaluate(() => {
    const seen: string[] = [];
    document.addEventListener('securitypolicyviolation', (event) =>
      seen.push(event.violatedDirective),
    );
    return seen;
  });
  await playground.click('sample-0');
  await playground.click('run');
  expect(violations).toEqual([]);
  const html = readFileSync(join(kDist, 'index.html'), 'utf8');
  expect(html).toContain("script-src 'self' 'wasm-unsafe-eval'");
  expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=/);
});

test('sizes stay within their budgets', () => {
  const assets = readdirSync(join(kDist, 'assets'));
  const packed = (name: string): number =>
    gzipSync(readFileSync(join(kDist, name)), { level: 9 }).length;
  const html = readFileSync(join(kDist, 'index.html'), 'utf8');
  const shell = assets.filter((name) => html.includes(name)).map((name) => `assets/${name}`);
  const total = ['index.html', ...shell].reduce((sum, name) => sum + packed(name), 0);
  expect(shell.length).toBeGreaterThanOrEqual(2);
  expect(total).toBeLessThanOrEqual(40 * 1024);
  const budget = readFileSync(resolve(__dirname, '../../../wasm/size_budget.txt'), 'utf8');
  for (const name of assets.filter(isModule)) {
    const module = `/${nameOfModule(name)}.wasm`;
    const line = budget.split('\n').find((each) => each.split(/\s+/)[0]!.endsWith(module));
    // check_wasm_size takes another gzip, which packs up to 1 % better.
    const allowed = 1.01 * Number(line!.split(/\s+/)[1]);
    expect.soft(packed(`assets/${name}`), name).toBeLessThanOrEqual(allowed);
    // One of these is what a visit begins with.
    if (/^tern(?:-simd)?$/.test(nameOfModule(name)))
      expect.soft(packed(`assets/${name}`), name).toBeLessThanOrEqual(600 * 1024);
  }
  // All that a host serves, but for the documentation and what lies packed beside its file.
  const files = readdirSync(kDist, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => join(relative(kDist, each.parentPath), each.name));
  const isPacked = (name: string): boolean =>
    /\.(?:gz|br)$/.test(name) && files.includes(name.slice(0, -3));
  const site = files.filter((name) => !/^docs\b/.test(name) && !isPacked(name));
  expect(site.length).toBeGreaterThan(assets.length);
  expect(site.length).toBeLessThanOrEqual(60);
  expect(site.reduce((sum, name) => sum + packed(name), 0)).toBeLessThanOrEqual(2.5 * 1024 * 1024);
  for (const name of assets.filter((each) => /\.(?:js|css)$/.test(each)))
    expect.soft(packed(`assets/${name}`), name).toBeLessThanOrEqual(60 * 1024);
  const styles = assets.filter((name) => name.endsWith('.css'));
  const styleBytes = styles.reduce((sum, name) => sum + packed(`assets/${name}`), 0);
  expect(styleBytes).toBeLessThanOrEqual(20 * 1024);
  // Text has the fonts of the system: none is waited for.
  for (const name of styles)
    expect(readFileSync(join(kDist, 'assets', name), 'utf8'), name).not.toMatch(/@font-face/);
  expect(assets.filter((name) => /\.(?:woff2?|ttf|otf)$/.test(name))).toEqual([]);
});

test('the editor is there after 220 KiB of scripts', async ({ playground, page }) => {
  await playground.open('?test=1&editor#v=1&ex=power');
  await expect(page.getByTestId('editor')).toBeVisible();
  await playground.idle();
  const fetched = await page.evaluate(() =>
    performance.getEntriesByType('resource').map(({ name }) =>
      name.slice(new URL('.', document.baseURI).href.length)));
  // Those of the page: workers are fetched beside them.
  const scripts = new Set(fetched.filter((name) => name.endsWith('.js') && !/worker/.test(name)));
  const bytes = [...scripts].map((name) =>
    gzipSync(readFileSync(join(kDist, name)), { level: 9 }).length);
  expect(scripts.size).toBeGreaterThan(5);
  expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(220 * 1024);
});

test('libraries that are too large for the page do not come along', () => {
  const lock = readFileSync(resolve(__dirname, '../../../web/package-lock.json'), 'utf8');
  const names = Object.keys((JSON.parse(lock) as { packages: object }).packages);
  expect(names.length).toBeGreaterThan(20);
  const kBarred = ['monaco-editor', 'echarts', 'elkjs', 'shepherd.js', 'codemirror', 'react-dom'];
  expect(kBarred.filter((name) => names.includes(`node_modules/${name}`))).toEqual([]);
});

test('nothing moves while the page starts', async ({
  playground, page,
}) => {
  await page.addInitScript(() => {
    const seen = { shift: 0 };
    Object.assign(window, { seen });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries())
        seen.shift += (entry as PerformanceEntry & { value: number }).value;
    }).observe({ type: 'layout-shift', buffered: true });
  });
  // Far enough from its server that its parts, the record and the program come one after another.
  const network = await page.context().newCDPSession(page);
  await network.send('Network.enable');
  await network.send('Network.emulateNetworkConditions', {
    offline: false, latency: 40, downloadThroughput: 1e6, uploadThroughput: 1e6,
  });
  await playground.open();
  const shift = await page.evaluate(() =>
    (window as unknown as { seen: { shift: number } }).seen.shift);
  expect(shift).toBeLessThanOrEqual(0.01);
});

/** The banner's name and mark, as they are in the page. */
const nameIn = (page: Page) => page.evaluate(() =>
  ['svg', 'h1'].map((part) => document.querySelector(`.banner > ${part}`)?.outerHTML
    .replace(/\s+/g, ' ').replaceAll('> <', '><')));

test('the name is there before the program of the page, which goes on with it', async ({
  playground, page,
}) => {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/assets/index-*.js', async (route) => {
    await released;
    await route.continue();
  });
  await page.goto(`${process.env['TERN_PAGE']}?test=1`, { waitUntil: 'commit' });
  await expect(page.getByRole('heading', { name: 'Tern playground' })).toBeVisible();
  // The style sheet may come after the name: nothing is painted before.
  await expect(page.locator('.banner')).toHaveCSS('display', 'flex');
  const early = await nameIn(page);
  const before = await page.locator('.banner > h1').boundingBox();
  const heading = await page.locator('.banner > h1').elementHandle();
  release();
  await playground.ready();
  await expect(page.locator('.banner')).toHaveCount(1);
  expect(await heading!.evaluate((it) => it === document.querySelector('.banner > h1'))).toBe(true);
  expect(await heading!.boundingBox()).toEqual(before);
  expect(await nameIn(page)).toEqual(early);
});

test('a page in another page has no banner, not even before its program', async ({ page }) => {
  await page.route('**/assets/index-*.js', () => undefined);
  await page.goto(`${process.env['TERN_PAGE']}?embed&ex=life`, { waitUntil: 'commit' });
  await expect(page.locator('.banner')).toHaveCount(1);
  await expect(page.locator('.banner')).toBeHidden();
});

test('all builds of the engine are there, and the one that fits was fetched', async ({
  playground,
  page,
}) => {
  const modules = readdirSync(join(kDist, 'assets')).filter(isModule);
  expect(modules.map(nameOfModule).sort()).toEqual([
    'tern',
    'tern-compiler',
    'tern-debug',
    'tern-loops',
    'tern-operators',
    'tern-simd',
  ]);
  const fetched = await page.evaluate(() =>
    performance.getEntriesByType('resource').map((entry) => entry.name),
  );
  expect(fetched.filter((name) => /tern-(debug|loops)/.test(name))).toEqual([]);
  await expect(page.getByTestId('engine')).toContainText('relaxed SIMD');
  await playground.idle();
});
