// SPDX-License-Identifier: Apache-2.0
// The programs with mistakes that the command line's tests have, and that command line.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const kRoot = resolve(__dirname, '../../..');
const kBad = join(kRoot, 'tests/golden/lang');

export const kTern = process.env['TERN_CLI'] ?? join(kRoot, 'build/host/tern');

/** A golden's program without what is said to the test. */
function programOf(file: string): string {
  const lines = readFileSync(join(kBad, file), 'utf8').split('\n');
  const end = lines.findIndex((line) => /^;; (?:expect|prints)/.test(line));
  return lines.slice(0, end < 0 ? undefined : end).filter((line) => !line.startsWith(';;'))
    .join('\n');
}

export function mistakenPrograms(): { file: string; text: string }[] {
  return readdirSync(kBad).filter((name) => /^bad-.*\.tn$/.test(name))
    .map((file) => ({ file, text: programOf(file) }));
}
