// SPDX-License-Identifier: Apache-2.0
// Makes docs/screenshot.png of the built page: a drawn 3, stepped to after the first convolution;
// and docs/lanes.png of its Lanes view: the last elements of a vector addition, under a mask.
//   node tests/web/screenshot.mjs [FILE [FILE]]
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { chromium } from '@playwright/test';

const kRoot = new URL('../../', import.meta.url);
const path = (relative) => fileURLToPath(new URL(relative, kRoot));
const file = process.argv[2] ?? path('docs/screenshot.png');
const lanesFile = process.argv[3] ?? path('docs/lanes.png');

const server = spawn(process.execPath, [path('tools/serve.mjs'), path('web/dist'), '0']);
const line = await new Promise((resolve) => server.stdout.once('data', resolve));
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-sync'],
});
const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
await page.goto(String(line).split(/\s/)[0]);
await page.waitForFunction(() => 'ternPlayground' in window);
await page.evaluate(() => window.ternPlayground.ready);

async function click(testId) {
  await page.getByTestId(testId).click();
  await page.evaluate(() => window.ternPlayground.idle());
}
// Twice, so that the times are those of code that has been compiled.
for (const warm of ['load-digits', 'sample-8', 'sample-3']) await click(warm);
await page.getByTestId('breakpoint-12').click();
await page.evaluate(() => window.ternPlayground.step(6));
await page.locator('[data-testid=registers] [data-row-id="1"] button').click();
await page.evaluate(() => window.ternPlayground.idle());
await page.getByTestId('slice').fill('5');
await page.evaluate(() => window.ternPlayground.idle());
await page.screenshot({ path: file });

await page.evaluate(() => window.ternPlayground.show('lanes'));
await page.getByTestId('grid-predicated').focus();
for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight']) await page.keyboard.press(key);
// Once more, so that the time is that of code that has been compiled.
await page.evaluate(() => window.ternPlayground.setVscale(4));
await click('time-loops');
await page.screenshot({ path: lanesFile });
await browser.close();
server.kill();
