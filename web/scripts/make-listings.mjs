// SPDX-License-Identifier: Apache-2.0
// Lists the page's loop programs as AArch64 code, by the command line and its LLVM, which the page
// has not: web/made/listings.json. The command line is $TERN_CLI, or that of the host's build.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const kBuilt = fileURLToPath(new URL('../../build/host/tern', import.meta.url));
const kTern = process.env.TERN_CLI ?? kBuilt;
const kExamples = new URL('../examples/', import.meta.url);
const kMade = new URL('../made/', import.meta.url);
const kStrategies = ['fixed', 'cleanup', 'predicated'];

function listing(file, strategy) {
  const options = ['--emit', 'asm', '--target', 'aarch64+sve', '--strategy', strategy];
  try {
    return execFileSync(kTern, ['lower', fileURLToPath(file), ...options], { encoding: 'utf8' });
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    throw new Error(`there is no ${kTern}; build it with tools/build.sh --target tern_cli host`);
  }
}

const programs = readdirSync(kExamples).filter((name) => name.endsWith('.tloop')).sort()
  .map((name) => {
    const file = new URL(name, kExamples);
    const listings = kStrategies.map((strategy) => [strategy, listing(file, strategy)]);
    return { text: readFileSync(file, 'utf8'), listings: Object.fromEntries(listings) };
  });
mkdirSync(kMade, { recursive: true });
writeFileSync(new URL('listings.json', kMade), JSON.stringify(programs));
