// SPDX-License-Identifier: Apache-2.0
// End-to-end tests of the built page (npm run build), below a path prefix. All of them run in
// Chromium's headless shell, which has the same engines without a desktop around them, so that a
// page is open in half the time. Those tagged @browsers run in the whole Chromium too, and in
// Firefox (playwright.firefox.config.ts); those tagged @desktop need the whole Chromium: it keeps
// pages that were left, as it does for visitors. CHROMIUM names another browser program for all;
// TERN_TRACE=1 keeps a trace of each test that fails, and makes every test half as long again.
import { defineConfig } from '@playwright/test';

const kArguments = [
  '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync',
];

/** How to start the browser program at `path`, unless CHROMIUM names another. */
function launch(path: string) {
  return {
    executablePath: process.env['CHROMIUM'] ?? path,
    args: kArguments,
    ignoreDefaultArgs: ['--disable-back-forward-cache'],
  };
}

export default defineConfig({
  testDir: '../tests/web/e2e',
  outputDir: 'test-results',
  timeout: 240_000,
  expect: { timeout: 30_000 },
  fullyParallel: false,
  workers: 2,
  reporter: [['list']],
  globalSetup: '../tests/web/support/serve.ts',
  use: {
    viewport: { width: 1440, height: 900 },
    trace: process.env['TERN_TRACE'] ? 'retain-on-failure' : 'off',
  },
  projects: [
    {
      name: 'shell',
      grepInvert: /@desktop/,
      use: { launchOptions: launch('/usr/bin/chromium-headless-shell') },
    },
    {
      name: 'chromium',
      grep: /@browsers|@desktop/,
      use: { launchOptions: launch('/usr/bin/chromium') },
    },
  ],
});
