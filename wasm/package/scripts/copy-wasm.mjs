// SPDX-License-Identifier: Apache-2.0
// Puts the modules of build/wasm beside the compiled package, where `new URL(…,
// import.meta.url)` finds them.
import { copyFileSync, existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

for (const name of ['tern.wasm', 'tern-simd.wasm', 'tern-debug.wasm', 'tern-loops.wasm']) {
  const from = fileURLToPath(new URL(`../../../build/wasm/wasm/${name}`, import.meta.url));
  if (!existsSync(from)) {
    console.error(
      `${from} is missing: build it with  cmake --preset wasm && cmake --build --preset wasm`,
    );
    process.exit(1);
  }
  copyFileSync(from, fileURLToPath(new URL(`../dist/${name}`, import.meta.url)));
}
