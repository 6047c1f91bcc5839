// SPDX-License-Identifier: Apache-2.0
// Unit tests of model/ and state/; they lie in tests/web/unit.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    dir: fileURLToPath(new URL('../tests/web/unit', import.meta.url)),
    include: ['**/*.test.ts'],
    environment: 'node',
    // Imports are slow where two cores build at the same time.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
  server: { fs: { strict: false } },
});
