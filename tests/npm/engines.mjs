// SPDX-License-Identifier: Apache-2.0
// The consumers that run outside of browsers: what Node does, Deno and Bun do too.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { arch } from 'node:os';
import { join } from 'node:path';

import { kHere } from './packages.mjs';

const kIsArm = arch() === 'arm64';
const program = (...path) => join(kHere, 'node_modules', ...path);

/** Each with its program and what goes before the script; nothing of the net is asked for. */
const kEngines = {
  Node: { command: [process.execPath] },
  Deno: {
    command: [
      program('@deno', `linux-${kIsArm ? 'arm64' : 'x64'}-glibc`, 'deno'),
      'run', '--no-remote', '--node-modules-dir=manual', '--allow-read', '--allow-env',
    ],
    env: { DENO_NO_UPDATE_CHECK: '1' },
  },
  Bun: {
    command: [
      program('@oven', kIsArm ? 'bun-linux-aarch64' : 'bun-linux-x64-baseline', 'bin', 'bun'),
      'run', '--no-install',
    ],
    env: { DO_NOT_TRACK: '1' },
  },
};

export function runWith(engine, { folder }, script) {
  const { command, env } = kEngines[engine];
  const [file, ...before] = command;
  if (!existsSync(file)) throw new Error(`${file} is missing: run tools/setup/npm.sh tests/npm`);
  return execFileSync(file, [...before, script], {
    cwd: folder, encoding: 'utf8', stdio: 'pipe', timeout: 60_000,
    env: { ...process.env, DENO_DIR: join(folder, '.deno'), ...env },
  });
}

const kScripts = [
  ['node.mjs', 'runs the packages'],
  ['threads.mjs', 'runs kernels on two threads'],
  ['refused.mjs', 'is told what is missing or damaged'],
];

/** Name and function of each. */
export function engines(context) {
  return Object.keys(kEngines).flatMap((engine) =>
    kScripts.map(([script, does]) =>
      [`${engine} ${does}`, () => runWith(engine, context, script)]));
}
