// SPDX-License-Identifier: Apache-2.0
// Every fix that the core has for the programs with mistakes of the command line's tests: the
// page's buttons make of a text what `tern check --fix` makes of it, and where everything that is
// wrong has a fix, the program is then valid.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kTern, mistakenPrograms } from '../support/mistaken.js';
import { expect, test } from '../support/page.js';

interface Diagnostic { code: string; fixes: { title: string; incomplete?: boolean }[] }

interface Mistaken {
  file: string;
  text: string;
  diagnostics: Diagnostic[];
  /** What the command line makes of it. */
  fixed: string;
}

/** Fixes that leave nothing to write. */
const isComplete = ({ fixes }: Diagnostic): boolean => fixes.some(({ incomplete }) => !incomplete);

function tern(...args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync(kTern, args, { encoding: 'utf8' });
  if (error) throw error;
  return status === 0 ? stdout : stderr;
}

function withFixes(): Mistaken[] {
  const folder = mkdtempSync(join(tmpdir(), 'tern-fixes-'));
  try {
    return mistakenPrograms().map(({ file, text }) => {
      const path = join(folder, file);
      writeFileSync(path, text);
      const { diagnostics } =
        JSON.parse(tern('check', '--format', 'json', path)) as { diagnostics: Diagnostic[] };
      if (diagnostics.some(isComplete)) tern('check', '--fix', path);
      return { file, text, diagnostics, fixed: readFileSync(path, 'utf8') };
    }).filter(({ diagnostics }) => diagnostics.some(isComplete));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const kPrograms = withFixes();

test('Fix all makes what the command line makes', async ({ playground, page }) => {
  const made = await page.evaluate(async (texts) => {
    const { load, idle, state } = window.ternPlayground;
    const results: string[] = [];
    for (const text of texts) {
      await load(new TextEncoder().encode(text), 'mine.tn');
      await idle();
      document.querySelector<HTMLElement>('[data-testid=tab-source]')?.click();
      await idle();
      document.querySelector<HTMLElement>('[data-testid=fix-all]')!.click();
      await idle();
      results.push((state()['source'] as { text: string }).text);
    }
    return results;
  }, kPrograms.map(({ text }) => text));
  for (const [i, { file, fixed }] of kPrograms.entries()) expect.soft(made[i], file).toBe(fixed);
  // A fix after which as much is wrong is not taken.
  const changed = kPrograms.filter(({ text, fixed }) => fixed !== text);
  expect(changed.length).toBeGreaterThanOrEqual(12);
  expect((await playground.state()).program).not.toBeNull();
});

test('what has a fix for every mistake is valid after them, one by one', async ({
  playground, page,
}) => {
  const mendable = kPrograms.filter(({ diagnostics }) => diagnostics.every(isComplete));
  expect(mendable.length).toBeGreaterThanOrEqual(7);
  await page.getByTestId('tab-source').click();
  for (const { file, text, diagnostics } of mendable) {
    await playground.drop({ name: file, bytes: new TextEncoder().encode(text) });
    await page.getByTestId('tab-problems').click();
    for (let left = diagnostics.length; left > 0; left--) {
      await expect(page.getByTestId('apply-fix'), `${file}, ${left} left`).toHaveCount(left);
      await page.getByTestId('apply-fix').first().click();
      await playground.idle();
    }
    await expect(page.getByTestId('pane-problems'), file).toHaveCount(0);
    // What is stepped was compiled before; not every function can be given arguments here.
    await playground.click('step');
    const { problems, program } = await playground.state();
    expect(program!.name).toBe(file);
    expect(problems.filter(({ code }) => code !== 'E0205'), file).toEqual([]);
  }
});
