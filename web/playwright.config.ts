// SPDX-License-Identifier: Apache-2.0
// End-to-end tests of the built page (npm run build) in the system's Chromium, below a path prefix.
// CHROMIUM names another browser program.
import { defineConfig } from '@playwright/test';

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
    trace: 'retain-on-failure',
    launchOptions: {
      executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
      args: [
        '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
        '--disable-background-networking', '--disable-component-update', '--disable-sync',
      ],
    },
  },
});
