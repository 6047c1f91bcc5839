// SPDX-License-Identifier: Apache-2.0
// Looks at the built documentation in Chromium, served from a folder below another one: axe in
// light and dark, a phone's width, the search, the menu of versions, what pages ask of the network
// and complain about.
//   node browse.mjs SITE        ends with `N passed, N failed`
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { serve } from '../npm/serve.mjs';

const require = createRequire(new URL('../../web/package.json', import.meta.url));
const { chromium } = require('@playwright/test');
const kAxe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const kTags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const kFlags = [
  '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync',
];
const kPages = [
  'index.html', 'guide-c.html', 'reference/commands.html',
  'reference/javascript/classes/tern-runtime.Program.html', 'source/core/ops/ops.def.html',
  'search.html?q=convolution',
];
const kLater = '99.0.0';
const kAddVersion = new URL('../../tools/docs/add_version.py', import.meta.url);
const kIsFound = '#mkdocs-search-results article a';

const versionOf = (site) =>
  /data-version="([^"]*)"/.exec(readFileSync(join(site, 'index.html'), 'utf8'))[1];

async function violations(page) {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(kAxe);
  return page.evaluate(async (values) => {
    const found = await globalThis.axe.run({
      runOnly: { type: 'tag', values }, resultTypes: ['violations'],
    });
    return found.violations.map(({ id, nodes }) =>
      `${id}: ${nodes.slice(0, 3).map(({ html }) => html).join(' | ')}`);
  }, kTags);
}

/** Opens a page, in which nothing may go wrong, and which may ask nobody but its own server. */
async function open(browser, origin, path) {
  const page = await browser.newPage({ colorScheme: 'light' });
  const faults = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(origin)) faults.push(`asks for ${request.url()}`);
  });
  await page.goto(`${origin}/below/docs/${path}`);
  if (path.includes('?q=')) await page.waitForSelector(kIsFound);
  assert.deepEqual(faults, [], path);
  return { page, close: () => page.close() };
}

/** In light on a desk, in dark on a phone. */
async function looksRight(browser, origin, path) {
  const { page, close } = await open(browser, origin, path);
  assert.deepEqual(await violations(page), [], `${path}, light`);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize({ width: 360, height: 740 });
  assert.deepEqual(await violations(page), [], `${path}, dark, on a phone`);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(overflow <= 0, `${path} is ${overflow} pixels wider than a phone`);
  await close();
}

async function searchFinds(browser, origin) {
  const { page, close } = await open(browser, origin, 'reference/c.html');
  await page.fill('header input[name=q]', 'tern_program_load_file');
  await page.press('header input[name=q]', 'Enter');
  const links = await page.waitForSelector(kIsFound).then(() =>
    page.$$eval(kIsFound, (found) => found.map((each) => each.href)));
  const wanted = `${origin}/below/docs/reference/c.html#tern_program_load_file`;
  assert.ok(links.includes(wanted), links.join('\n'));
  await page.goto(wanted);
  assert.ok(await page.locator('#tern_program_load_file').isVisible());
  await page.goto(`${origin}/below/docs/search.html?q=nosuchwordanywhere`);
  await page.getByText('No page has these words.').waitFor();
  await close();
}

async function leadsToThePlayground(browser, origin) {
  const { page, close } = await open(browser, origin, 'reference/c.html');
  const href = await page.getByRole('link', { name: 'Playground' }).evaluate((link) => link.href);
  assert.equal(href, `${origin}/below/index.html`);
  await close();
}

/** The site and one of a later version, which has a page less, beside each other. */
function twoVersions(site, root) {
  const later = join(root, 'later');
  cpSync(site, later, { recursive: true });
  const change = (name, from, to) => {
    const path = join(later, name);
    const text = readFileSync(path, 'utf8');
    assert.ok(text.includes(from), `${name} has no ${from}`);
    writeFileSync(path, text.replace(from, to));
  };
  for (const name of ['index.html', 'reference/c.html'])
    change(name, `data-version="${versionOf(site)}"`, `data-version="${kLater}"`);
  change('pages.js', '"guide-c.html", ', '');
  rmSync(join(later, 'guide-c.html'));
  const folder = join(root, 'versions');
  for (const each of [site, later])
    execFileSync('/usr/bin/python3', [fileURLToPath(kAddVersion), each, folder]);
  return folder;
}

/** The menu leads to the same page of the other version, or to its first. */
async function changesVersion(browser, start, path, expected) {
  const page = await browser.newPage({ colorScheme: 'light' });
  await page.goto(`${start}/${path}`);
  await page.getByText(/This is the documentation of version/).waitFor();
  assert.deepEqual(await violations(page), [], path);
  const menu = page.getByRole('combobox', { name: 'Version of the documentation' });
  assert.equal(await menu.locator('option').count(), 2);
  await menu.selectOption(kLater);
  await page.waitForURL(`**/versions/${kLater}/${expected}`);
  assert.equal(await page.getByText(/This is the documentation of version/).count(), 0);
  await page.close();
}

async function standsAlone(browser, origin, version) {
  const { page, close } = await open(browser, origin, 'index.html');
  assert.equal((await page.locator('[data-version]').innerText()).trim(), version);
  assert.equal(await page.locator('header select').count(), 0);
  await close();
}

async function main(site) {
  const root = mkdtempSync(join(tmpdir(), 'tern-docs-'));
  mkdirSync(join(root, 'below'));
  symlinkSync(resolve(site), join(root, 'below', 'docs'));
  const { origin, close } = await serve(root);
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell';
  const browser = await chromium.launch({ executablePath, args: kFlags });
  let [passed, failed] = [0, 0];
  const version = versionOf(site);
  const versions = twoVersions(resolve(site), root);
  const tests = [...kPages.map((path) => [path, () => looksRight(browser, origin, path)]),
    ['search', () => searchFinds(browser, origin)],
    ['playground', () => leadsToThePlayground(browser, origin)],
    ['one version', () => standsAlone(browser, origin, version)],
    ['versions', () => changesVersion(browser, `${origin}/versions/${version}`,
      'reference/c.html', 'reference/c.html')],
    ['versions without a server', () => changesVersion(browser,
      `${pathToFileURL(versions)}/${version}`, 'guide-c.html', 'index.html')]];
  for (const [name, test] of tests) {
    try {
      await test();
      ++passed;
    } catch (error) {
      ++failed;
      console.log(`FAILED  ${name}\n${error.stack}`);
    }
  }
  await browser.close();
  close();
  rmSync(root, { recursive: true });
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}

await main(process.argv[2]);
