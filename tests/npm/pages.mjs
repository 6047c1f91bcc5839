// SPDX-License-Identifier: Apache-2.0
// The consumers that run in a browser; B62: their runs are in workers where they can be;
// B65: kernels on two threads.
import assert from 'node:assert/strict';

import {
  buildWithEsbuild, buildWithRollup, buildWithVite, buildWithWebpack, copyAssets, serveWithVite,
} from './bundlers.mjs';
import { makePlainPage } from './packages.mjs';
import { buildWithNext, buildWithParcel } from './projects.mjs';

/** A page that has classified both times, with a worker or with a reason for none. */
function checkDigits(outcome, worker, why = /this is a page/) {
  assert.deepEqual([outcome.sync, outcome.async], [3, 3], JSON.stringify(outcome));
  assert.equal(outcome.placement.worker, worker, outcome.placement.why);
  assert.match(outcome.placement.why, why);
}

/** What was asked of the site while f ran. */
async function askedIn({ near }, f) {
  const { length } = near.asked;
  const result = await f();
  return [result, near.asked.slice(length)];
}

function inOneScript(context, name, build, ...mode) {
  return [`${name} works with everything in one script`, async () => {
    await build(context, `${name}-inline`, 'inline.js', ...mode);
    const [outcome, asked] = await askedIn(context, () => context.visit(`/${name}-inline/`));
    checkDigits(outcome, true);
    assert.equal(outcome.target, 'simd128');
    assert.ok(!asked.some((path) => path.includes('wasm')), asked.join());
  }];
}

function bundlerThatFindsFiles(context, name, build, ...mode) {
  return [
    [`${name} finds the files by itself`, async () => {
      await build(context, name, 'page.js');
      const [outcome, asked] = await askedIn(context, () => context.visit(`/${name}/`));
      checkDigits(outcome, true);
      assert.equal(outcome.target, 'relaxed');
      assert.ok(!asked.some((path) => /loops|debug|simd/.test(path)), asked.join());
    }],
    [`${name} finds the debugger's package`, async () => {
      await build(context, `${name}-debug`, 'debug.js', ...mode);
      const outcome = await context.visit(`/${name}-debug/`);
      assert.deepEqual(outcome, { reason: 'returned', value: 42 });
    }],
    inOneScript(context, name, build, ...mode),
  ];
}

function bundlerThatCopiesNothing(context, name, build) {
  return [
    [`${name} works with files that were copied`, async () => {
      const output = await build(context, name, 'with-assets.js');
      copyAssets(context.folder, output);
      checkDigits(await context.visit(`/${name}/`), true);
    }],
    inOneScript(context, name, build),
    [`${name} is told which file is missing, and what to do`, async () => {
      await build(context, `${name}-bare`, 'page.js');
      const { code, message, help } = await context.visit(`/${name}-bare/`);
      assert.equal(code, 'E0601');
      assert.match(message, /'tern\.wasm' is not WebAssembly: the server returned HTML .*http/);
      assert.match(help.join(), /tern-runtime\/dist.*assets.*tern-runtime-inline/);
    }],
  ];
}

function plainPage(context, name, script, check) {
  return [`a page without a bundler: ${name}`, async () => {
    makePlainPage(context, name, script);
    await check(`/${name}/`);
  }];
}

function plainPages(context) {
  const { visit, far } = context;
  return [
    plainPage(context, 'plain', 'plain.js', async (path) => checkDigits(await visit(path), true)),
    plainPage(context, 'worker', 'starts-worker.js', async (path) =>
      checkDigits(await visit(path), false, /no page/)),
    plainPage(context, 'strict', 'plain.js', async (path) => checkDigits(await visit(path), true)),
    plainPage(context, 'no-worker', 'plain.js', async (path) =>
      checkDigits(await visit(path), false, /no worker could be started: .*policy/)),
    plainPage(context, 'trusted', 'plain.js', async (path) =>
      checkDigits(await visit(path), false, /no worker could be started: .*Trusted/)),
    plainPage(context, 'far', 'far.js', async (path) => {
      const from = `${far.origin}/node_modules/tern-runtime/dist/index.js`;
      checkDigits(await visit(`${path}?from=${encodeURIComponent(from)}`), true);
    }),
    plainPage(context, 'busy', 'busy.js', async (path) => {
      const [outcome, asked] = await askedIn(context, () => visit(path));
      assert.deepEqual(outcome,
        { ended: 'AbortError', digit: 3, fromCache: [false, true], left: 0 });
      assert.equal(asked.filter((each) => each === '/model.onnx').length, 1);
    }),
  ];
}

/** Both runtimes of a page have two threads; or one, for this reason. */
function checkThreads(outcome, isolated, why) {
  assert.deepEqual([outcome.sync, outcome.async], [3, 3], JSON.stringify(outcome));
  assert.equal(outcome.isolated, isolated);
  assert.equal(outcome.threads.length, 2, JSON.stringify(outcome));
  for (const { count, reason } of outcome.threads) {
    assert.equal(count, why ? 1 : 2, reason);
    assert.match(reason, why ?? /^asked for$/);
  }
  const { equal, tasks } = outcome.product;
  assert.ok(equal, 'a product differs with the number of threads');
  if (why === undefined)
    assert.ok(tasks.length === 2 && tasks.every((ran) => ran > 0), `parts by thread: ${tasks}`);
}

/** Both runtimes have two threads, one of them in a worker: two scripts that were found. */
function checkWorkerOfThreads(outcome) {
  checkThreads(outcome, true);
  assert.equal(outcome.placement.worker, true, outcome.placement.why);
}

function threadedPages(context) {
  const { visit } = context;
  const page = (name, isolated, why, worker = true) =>
    plainPage(context, name, 'threads.js', async (path) => {
      const outcome = await visit(path);
      checkThreads(outcome, isolated, why);
      assert.equal(outcome.placement.worker, worker, outcome.placement.why);
    });
  const bundled = (name, build, ...mode) => [`${name} finds the workers of threads`, async () => {
    await build(context, `threads/${name}`, 'threads-page.js', ...mode);
    checkWorkerOfThreads(await visit(`/threads/${name}/`));
  }];
  return [
    page('threads', true),
    page('strict-threads', true),
    page('no-threads', false, /not cross-origin isolated.*Cross-Origin-Embedder-Policy/),
    page('no-worker-threads', true, /no worker could be started: .*policy/, false),
    page('lost-threads', true, /no worker could be started: .*script/),
    bundled('vite', buildWithVite),
    bundled('webpack', buildWithWebpack, 'production'),
    bundled('parcel', buildWithParcel),
  ];
}

async function viteServes(context) {
  const { address, close } = await serveWithVite(context, 'dev', 'page.js');
  checkDigits(await context.visit(address), true);
  await close();
}

/** One build of pages with and without threads. */
function nextPages(context) {
  return [
    ['next builds, and finds the files by itself', async () => {
      buildWithNext(context);
      checkDigits(await context.visit('/next/'), true);
    }],
    ['next finds the workers of threads', async () =>
      checkWorkerOfThreads(await context.visit('/next/threads/'))],
  ];
}

/** Name and function of each. */
export function pages(context) {
  return [
    ...bundlerThatFindsFiles(context, 'vite', buildWithVite),
    ['vite serves it while it is developed', () => viteServes(context)],
    ...bundlerThatFindsFiles(context, 'webpack', buildWithWebpack, 'development'),
    ...bundlerThatFindsFiles(context, 'parcel', buildWithParcel),
    ...nextPages(context),
    ...bundlerThatCopiesNothing(context, 'rollup', buildWithRollup),
    ...bundlerThatCopiesNothing(context, 'esbuild', buildWithEsbuild),
    ...plainPages(context),
    ...threadedPages(context),
  ];
}
