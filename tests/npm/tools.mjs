// SPDX-License-Identifier: Apache-2.0
// The consumers that are no pages: what is in the packages, the checks of package authors,
// TypeScript.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';

import { filesBelow, kNames, kRoot } from './packages.mjs';

const kMiB = 1 << 20;
// Resolutions of CommonJS and of old Node, which a package of modules does not have.
const kOfModules = new Set(['node16-esm', 'bundler']);

function checkContents({ folder }) {
  for (const name of kNames) {
    const root = join(folder, 'node_modules', name);
    const files = filesBelow(root);
    const total = [...files.values()].reduce((sum, size) => sum + size, 0);
    assert.ok(total <= 3 * kMiB, `${name} is ${total} bytes unpacked`);
    for (const needed of ['LICENSE', 'README.md', 'package.json'])
      assert.ok(files.has(needed), `${name} has no ${needed}`);
    const { dependencies, exports, sideEffects } = JSON.parse(
      readFileSync(join(root, 'package.json'), 'utf8'),
    );
    assert.deepEqual([dependencies, sideEffects], [undefined, false]);
    for (const path of Object.values(exports).flatMap((each) => Object.values(Object(each))))
      if (path.startsWith('./')) assert.ok(files.has(path.slice(2)), `${name} exports ${path}`);
    const strays = [...files.keys()].filter((path) => /\.map$|(^|\/)src\//.test(path));
    assert.deepEqual(strays, []);
  }
  const installed = filesBelow(join(folder, 'node_modules/tern-runtime'));
  for (const name of ['tern-debug.wasm', 'tern-debug.wasm.gz', 'tern.wasm.gz'])
    assert.ok(!installed.has(`dist/${name}`), name);
}

/** The sizes that docs/javascript.md, its guide and README tell: of files packed by gzip. */
function checkFigures({ folder }) {
  const root = join(folder, 'node_modules/tern-runtime/dist');
  const packed = (name) => {
    const data = readFileSync(join(root, name));
    return name.endsWith('.gz') ? data.length : gzipSync(data, { level: 9 }).length;
  };
  const agree = (said, name) =>
    assert.ok(Math.abs(said * 1000 - packed(name)) < Math.max(1000, packed(name) * 0.02),
      `${name} is ${packed(name)} bytes, not ${said} KB`);
  const read = (name) => readFileSync(join(kRoot, name), 'utf8');
  const [, table] = read('docs/javascript.md').split('| packed, KB |');
  const rows = [...table.split('\n\n')[0].matchAll(/^\| (`.*) \| ([\d; ,]+) \| /gm)];
  assert.equal(rows.length, 7);
  for (const [, names, sizes] of rows) {
    const files = [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
    const said = sizes.split(/[;,]/).map(Number);
    // One size for files that are alike.
    files.forEach((name, i) => agree(said[said.length === 1 ? 0 : i], name));
  }
  const [, compiler] = /nor its (\d+) KB/.exec(read('docs/guide-javascript.md'));
  agree(Number(compiler), 'tern-compiler.wasm.gz');
  const [, script] = /one script of (\d+) KB \(gzip\)/.exec(read('README.md'));
  agree(Number(script), 'index.js');
  const [, whole] = /one script of (\d\.\d) MB that holds/.exec(read('docs/javascript.md'));
  const inline = join(folder, 'node_modules/tern-runtime-inline/dist/inline.js');
  assert.ok(Math.abs(Number(whole) * 1e6 - statSync(inline).size) < 0.1e6,
    `${statSync(inline).size} bytes inline`);
}

/** What is of one build has one version, which the debugger's package asks for. */
function checkVersions({ folder }) {
  const read = (name) =>
    JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8'));
  const [runtime, debug, inline] = kNames.map(read);
  assert.deepEqual([debug.version, inline.version], [runtime.version, runtime.version]);
  assert.deepEqual(debug.peerDependencies, { 'tern-runtime': runtime.version });
}

async function lint({ folder }) {
  for (const name of kNames) {
    const pkgDir = join(folder, 'node_modules', name);
    const { messages } = await publint({ pkgDir, strict: true });
    assert.deepEqual(messages, [], name);
  }
}

async function checkTypes({ tarballs }) {
  for (const path of tarballs) {
    const tarball = createPackageFromTarballData(new Uint8Array(readFileSync(path)));
    const { problems, types } = await checkPackage(tarball, {
      excludeEntrypoints: [/\.wasm(\.gz)?$/, './package.json'],
    });
    assert.notEqual(types, false, `${path} has no types`);
    const found = problems.filter(
      ({ resolutionKind }) => resolutionKind === undefined || kOfModules.has(resolutionKind),
    );
    assert.deepEqual(found, [], path);
  }
}

const kStrict = {
  target: 'es2022', lib: ['es2022', 'dom'], strict: true, noEmit: true, types: [],
  noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true,
};

// skipLibCheck is off, so that the declarations of the packages are checked as well.
function compile({ folder }, module, moduleResolution) {
  const config = join(folder, `tsconfig.${moduleResolution}.json`);
  const compilerOptions = { ...kStrict, module, moduleResolution };
  writeFileSync(config, JSON.stringify({ compilerOptions, files: ['strict.ts'] }));
  const tsc = fileURLToPath(new URL('./node_modules/typescript/bin/tsc', import.meta.url));
  execFileSync(process.execPath, [tsc, '-p', config], { encoding: 'utf8', stdio: 'pipe' });
}

/** Name and function of each. */
export function tools(context) {
  return [
    ['the packages hold what they need, and no more', () => checkContents(context)],
    ['files are as large as the pages say', () => checkFigures(context)],
    ['the packages are of one version', () => checkVersions(context)],
    ['publint finds nothing', () => lint(context)],
    ['arethetypeswrong finds nothing', () => checkTypes(context)],
    ['TypeScript for bundlers takes the declarations', () => compile(context, 'es2022', 'bundler')],
    ['TypeScript for Node takes the declarations', () => compile(context, 'node16', 'node16')],
  ];
}
