// SPDX-License-Identifier: Apache-2.0
// The packages as users get them: packed, and installed into a folder outside of the tree.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, symlinkSync,
  writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { copyRealModel } from './real_model.mjs';

export const kRoot = fileURLToPath(new URL('../../', import.meta.url));
export const kHere = fileURLToPath(new URL('.', import.meta.url));
const kPackages = ['package', 'package-debug', 'package-inline'];
export const kNames = ['tern-runtime', 'tern-runtime-debug', 'tern-runtime-inline'];
const kDigits = join(kRoot, 'tests/models/digits');

const npm = (folder, ...args) =>
  execFileSync('npm', [...args, '--loglevel=error', '--no-audit', '--no-fund'], {
    cwd: folder,
    encoding: 'utf8',
    // Node's loader prints nothing, and npm no news of itself.
    env: { ...process.env, NO_UPDATE_NOTIFIER: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });

/** Packs and installs them, with a real model where its folder is given; gives what came of it. */
export function install(realModel) {
  const folder = mkdtempSync(join(tmpdir(), 'tern-consumers-'));
  const tarballs = kPackages.map((name) => {
    const [packed] = JSON.parse(
      npm(join(kRoot, 'wasm', name), 'pack', '--json', '--pack-destination', folder),
    );
    return join(folder, packed.filename);
  });
  const root = { name: 'consumer', private: true, type: 'module' };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(root));
  // Nothing is fetched: the packages depend on nothing but each other.
  npm(folder, 'install', '--offline', '--ignore-scripts', ...tarballs);
  const site = join(folder, 'site');
  mkdirSync(site);
  for (const to of [folder, site]) {
    cpSync(join(kDigits, 'model.onnx'), join(to, 'model.onnx'));
    cpSync(join(kDigits, 'inputs/drawn3.s0.image.u8'), join(to, 'three.u8'));
  }
  const realCases = copyRealModel(realModel, [folder, site]);
  cpSync(join(kHere, 'apps'), folder, { recursive: true });
  return { folder, site, tarballs, realCases };
}

export const dist = (folder, name = 'tern-runtime') => join(folder, 'node_modules', name, 'dist');

/** A folder of the site with a page of one module script. */
export function makePage(site, name, script) {
  const folder = join(site, name);
  mkdirSync(folder, { recursive: true });
  const start = `<script type="module" src="${script}"></script>`;
  writeFileSync(join(folder, 'index.html'), `<!doctype html><title>${name}</title>${start}`);
  return folder;
}

/** A page without a bundler: its scripts and the package beside them. */
export function makePlainPage({ folder, site }, name, script) {
  const page = makePage(site, name, script);
  cpSync(join(kHere, 'apps'), page, { recursive: true });
  symlinkSync(dist(folder), join(page, 'package'));
  return page;
}

/** All files below a folder with their sizes, by relative path. */
export function filesBelow(folder) {
  const names = readdirSync(folder, { recursive: true }).map(String);
  const files = names.filter((name) => statSync(join(folder, name)).isFile());
  return new Map(files.map((name) => [name, readFileSync(join(folder, name)).length]));
}
