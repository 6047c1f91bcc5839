// SPDX-License-Identifier: Apache-2.0
// The dialog with the link to what is shown: what is copied leads there, how long it is is told
// while it grows, and so is what no link can hold.
import { violations } from '../support/axe.js';
import { chainModel } from '../support/onnx.js';
import { expect, type Playground, test } from '../support/page.js';

async function share({ page }: Playground): Promise<string> {
  await page.getByTestId('open-share').click();
  const field = page.getByTestId('share-field');
  await expect(field).toBeVisible();
  return field.inputValue();
}

async function close({ page }: Playground): Promise<void> {
  await page.keyboard.press('Escape');
  await expect(page.getByTestId('share')).toHaveCount(0);
}

test('the link is copied, and leads to what was shown', async ({ playground, page }) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await playground.open('?test=1#v=1&ex=power');
  await page.evaluate(() => window.ternPlayground.step(4));
  const link = await share(playground);
  await expect(page.getByTestId('share-length')).toContainText('fits everywhere');
  await expect(page.getByTestId('share-missing')).toHaveCount(0);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await violations(page)).toEqual([]);
  }
  await page.getByTestId('share-copy').click();
  await expect(page.getByTestId('share-told')).toHaveText('Copied.');
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(link);
  await close(playground);
  await expect(page.getByTestId('open-share')).toBeFocused();
  const before = await playground.state();
  await playground.open(`?test=1&shared${new URL(link).hash}`);
  expect(await playground.state()).toEqual(before);
});

test('where the clipboard is closed, the link is selected', async ({ playground, page }) => {
  await playground.idle();
  await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', {
    value: { writeText: () => Promise.reject(new DOMException('no', 'NotAllowedError')) },
  }));
  const link = await share(playground);
  await page.getByTestId('share-copy').click();
  await expect(page.getByTestId('share-told')).toContainText('did not allow it');
  const selected = await page.getByTestId('share-field').evaluate((field: HTMLInputElement) =>
    (document.activeElement === field
      ? field.value.slice(field.selectionStart!, field.selectionEnd!) : ''));
  expect(selected).toBe(link);
});

test('how long it is, and what it cannot hold', async ({ playground, page }) => {
  await playground.drop({ name: 'mine.onnx', bytes: chainModel(['Neg']) });
  await share(playground);
  await expect(page.getByTestId('share-missing')).toContainText('mine.onnx itself is not in it');
  await close(playground);
  // Letters without a pattern: nearly five bits each, however they are packed.
  const comment = (letters: number): string => {
    let state = 7;
    return Array.from({ length: letters }, () => {
      state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
      return String.fromCharCode(97 + (state >>> 16) % 26);
    }).join('');
  };
  await playground.drop({
    name: 'mine.tn', bytes: new TextEncoder().encode('fn main() -> int { 1 }\n'),
  });
  for (const [letters, says] of [
    [100, 'fits everywhere'], [4000, 'too long for many chats'], [20_000, 'save the state'],
  ] as const) {
    await page.evaluate((text) => window.ternPlayground.editSource(text),
      `// ${comment(letters)}\nfn main() -> int { 1 }\n`);
    await playground.idle();
    const field = page.getByTestId('share-field');
    await share(playground);
    await expect(field).toHaveValue(/&z=/);
    await expect(page.getByTestId('share-length')).toContainText(says);
    await expect(page.getByTestId('share-missing')).toHaveCount(0);
    await close(playground);
  }
  // Longer than an address may be.
  await page.evaluate((text) => window.ternPlayground.editSource(text),
    `// ${comment(70_000)}\nfn main() -> int { 1 }\n`);
  await playground.idle();
  await share(playground);
  await expect(page.getByTestId('share-missing')).toContainText('mine.tn itself is not in it');
});

test('it fits a phone, and is reached by the palette', async ({ playground, page }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  await playground.idle();
  await page.keyboard.press('Control+k');
  await page.getByTestId('palette-field').fill('share what');
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('share-field')).toBeVisible();
  const box = (await page.getByTestId('share').boundingBox())!;
  expect(box.x).toBeGreaterThanOrEqual(0);
  expect(box.x + box.width).toBeLessThanOrEqual(320);
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth))
    .toBeLessThanOrEqual(0);
});
