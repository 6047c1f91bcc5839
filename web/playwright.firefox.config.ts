// SPDX-License-Identifier: Apache-2.0
// The tests of the page that Firefox runs too: what a visitor does first, not all corners. Debian's
// Firefox behind tests/web/support/firefox.mjs.
import { fileURLToPath } from 'node:url';
import { defineConfig } from '@playwright/test';
import chromium from './playwright.config.js';

const kFirefox = fileURLToPath(new URL('../tests/web/support/firefox.mjs', import.meta.url));

const { projects: _, ...shared } = chromium;

export default defineConfig({
  ...shared,
  grep: /@browsers/,
  // Of its own: a run empties this folder, and the other browser may be at work.
  outputDir: 'test-results-firefox',
  use: {
    viewport: chromium.use!.viewport!,
    browserName: 'firefox',
    channel: 'moz-firefox',
    launchOptions: { executablePath: kFirefox },
  },
});
