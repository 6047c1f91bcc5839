// SPDX-License-Identifier: Apache-2.0
// A visit by touch alone on a phone: a program is picked, edited, run, stepped, and looked at in
// lanes. Soft keyboards put text in without keys, and so does this.
import type { Page } from '@playwright/test';
import { expect, test } from '../support/page.js';

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

/** What the page was worked with, as it saw it. */
async function watchPointers(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate(() => {
    const seen = new Set<string>();
    window.addEventListener('pointerdown', ({ pointerType }) => seen.add(pointerType), true);
    addEventListener('keydown', () => seen.add('keyboard'), true);
    (window as unknown as { seen: Set<string> }).seen = seen;
  });
  return () => page.evaluate(() => [...(window as unknown as { seen: Set<string> }).seen]);
}

test('a program is picked, edited, run and stepped', async ({ playground, page }) => {
  const used = await watchPointers(page);
  const tap = async (testId: string): Promise<void> => {
    await page.getByTestId(testId).tap();
    await playground.idle();
  };
  await tap('open-gallery');
  await tap('card-hello_add');
  expect((await playground.state()).program!.name).toBe('hello_add.tn');
  await tap('tab-source');

  // The caret goes behind a number, by a tap on its right half.
  const text = page.getByTestId('editor-text');
  const box = await text.evaluate((root) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const at = node.textContent!.indexOf('10');
      if (at < 0) continue;
      const range = document.createRange();
      range.setStart(node, at + 1);
      range.setEnd(node, at + 2);
      const { right, top, height } = range.getBoundingClientRect();
      return { right, top, height };
    }
    throw new Error('there is no 10 in the text');
  });
  await page.touchscreen.tap(box.right - 1, box.top + box.height / 2);
  await page.keyboard.insertText('0');
  await playground.idle();
  expect((await page.evaluate(() => window.ternPlayground.state()) as
    { source: { text: string } }).source.text).toContain('100');

  await tap('run');
  const { outputs, stopReason } = await playground.state();
  expect(stopReason).toBe('returned');
  expect(Object.values(outputs!)[0]!.values).toEqual([101, 22, 33]);
  await tap('tab-output');
  await expect(page.getByTestId('pane-output')).toContainText('101');

  await tap('reset');
  await tap('step');
  expect(await playground.state()).toMatchObject({ step: 1 });
  await expect(page.getByTestId('last-step')).toContainText('1 of 1');
  await tap('back');
  expect(await playground.state()).toMatchObject({ step: 0 });
  await tap('tab-bytecode');
  await tap('breakpoint-0');
  expect((await playground.state()).breakpoints).toEqual([0]);
  // In emulation Chromium gives the taps of a touch screen, and nothing else has been used.
  expect(await used()).toEqual(['touch']);
});

test('a mistake that was typed is found and mended', async ({ playground, page }) => {
  const used = await watchPointers(page);
  const tap = async (testId: string): Promise<void> => {
    await page.getByTestId(testId).first().tap();
    await playground.idle();
  };
  await tap('open-gallery');
  await tap('card-collatz');
  await tap('tab-source');
  const semicolon = await page.evaluate(() => {
    const { text } = (window.ternPlayground.state() as { source: { text: string } }).source;
    return text.indexOf(';');
  });
  expect(semicolon).toBeGreaterThan(0);
  await page.getByTestId('plain-text').tap();
  await page.getByTestId('editor-plain').tap();
  await page.evaluate((at) => {
    const field = document.querySelector<HTMLTextAreaElement>('[data-testid=editor-plain]')!;
    field.setSelectionRange(at, at + 1);
  }, semicolon);
  await page.keyboard.insertText(' ');
  await playground.idle();
  await expect(page.getByTestId('editor-plain')).toHaveAttribute('aria-invalid', 'true');
  await tap('tab-problems');
  await expect(page.getByTestId('findings')).toContainText("expected ';'");
  await tap('apply-fix');
  await tap('run');
  expect((await playground.state()).outputs).toEqual({ output0: 111 });
  expect(await used()).toEqual(['touch']);
});

test('lanes are looked at by touch', async ({ playground, page }) => {
  const used = await watchPointers(page);
  await page.getByTestId('preset-vector').tap();
  await playground.idle();
  const slider = page.getByTestId('vscale');
  const before = await slider.inputValue();
  const { x, y, width, height } = (await slider.boundingBox())!;
  await page.touchscreen.tap(x + width * 0.48, y + height / 2);
  await playground.idle();
  expect(Number(await slider.inputValue())).toBeGreaterThan(Number(before));
  await page.locator('[data-testid=grid-predicated] [data-k="0"] svg').tap();
  await expect(page.getByTestId('lane-readout')).toContainText('Iteration 0 (main), lane');
  expect(await used()).toEqual(['touch']);
});
