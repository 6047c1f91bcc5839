// SPDX-License-Identifier: Apache-2.0
// What a screen reader is told of each preset, in the folder beside this file. Lists of tabs are
// exact (`/children: equal`), elsewhere there may be more than the files have. Where it is meant to
// change, change their lines: `--update-snapshots` writes a file anew without what is exact and
// without patterns, such as the version's.
import { expect, type Playground, test } from '../support/page.js';

const kStates: Readonly<Record<string, (playground: Playground) => Promise<void>>> = {
  learn: (playground) => playground.click('preset-learn'),
  debug: async (playground) => {
    await playground.click('sample-3');
    await playground.page.evaluate(() => window.ternPlayground.step(3));
  },
  vector: (playground) => playground.open('?test=1#v=1&view=lanes&ex=vector_add&vs=4&n=18'),
  profile: (playground) => playground.click('preset-profile'),
  compare: (playground) => playground.click('preset-compare'),
};

for (const [name, reach] of Object.entries(kStates)) {
  test(`the ${name} preset`, async ({ playground, page }) => {
    await reach(playground);
    await playground.idle();
    await expect(page.locator('body')).toMatchAriaSnapshot({ name: `${name}.aria.yml` });
  });
}
