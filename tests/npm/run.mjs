// SPDX-License-Identifier: Apache-2.0
// B64: installs the packed packages outside of the tree and uses them as their users do: by
// bundlers, without one, in workers, under strict policies, in Node, Deno and Bun, from TypeScript,
// and as the examples of the documentation. Every page classifies a drawn 3 in the system's
// Chromium. Needs tools/build_web.sh and the packages of tests/npm.
//   tools/node.sh tests/npm/run.mjs [--model DIR] [NAME…]
//                  NAME: only the tests whose names contain one of these
//                  --model: a folder of mnist-8, which every consumer that classifies runs as well
// The last line is `N passed, N failed`.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { parseArgs } from 'node:util';

import { chromium } from 'playwright-core';

import { engines } from './engines.mjs';
import { examples } from './examples.mjs';
import { install } from './packages.mjs';
import { pages } from './pages.mjs';
import { checkRealModel } from './real_model.mjs';
import { serve } from './serve.mjs';
import { serviceWorkers } from './service_workers.mjs';
import { tools } from './tools.mjs';

const kFlags = [
  '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync',
];

// Policies of the folders of the site that are named after them.
const kPolicy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; ";
const kPolicies = {
  '/strict/': `${kPolicy} worker-src 'self'`,
  '/no-worker/': `${kPolicy} worker-src 'none'`,
  '/strict-threads/': `${kPolicy} worker-src 'self'`,
  '/no-worker-threads/': `${kPolicy} worker-src 'none'`,
  '/trusted/': `${kPolicy} worker-src 'self'; require-trusted-types-for 'script'`,
};

// Folders whose pages share memory with their workers.
const kIsolated = /^\/(next|threads|strict-threads|no-worker-threads|lost-threads)\//;
const kIsolation = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
};

function headersFor(path) {
  const [, policy] = Object.entries(kPolicies).find(([folder]) => path.startsWith(folder)) ?? [];
  return {
    ...(policy ? { 'content-security-policy': policy } : {}),
    ...(kIsolated.test(path) ? kIsolation : {}),
  };
}

/** What a page publishes; errors of its scripts end the wait. */
async function visit(browser, address) {
  const page = await browser.newPage();
  try {
    const broken = new Promise((_, fail) => page.once('pageerror', fail));
    broken.catch(() => undefined);
    await page.goto(address);
    const outcome = page
      .waitForFunction(() => globalThis.outcome, undefined, { timeout: 30_000 })
      .then((handle) => handle.jsonValue());
    outcome.catch(() => undefined);
    return await Promise.race([outcome, broken]);
  } finally {
    await page.close();
  }
}

async function runAll(tests, wanted) {
  let [passed, failed] = [0, 0];
  for (const [name, test] of tests) {
    if (wanted.length > 0 && !wanted.some((each) => name.includes(each))) continue;
    const start = performance.now();
    try {
      await test();
      ++passed;
      console.log(`ok      ${name}  (${((performance.now() - start) / 1000).toFixed(1)} s)`);
    } catch (error) {
      ++failed;
      console.log(`FAILED  ${name}\n${error.stack}\n${error.stdout ?? ''}${error.stderr ?? ''}`);
    }
  }
  return [passed, failed];
}

async function main(wanted, realModel) {
  const installed = install(realModel);
  const near = await serve(installed.site, headersFor);
  const far = await serve(installed.folder, () => ({ 'access-control-allow-origin': '*' }));
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
  const browser = await chromium.launch({ executablePath, args: kFlags });
  const context = {
    ...installed, near, far,
    visit: async (path) => {
      const outcome = await visit(browser, new URL(path, near.origin).href);
      // Pages that have classified a digit have run the real model as well.
      if (outcome.real) checkRealModel(outcome, installed.realCases);
      return outcome;
    },
  };
  let passed = 0;
  let failed = 1;
  try {
    const tests = [
      ...tools(context), ...engines(context), ...examples(context), ...pages(context),
      ...serviceWorkers(context),
    ];
    [passed, failed] = await runAll(tests, wanted);
    assert.ok(passed + failed > 0, 'no test has such a name');
  } finally {
    await browser.close();
    near.close();
    far.close();
    rmSync(installed.folder, { recursive: true });
  }
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}

const { values, positionals } = parseArgs({
  options: { model: { type: 'string' } }, allowPositionals: true,
});
await main(positionals, values.model);
