// SPDX-License-Identifier: Apache-2.0
// Servers that send no headers but types, and servers that send the strictest: every part of the
// page works on either, and with both values of crossOriginIsolated.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, type Playground, test } from '../support/page.js';

const kDigits = new Uint8Array(readFileSync(resolve(__dirname, '../../models/digits/model.onnx')));
const kPolicy = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; " +
  "worker-src 'self'; require-trusted-types-for 'script'";
const kMarkup = '<img src=x onerror=document.title="hit">';

/** All that is answered has these headers beside its type, and no others. */
async function serveWith({ page }: Playground, headers: Record<string, string>): Promise<void> {
  await page.route('**/*', async (route) => {
    const response = await route.fetch();
    const type = response.headers()['content-type'] ?? '';
    await route.fulfill({ response, headers: { 'content-type': type, ...headers } });
  });
}

/** Runs, looks and types in every preset; what breaks a policy is on the console, and so fails. */
async function tryEverything(playground: Playground): Promise<void> {
  const { page } = playground;
  await playground.click('sample-3');
  await playground.click('run');
  expect((await playground.state()).classification!.digit).toBe(3);
  await playground.drop({ name: `${kMarkup}.onnx`, bytes: kDigits });
  await page.getByTestId('tab-graph').click();
  await expect(page.getByTestId('graph-picture')).toBeVisible();
  await page.evaluate(() => window.ternPlayground.step(4));
  await page.getByTestId('tab-inspector').click();
  await page.evaluate((markup) =>
    window.ternPlayground.editSource(`// ${markup}\nfn main() -> int { 6 * 7 }`), kMarkup);
  await playground.click('run');
  expect((await playground.state()).stopReason).toBe('returned');
  for (const preset of ['learn', 'vector', 'profile', 'compare']) {
    await page.getByTestId(`preset-${preset}`).click();
    await playground.idle();
  }
  await page.getByTestId('preset-vector').click();
  await expect(page.getByTestId('grid-predicated')).toBeVisible();
  await page.keyboard.press('Control+k');
  await page.getByTestId('palette-field').fill(kMarkup);
  await page.keyboard.press('Escape');
  expect(await page.title()).toBe('Tern playground');
}

test('a server that sends types alone is enough', async ({ playground, page }) => {
  await serveWith(playground, {});
  await playground.open();
  expect(await page.evaluate(() => crossOriginIsolated)).toBe(false);
  await tryEverything(playground);
});

test('nothing breaks the strictest policy, in a page that is isolated', async ({
  playground, page,
}) => {
  await serveWith(playground, {
    'content-security-policy': kPolicy, 'cross-origin-opener-policy': 'same-origin',
    'cross-origin-embedder-policy': 'require-corp',
  });
  await page.addInitScript(() => {
    const seen: string[] = [];
    document.addEventListener('securitypolicyviolation', (event) =>
      seen.push(`${event.violatedDirective} ${event.blockedURI}`));
    Object.assign(globalThis, { broken: seen });
  });
  await playground.open();
  expect(await page.evaluate(() => crossOriginIsolated)).toBe(true);
  await tryEverything(playground);
  expect(await page.evaluate(() => (globalThis as unknown as { broken: string[] }).broken))
    .toEqual([]);
});
