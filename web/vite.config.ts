// SPDX-License-Identifier: Apache-2.0
// Relative base, so that dist/ works below any path; no inlined assets, so that a strict CSP holds.
// JSX is set up in tsconfig.json.
import { defineConfig } from 'vite';

export default defineConfig({
  base: './',
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
            name: 'editor-state',
            test: /node_modules\/(?:@codemirror\/state|@lezer\/(?:common|highlight)|style-mod|w3c-keyname)/,
          }],
        },
      },
    },
  },
  worker: { format: 'es' },
  server: { fs: { allow: ['..'] } },
});
