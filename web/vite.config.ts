// SPDX-License-Identifier: Apache-2.0
// Relative base, so that dist/ works below any path; no inlined assets, so that a strict CSP holds.
// JSX is set up in tsconfig.json.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';

const kServiceWorker = new URL('./offline/service-worker.js', import.meta.url);

/**
 * What stands beside the bytecode from the start, what opens files, commands, and a few lines each
 * that several parts want.
 */
const kFirstPanes =
  new RegExp(`/web/src/(?:${[
    'panes/(?:of-programs|draw/|output/|program/|registers/|bytecode/)',
    'panes/run/(?:last-step-line|timeline)', 'shell/(?:commands|drop|incoming|messages)',
    'state/(?:files|beside|drawings|limits|links|debug|input-files|page-state|replay)',
    'style/bytecode', 'engine/(?:worker-requests|debug-protocol)',
    'model/(?:source-kind|packed-text|csv|links|timeline|instructions|meanings|tensors|base64)',
    'model/(?:npy|npz|bytecode-view|digits|sample-digits|elements|file-kind|packed-values)',
    'model/(?:page-state|media-inputs|saved-trace|listing|last-step|messages)',
    'widgets/(?:disclosure|save-file|save-picture|save-csv|data-table|number-table|worst-elements)',
    'widgets/(?:canvas-picture|pixels|tree-grid|tensor-view)',
  ].join('|')})|/src/generated/isa`);

const kPackage = /\/wasm\/package\/dist\/(?:index|worker)\.js$/;

/**
 * The engine packed, as its other modules are: a host that packs nothing would send three times as
 * much before anything can be run.
 */
function packedEngine(): Plugin {
  return {
    name: 'tern-packed-engine',
    enforce: 'pre',
    transform(code, id) {
      if (!kPackage.test(id)) return undefined;
      const packed = code.replaceAll('"./tern.wasm"', '"./tern.wasm.gz"');
      if (packed === code) throw new Error(`${id} does not name tern.wasm`);
      return { code: packed, map: null };
    },
  };
}

const kFirstFetch = fileURLToPath(new URL('./src/first-fetch.ts', import.meta.url));

/**
 * What asks for the engine is a script of its own, which runs before the page's has arrived. It
 * imports no other: with one that imports it in turn, either may run first, and meet what the other
 * has not defined yet.
 */
function firstFetch(): Plugin {
  return {
    name: 'tern-first-fetch',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(_, { bundle = {} }) {
        const found = Object.values(bundle).find((each) =>
          each.type === 'chunk' && each.moduleIds.includes(kFirstFetch));
        if (found?.type !== 'chunk') throw new Error('the build has no script for the first fetch');
        if (found.imports.length > 0) {
          const others = found.imports.join(', ');
          throw new Error(`the script of the first fetch imports ${others}; give its group in ` +
            'this file the modules that it needs from there');
        }
        const src = `./${found.fileName}`;
        const attrs = { type: 'module', async: true, crossorigin: true, src };
        return [{ tag: 'script', attrs, injectTo: 'head' }];
      },
    },
  };
}

/** Writes the service worker with the list of the build's files, which it keeps. */
function offline(): Plugin {
  return {
    name: 'tern-offline',
    apply: 'build',
    // Behind all that takes files out again: a file of the list that no host has would keep all
    // others from being kept.
    async writeBundle({ dir }, bundle) {
      const files = [...Object.keys(bundle).filter((name) => name !== 'index.html'),
        'early.js', 'icon.svg'];
      const text = readFileSync(kServiceWorker, 'utf8');
      const html = JSON.stringify(bundle['index.html'] ?? '');
      const version = createHash('sha256').update(files.join() + html + text).digest('hex');
      const source = text
        .replace('__VERSION__', version.slice(0, 12))
        .replace('__FILES__', JSON.stringify(files.sort()));
      await writeFile(resolve(dir ?? 'dist', 'service-worker.js'), source);
    },
  };
}

export default defineConfig({
  base: './',
  plugins: [packedEngine(), firstFetch(), offline()],
  build: {
    target: 'es2022',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // The editor in two: neither part keeps a slow line busy for long.
        codeSplitting: {
          groups: [{
            name: 'first-fetch',
            test: /\/(?:web\/src\/(?:first-fetch|state\/digits-file)|wasm\/package\/src\/vectors)/,
            priority: 1,
            includeDependenciesRecursively: false,
          }, {
            // What the first paint needs: one file packs better than several.
            name: 'shell',
            tags: ['$initial'],
            includeDependenciesRecursively: false,
          }, {
            name: 'editor-state',
            test: /node_modules\/(?:@codemirror\/state|@lezer\/\w+|style-mod|w3c-keyname)/,
          }, {
            // One file instead of twenty: each costs a way to the server and back.
            name: 'first-panes',
            test: kFirstPanes,
            includeDependenciesRecursively: false,
          }],
        },
      },
    },
  },
  worker: { format: 'es', plugins: () => [packedEngine()] },
  server: { fs: { allow: ['..'] } },
});
