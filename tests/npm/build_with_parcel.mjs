// SPDX-License-Identifier: Apache-2.0
// Builds a page as `parcel build` does, without the cache, reports and installations of that.
//   node tests/npm/build_with_parcel.mjs PAGE FOLDER
import { fileURLToPath } from 'node:url';

import { Parcel } from '@parcel/core';

const [page, distDir] = process.argv.slice(2);
const parcel = new Parcel({
  entries: [page],
  defaultConfig: fileURLToPath(import.meta.resolve('@parcel/config-default')),
  mode: 'production', env: { NODE_ENV: 'production' },
  shouldDisableCache: true, shouldAutoInstall: false, shouldContentHash: true,
  defaultTargetOptions: { distDir, publicUrl: './', sourceMaps: false },
});
try {
  await parcel.run();
} catch (error) {
  console.error((error.diagnostics ?? [error]).map(({ message }) => message).join('\n'));
  process.exitCode = 1;
}
