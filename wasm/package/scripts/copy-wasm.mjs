// SPDX-License-Identifier: Apache-2.0
// Puts the modules of build/wasm beside the compiled package, where `new URL(…,
// import.meta.url)` finds them.
import { copyFileSync, existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const kParts = ['tern', 'tern-compiler', 'tern-simd', 'tern-simd-compiler'];
const kModules = [...kParts, 'tern-debug', 'tern-loops'];

for (const name of kModules.map((module) => `${module}.wasm`)) {
  const from = fileURLToPath(new URL(`../../../build/wasm/wasm/${name}`, import.meta.url));
  if (!existsSync(from)) {
    console.error(
      `${from} is missing: build it with  cmake --preset wasm && cmake --build --preset wasm`,
    );
    process.exit(1);
  }
  copyFileSync(from, fileURLToPath(new URL(`../dist/${name}`, import.meta.url)));
}
