// SPDX-License-Identifier: Apache-2.0
// The palette, the list of keys and the help of panes, by keyboard alone.
import { violations } from '../support/axe.js';
import { expect, test } from '../support/page.js';

test('the palette finds and does commands, panes, steps and examples', async ({
  playground,
  page,
}) => {
  const field = page.getByTestId('palette-field');
  const find = async (text: string): Promise<void> => {
    await page.keyboard.press('Control+k');
    await field.fill(text);
    await page.keyboard.press('Enter');
    await expect(page.getByTestId('palette')).toHaveCount(0);
    await playground.idle();
  };
  await page.keyboard.press('Control+k');
  await expect(field).toBeFocused();
  expect(await violations(page)).toEqual([]);
  await field.fill('no such thing');
  await expect(page.getByTestId('palette')).toContainText('Nothing is called that.');
  await page.keyboard.press('Escape');
  await expect(page.getByTestId('palette')).toHaveCount(0);
  for (let i = 0; i < 3; i++) await find('one step on');
  expect((await playground.state()).step).toBe(3);
  await find('step 1');
  expect((await playground.state()).step).toBe(1);
  await find('pane output');
  await expect(page.getByTestId('pane-output')).toBeFocused();
  await find('loop dot');
  await expect(page.getByTestId('loop-example')).toHaveValue('dot');
});

test('options say how many there are, and arrows walk them', async ({ playground, page }) => {
  await playground.idle();
  await page.getByTestId('open-palette').click();
  await page.getByTestId('palette-field').fill('step');
  const options = page.getByTestId('palette').getByRole('option');
  await expect(page.locator('[data-entry=pane-draw]')).toHaveCount(0);
  const count = await options.first().getAttribute('aria-setsize');
  await page.keyboard.press('ArrowUp');
  await expect(options.last()).toHaveAttribute('aria-selected', 'true');
  await expect(options.last()).toHaveAttribute('aria-posinset', count!);
  await expect(options).toHaveCount(Number(count));
  await page.keyboard.press('ArrowDown');
  await expect(options.first()).toHaveAttribute('aria-selected', 'true');
  await expect(page.getByTestId('palette-field')).toHaveAttribute(
    'aria-activedescendant', 'palette-0');
});

test('options beyond those in sight come when the list is scrolled', async ({
  playground,
  page,
}) => {
  await playground.idle();
  await page.setViewportSize({ width: 1280, height: 2000 });
  await page.keyboard.press('Control+k');
  const options = page.getByTestId('palette').getByRole('option');
  const count = Number(await options.first().getAttribute('aria-setsize'));
  expect(count).toBeGreaterThan(40);
  expect(await options.count()).toBeLessThan(count - 5);
  await options.first().hover();
  await expect(async () => {
    await page.mouse.wheel(0, 300);
    await expect(options.last()).toHaveAttribute('aria-posinset', String(count), { timeout: 50 });
  }).toPass({ timeout: 20_000 });
  await expect(options).toHaveCount(count);
  // Another text begins with few of them again, at the top.
  await page.getByTestId('palette-field').fill('p');
  expect(await options.count()).toBeLessThan(count - 5);
  await expect(options.first()).toBeInViewport();
});

test('every pane says what it is for, and where there is more', async ({ playground, page }) => {
  await playground.idle();
  const button = page.getByRole('button', { name: 'About Bytecode' });
  await button.focus();
  await page.keyboard.press('Enter');
  const help = page.getByTestId('pane-help');
  await expect(help.getByRole('heading')).toHaveText('Bytecode');
  await expect(help).toContainText('The instructions of the program');
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await violations(page)).toEqual([]);
  }
  const href = await help.getByRole('link').getAttribute('href');
  const found = await page.evaluate(async (address) => {
    const { pathname, hash } = new URL(address, document.baseURI);
    const text = await (await fetch(pathname)).text();
    return new DOMParser().parseFromString(text, 'text/html').querySelector(hash)?.textContent;
  }, href!);
  expect(found).toContain('The panes of a run');
  await page.keyboard.press('Escape');
  await expect(help).toHaveCount(0);
  await expect(button).toBeFocused();
  // One for each pane that is shown.
  for (const preset of ['debug', 'vector', 'profile', 'compare', 'learn']) {
    await playground.click(`preset-${preset}`);
    const panes = page.locator('[data-pane]');
    expect(await panes.count()).toBeGreaterThan(2);
    await expect(panes.locator('> header > .help')).toHaveCount(await panes.count());
  }
});

test('letters can be chosen, and stay chosen', async ({ playground, page }) => {
  await page.keyboard.press('?');
  await page.getByTestId('key-step').click();
  await page.keyboard.press('x');
  await expect(page.getByTestId('key-step')).toContainText('x');
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await expect(page.getByTestId('key-sheet')).toHaveCount(0);
  await page.reload();
  await playground.ready();
  await page.keyboard.press('n');
  expect((await playground.state()).step).toBe(0);
  await page.keyboard.press('x');
  expect((await playground.state()).step).toBe(1);
  await page.keyboard.press('c');
  expect((await playground.state()).stopReason).toBe('returned');
});

test('F6 goes from pane to pane, F8 to what is wrong', async ({ playground, page }) => {
  await page.keyboard.press('F6');
  await expect(page.getByTestId('pane-draw')).toBeFocused();
  await page.keyboard.press('Shift+F6');
  await expect(page.getByTestId('pane-timeline')).toBeFocused();
  await playground.drop({ name: 'x.html', bytes: new TextEncoder().encode('<html>') });
  await page.keyboard.press('F8');
  await expect(page.getByTestId('pane-problems')).toBeFocused();
});
