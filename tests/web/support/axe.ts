// SPDX-License-Identifier: Apache-2.0
// What axe has to say of the page as it stands. It runs in the page itself, where it is put once: a
// fresh copy and a page of its own for each look, as @axe-core/playwright does it, take four times
// as long.
import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import type Axe from 'axe-core';

const kTags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const kAxe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** Rules that are broken, with the elements that break them; `within` a selector, or anywhere. */
export async function violations(page: Page, within?: string): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(kAxe);
  return page.evaluate(async ([tags, place]) => {
    const { axe } = globalThis as unknown as { axe: typeof Axe };
    const { violations: found } = await axe.run(place ?? document, {
      runOnly: { type: 'tag', values: [...tags] },
      // What a rule was content with is not asked for.
      resultTypes: ['violations'],
    });
    return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
  }, [kTags, within] as const);
}
