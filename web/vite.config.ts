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
  },
  worker: { format: 'es' },
  server: { fs: { allow: ['..'] } },
});
