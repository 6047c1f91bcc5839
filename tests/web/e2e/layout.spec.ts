// SPDX-License-Identifier: Apache-2.0
// Arrangements of panes: presets, splitters, what is kept, what an address picks, phones.
import type { Page } from '@playwright/test';
import { violations } from '../support/axe.js';
import { expect, test } from '../support/page.js';

const widthOf = async (page: Page, selector: string): Promise<number> =>
  (await page.locator(selector).boundingBox())!.width;

test('presets change what is shown, and the one that is shown is kept', async ({
  playground,
  page,
}) => {
  await expect(page.getByTestId('preset-debug')).toHaveAttribute('aria-pressed', 'true');
  await page.getByTestId('preset-vector').click();
  await playground.idle();
  await expect(page.getByTestId('pane-lanes')).toBeVisible();
  await expect(page.getByTestId('pane-bytecode')).toHaveCount(0);
  await page.reload();
  await playground.ready();
  await expect(page.getByTestId('preset-vector')).toHaveAttribute('aria-pressed', 'true');
});

test('heads of panes are of one height, whatever they have to say', async ({
  playground, page,
}) => {
  const heights = async (): Promise<number[]> => {
    await playground.idle();
    return page.locator('.tabbed .pane > header').evaluateAll((all) =>
      all.map((each) => Math.round(each.getBoundingClientRect().height)));
  };
  const atFirst = await heights();
  expect(atFirst.length).toBeGreaterThan(4);
  expect(new Set(atFirst).size).toBe(1);
  // What a run says in them moves nothing.
  await playground.click('run');
  expect(await heights()).toEqual(atFirst);
  await playground.click('preset-profile');
  expect(new Set([...atFirst, ...(await heights())]).size).toBe(1);
});

test('the head of the controls is one line where panes stand beside them', async ({
  playground, page,
}) => {
  for (const width of [1280, 1366, 1440]) {
    await page.setViewportSize({ width, height: 800 });
    for (const preset of ['learn', 'debug', 'profile', 'compare']) {
      await playground.click(`preset-${preset}`);
      const head = page.locator('.pane-run > header');
      const middles = await head.locator('h2, .buttons > button, .help').evaluateAll((all) =>
        all.map((each) => {
          const { top, height } = each.getBoundingClientRect();
          return top + height / 2;
        }));
      expect(middles.length, `${preset}, ${width}`).toBe(7);
      // Letters and buttons are not of one height: their middles are a pixel apart at most.
      expect(Math.max(...middles) - Math.min(...middles), `${preset}, ${width}`)
        .toBeLessThanOrEqual(1);
      expect((await head.boundingBox())!.height, `${preset}, ${width}`).toBeLessThan(50);
    }
  }
});

test('a splitter moves by keys and by dragging, and goes back by a double click', async ({
  playground,
  page,
}) => {
  await playground.idle();
  const splitter = page.getByTestId('splitter-left');
  await splitter.focus();
  await page.keyboard.press('ArrowRight');
  await expect(splitter).toHaveAttribute('aria-valuenow', '360');
  expect(await widthOf(page, '.region-left')).toBe(360);
  await page.keyboard.press('Home');
  await expect(splitter).toHaveAttribute('aria-valuenow', '220');
  await page.keyboard.press('End');
  await expect(splitter).toHaveAttribute(
    'aria-valuenow', (await splitter.getAttribute('aria-valuemax'))!);
  expect(await violations(page)).toEqual([]);
  await splitter.dblclick();
  await expect(splitter).toHaveAttribute('aria-valuenow', '344');
  const box = (await splitter.boundingBox())!;
  await page.mouse.move(box.x + 4, box.y + 100);
  await page.mouse.down();
  await page.mouse.move(box.x + 84, box.y + 140, { steps: 4 });
  await page.mouse.up();
  expect(await widthOf(page, '.region-left')).toBe(424);
  await page.mouse.move(box.x, box.y);
  expect(await widthOf(page, '.region-left')).toBe(424);
  await page.reload();
  await playground.ready();
  expect(await widthOf(page, '.region-left')).toBe(424);
});

test('an address picks panes', async ({ playground, page }) => {
  await playground.open('?test=1&panes=registers,run,nothing');
  const shown = await page.locator('[data-pane]').evaluateAll((panes) =>
    panes.map((pane) => (pane as HTMLElement).dataset['pane']));
  expect(shown).toEqual(['run', 'registers']);
});

test('what goes wrong comes into sight, and goes', async ({ playground, page }) => {
  await expect(page.getByTestId('pane-problems')).toHaveCount(0);
  await playground.drop({ name: 'x.html', bytes: new TextEncoder().encode('<html>') });
  await expect(page.getByTestId('pane-problems')).toBeVisible();
  await page.getByTestId('dismiss').click();
  await expect(page.getByTestId('pane-problems')).toHaveCount(0);
});

test('a damaged layout is as none', async ({ playground, page }) => {
  await page.evaluate(() => localStorage.setItem('tern-layout', '{"preset":"none","sizes":[3]}'));
  await playground.open();
  await expect(page.getByTestId('preset-debug')).toHaveAttribute('aria-pressed', 'true');
  await expect(page.getByTestId('pane-bytecode')).toBeVisible();
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 360, height: 740 }, hasTouch: true });

  test('one pane and a bar of tabs; Step is seen to do something', async ({ playground, page }) => {
    await expect(page.getByTestId('pane-draw')).toBeVisible();
    await expect(page.getByTestId('pane-bytecode')).toHaveCount(0);
    await expect(page.getByTestId('step')).toBeInViewport();
    await page.getByTestId('step').tap();
    await playground.idle();
    await expect(page.getByTestId('last-step')).toContainText('1 of 1');
    await expect(page.getByTestId('last-step')).toBeInViewport();
    await page.getByTestId('tab-registers').tap();
    await expect(page.getByTestId('pane-registers')).toBeInViewport();
    await expect(page.getByTestId('tab-registers')).toHaveAttribute('aria-selected', 'true');
    await expect(page.getByTestId('step')).toBeInViewport();
    expect(await violations(page)).toEqual([]);
  });

  test('tabs are large, walked by arrows, and clear of the controls', async ({
    playground,
    page,
  }) => {
    await playground.idle();
    const bar = (await page.getByRole('tablist', { name: 'Panes' }).boundingBox())!;
    const step = (await page.getByTestId('step').boundingBox())!;
    expect(step.y + step.height).toBeLessThanOrEqual(bar.y);
    for (const tab of await page.getByRole('tab').all()) {
      expect((await tab.boundingBox())!.height).toBeGreaterThanOrEqual(44);
    }
    await page.getByTestId('tab-draw').focus();
    await page.keyboard.press('ArrowRight');
    await expect(page.getByRole('tab').nth(1)).toBeFocused();
    await page.keyboard.press('End');
    await expect(page.getByRole('tab').last()).toHaveAttribute('aria-selected', 'true');
    await expect(page.getByRole('tab').last()).toBeInViewport();
  });
});
