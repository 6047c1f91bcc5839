// SPDX-License-Identifier: Apache-2.0
// Two runs side by side: before and after an edit, with other inputs, and of two files.
import { violations } from '../support/axe.js';
import { expect, type Playground, test } from '../support/page.js';

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const program = (scale: number): string => `.func @main() -> f32[2, 2]
  load_const f32[2, 2] [1, 2, 3, 4] dst: %0
  load_const f32[] [${scale}] dst: %1
  call  mul in: %0, %1 dst: %2
  call  relu in: %2 dst: %2
  ret   ret %2
`;

async function runAndKeep(playground: Playground, text: string): Promise<void> {
  await playground.drop({ name: 'first.tasm', bytes: utf8(text) });
  await playground.page.getByTestId('preset-compare').click();
  await playground.idle();
  await expect(playground.page.getByTestId('keep-run')).toBeDisabled();
  await playground.click('run');
  await playground.click('keep-run');
}

test('the first step at which two runs part is found, and how far tensors are apart', async ({
  playground, page,
}) => {
  await runAndKeep(playground, program(2));
  await expect(page.getByTestId('compare-run-a')).toContainText('first.tasm @main 5 steps');
  // The run that is kept is the one that is shown.
  await expect(page.getByTestId('compare-summary')).toContainText('all the same');
  expect(await violations(page)).toEqual([]);

  await page.evaluate((text) => window.ternPlayground.editSource(text), program(-2));
  await playground.click('run');
  await expect(page.getByTestId('compare-summary')).toContainText('differences in 5 steps');
  await expect(page.getByTestId('divergence'))
    .toHaveText('Step 1, @main:1, gives %1 another value.');
  await expect(page.getByTestId('side-a')).toContainText('2');
  await expect(page.getByTestId('side-b')).toContainText('-2');
  await expect(page.getByTestId('compare-tensors')).toContainText('0 of 1 elements are equal');

  // Another one from the list.
  const rows = page.getByTestId('divergences').locator('tbody tr');
  await expect(rows.nth(1)).toContainText('gives %2 another value');
  await rows.nth(1).getByRole('button').focus();
  await page.keyboard.press('Enter');
  await playground.idle();
  await expect(page.getByTestId('compare-tensors')).toContainText('0 of 4 elements are equal');
  await expect(page.getByTestId('compare-tensors')).toContainText('[1, 1]');
  await playground.click('go-to-divergence');
  expect((await playground.state()).step).toBe(3);
  expect(await violations(page)).toEqual([]);

  await playground.click('forget-run');
  await expect(page.getByTestId('divergences')).toHaveCount(0);
});

test('a run is compared with that of another file, and the worker may be lost', async ({
  playground, page,
}) => {
  await runAndKeep(playground, program(2));
  await playground.drop({
    name: 'other.tasm', bytes: utf8('.func @main()\n  load_consti 3 dst: %0\n  ret ret %0\n'),
  });
  await page.getByTestId('preset-compare').click();
  await playground.click('run');
  await expect(page.getByTestId('divergence')).toContainText('gives %0 another value');
  await expect(page.getByTestId('compare-tensors')).toHaveCount(0);
  await page.workers()[0]!.evaluate(() => {
    setTimeout(() => {
      throw new Error('unreachable');
    });
  });
  await expect(page.locator('body')).toHaveAttribute('data-step', '0');
  await playground.click('run');
  await expect(page.getByTestId('pane-compare')).toContainText('no run is kept to compare with');
  await playground.click('keep-run');
  await expect(page.getByTestId('compare-summary')).toContainText('all the same');
});

// Constants that are added up, of which a seed picks one element to be another.
function sums(seed: number, isOther: boolean) {
  const kCount = 12;
  const [at, row, column] = [(seed * 7) % kCount, seed % 3, (seed * 5) % 4];
  const lines = Array.from({ length: kCount }, (_, i) => {
    const values = Array.from({ length: 12 }, (_unused, e) => {
      const changed = isOther && i === at && e === 4 * row + column;
      return changed ? 1000 + seed : (i * 13 + e * 5) % 17;
    });
    return `  load_const f32[3, 4] [${values.join(', ')}] dst: %${1 + i % 3}\n` +
      `  call  add in: %0, %${1 + i % 3} dst: %0\n`;
  });
  const zeros = Array(12).fill(0).join(', ');
  const text = `.func @main() -> f32[3, 4]\n  load_const f32[3, 4] [${zeros}] dst: %0\n` +
    `${lines.join('')}  ret   ret %0\n`;
  // After the first constant, each takes two instructions.
  return { text, pc: 1 + 2 * at, register: 1 + at % 3, element: `[${row}, ${column}]` };
}

for (const seed of [1, 4, 11]) {
  test(`a difference of seed ${seed} is found at its step and element`, async ({
    playground, page,
  }) => {
    const { text, pc, register, element } = sums(seed, true);
    await runAndKeep(playground, sums(seed, false).text);
    await page.evaluate((other) => window.ternPlayground.editSource(other), text);
    await playground.click('run');
    await expect(page.getByTestId('divergence'))
      .toHaveText(`Step ${pc}, @main:${pc}, gives %${register} another value.`);
    await expect(page.getByTestId('compare-tensors')).toContainText('11 of 12 elements are equal');
    await expect(page.getByTestId('compare-tensors')).toContainText(element);
  });
}
