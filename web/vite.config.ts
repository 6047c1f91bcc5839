// SPDX-License-Identifier: Apache-2.0
// Relative base, so that dist/ works below any path; no inlined assets, so that a strict CSP holds.
// JSX is set up in tsconfig.json.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { defineConfig, type Plugin } from 'vite';

const kServiceWorker = new URL('./offline/service-worker.js', import.meta.url);

const kSmallParts =
  new RegExp(`/web/src/(?:${[
    'engine/worker-requests', 'model/source-kind', 'model/packed-text', 'widgets/disclosure',
    'widgets/save-file', 'widgets/save-picture', 'widgets/save-csv', 'widgets/data-table',
    'widgets/number-table', 'model/csv', 'model/links', 'state/links', 'model/timeline',
  ].join('|')})`);

/** Writes the service worker with the list of the build's files, which it keeps. */
function offline(): Plugin {
  return {
    name: 'tern-offline',
    apply: 'build',
    // Behind all that takes files out again: a file of the list that no host has would keep all
    // others from being kept.
    async writeBundle({ dir }, bundle) {
      const files = [...Object.keys(bundle).filter((name) => name !== 'index.html'), 'icon.svg'];
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
  plugins: [offline()],
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
            // What the first paint needs: one file packs better than several.
            name: 'shell',
            tags: ['$initial'],
            includeDependenciesRecursively: false,
          }, {
            name: 'editor-state',
            test: /node_modules\/(?:@codemirror\/state|@lezer\/\w+|style-mod|w3c-keyname)/,
          }, {
            // A few lines each that several parts want: one file instead of one for each.
            name: 'small-parts',
            test: kSmallParts,
            includeDependenciesRecursively: false,
          }],
        },
      },
    },
  },
  worker: { format: 'es' },
  server: { fs: { allow: ['..'] } },
});
