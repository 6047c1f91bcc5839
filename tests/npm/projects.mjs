// SPDX-License-Identifier: Apache-2.0
// Bundlers that build projects of several files: Parcel begins at a page of HTML, Next at a folder
// of pages.
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { kHere, makePage } from './packages.mjs';

const installed = (name) => join(kHere, 'node_modules', name);

/** Scripts of the consumer, in the folder of a page. */
function makeProject(folder, name, entry) {
  const project = makePage(folder, `parcel-${name.replaceAll('/', '-')}`, entry);
  for (const file of [entry, 'digit.js', 'threads-digit.js'])
    cpSync(join(folder, file), join(project, file));
  return project;
}

/** Entries below a package's name are found where the project asks for it. */
function askForEntries(folder) {
  const path = join(folder, 'package.json');
  const project = JSON.parse(readFileSync(path, 'utf8'));
  project['@parcel/resolver-default'] = { packageExports: true };
  writeFileSync(path, JSON.stringify(project));
}

const kQuiet = { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], timeout: 300_000 };

export function buildWithParcel({ folder, site }, name, entry) {
  if (entry.startsWith('threads')) askForEntries(folder);
  const page = join(makeProject(folder, name, entry), 'index.html');
  // A process of its own, because its workers take no flags of this one.
  const script = join(kHere, 'build_with_parcel.mjs');
  execFileSync(process.execPath, [script, page, join(site, name)], { cwd: folder, ...kQuiet });
}

/** A site of files below /next/, by Next's own command. */
export function buildWithNext({ folder, site }) {
  for (const name of ['next', 'react', 'react-dom'])
    symlinkSync(installed(name), join(folder, 'node_modules', name));
  const project = join(folder, 'next');
  execFileSync(process.execPath, [join(installed('next'), 'dist/bin/next'), 'build'], {
    ...kQuiet, cwd: project,
    env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' },
  });
  cpSync(join(project, 'out'), join(site, 'next'), { recursive: true });
}
