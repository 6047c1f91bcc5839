// SPDX-License-Identifier: Apache-2.0
// The consumers in service workers, where neither `import()` nor workers nor synchronous requests
// are to be had: one of modules, and one in a classic script.
import assert from 'node:assert/strict';
import { join } from 'node:path';

import { build as esbuild } from 'esbuild';

import { makePlainPage } from './packages.mjs';

async function check(context, name, script, type) {
  const { length } = context.near.asked;
  const outcome = await context.visit(`/${name}/?script=${script}&type=${type}`);
  assert.deepEqual([outcome.sync, outcome.async], [3, 3], JSON.stringify(outcome));
  assert.equal(outcome.placement.worker, false);
  assert.match(outcome.placement.why, /no page/);
  assert.equal(outcome.refused.code, 'E0613');
  assert.match(outcome.refused.help, /worker: 'auto'/);
  const asked = context.near.asked.slice(length);
  assert.ok(!asked.some((path) => path.endsWith('/digit')), 'the server was asked');
}

async function bundleClassic(page) {
  const { warnings } = await esbuild({
    absWorkingDir: page.folder, entryPoints: ['service-worker-inline.js'],
    outfile: join(page.site, 'service-classic/classic.js'),
    bundle: true, format: 'iife', minify: true, logLevel: 'silent',
  });
  assert.deepEqual(warnings, []);
}

/** Name and function of each. */
export function serviceWorkers(context) {
  return [
    ['a service worker of modules runs the package', async () => {
      makePlainPage(context, 'service', 'asks-service-worker.js');
      await check(context, 'service', 'service-worker.js', 'module');
    }],
    ['a service worker of one classic script runs the package', async () => {
      makePlainPage(context, 'service-classic', 'asks-service-worker.js');
      await bundleClassic(context);
      await check(context, 'service-classic', 'classic.js', 'classic');
    }],
  ];
}
