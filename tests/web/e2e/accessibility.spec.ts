// SPDX-License-Identifier: Apache-2.0
// axe in many states, the keyboard alone, reflow, target sizes, motion.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { violations } from '../support/axe.js';
import { expect, test } from '../support/page.js';

const kDigits = new Uint8Array(readFileSync(resolve(__dirname, '../../models/digits/model.onnx')));

for (const scheme of ['light', 'dark'] as const) {
  test.describe(`axe, ${scheme}`, () => {
    test.use({ colorScheme: scheme });

    test('at the start, drawn and paused', async ({ playground, page }) => {
      expect(await violations(page)).toEqual([]);
      await playground.click('sample-3');
      await page.evaluate(() => window.ternPlayground.step(5));
      await page.locator('[data-testid=registers] button').first().click();
      await playground.idle();
      expect(await violations(page)).toEqual([]);
    });

    test('stopped, with lists and tables open', async ({ playground, page }) => {
      await playground.click('sample-3');
      await playground.click('run');
      for (const list of ['constants', 'primitives', 'sections', 'drawing-as-table']) {
        await page.getByTestId(list).locator('summary').click();
      }
      expect(await violations(page)).toEqual([]);
    });

    test('after an error, and with the list of keys open', async ({ playground, page }) => {
      await playground.drop({ name: 'x.html', bytes: new TextEncoder().encode('<html>') });
      expect(await violations(page)).toEqual([]);
      await page.getByTestId('keys').click();
      expect(await violations(page)).toEqual([]);
    });
  });
}

test.describe('on a phone', () => {
  test.use({ viewport: { width: 360, height: 740 }, hasTouch: true });

  test('axe has nothing to say, before and after a run', async ({ playground, page }) => {
    expect(await violations(page)).toEqual([]);
    await page.getByTestId('sample-2').tap();
    await page.getByTestId('run').tap();
    await playground.idle();
    expect((await playground.state()).classification!.digit).toBe(2);
    expect(await violations(page)).toEqual([]);
  });

  test('what is touched is 44 pixels high in every pane', async ({ playground, page }) => {
    await page.getByTestId('sample-2').tap();
    await page.evaluate(() => window.ternPlayground.step(4));
    for (const tab of await page.getByTestId(/^tab-/).all()) {
      await tab.tap();
      await playground.idle();
      // Rows of the bytecode and of registers are lines of a text: what they do, buttons do too.
      const small = await page.evaluate(() => [...document.querySelectorAll<HTMLElement>(
        'button:not(.breakpoint, .register), select, .button, input:not(.visually-hidden), summary',
      )].filter((control) => control.offsetParent !== null)
        .map((control) => [control.outerHTML.slice(0, 90), Math.max(
          control.getBoundingClientRect().height,
          control.closest('label')?.getBoundingClientRect().height ?? 0)] as const)
        .filter(([, height]) => height < 43.9));
      expect.soft(small, await tab.innerText()).toEqual([]);
    }
  });

  test('the page does not scroll sideways, also at 320 pixels', async ({ playground, page }) => {
    for (const width of [360, 320]) {
      await page.setViewportSize({ width, height: 740 });
      await playground.click('step');
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(overflow, `${width} px`).toBeLessThanOrEqual(0);
    }
  });
});

test.describe('forced colours', () => {
  test.use({ contextOptions: { forcedColors: 'active' } });
  test('axe has nothing to say', async ({ playground, page }) => {
    await playground.click('sample-3');
    await playground.click('step');
    expect(await violations(page)).toEqual([]);
  });

  test('pictures drawn by scripts have the colours of the reader', async ({ playground, page }) => {
    await page.getByTestId('tab-graph').click();
    await playground.drop({ name: 'model.onnx', bytes: kDigits });
    await playground.idle();
    await expect(page.getByTestId('graph-picture')).toBeVisible();
    const [drawn, wanted] = await page.evaluate(() => {
      const probe = document.body.appendChild(document.createElement('i'));
      probe.style.color = 'CanvasText';
      const wanted = getComputedStyle(probe).color.match(/\d+/g)!.slice(0, 3).map(Number);
      probe.remove();
      const canvas = document.querySelector<HTMLCanvasElement>('canvas.graph-picture')!;
      const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
      let drawn = 0;
      for (let i = 0; i < data.length; i += 4)
        if (data[i + 3] === 255 && wanted.every((part, k) => data[i + k] === part)) drawn++;
      return [drawn, wanted];
    });
    expect(drawn, `pixels of ${wanted}`).toBeGreaterThan(200);
  });
});

test('landmarks, one h1, and a name for every pane', async ({ playground, page }) => {
  await playground.idle();
  for (const role of ['banner', 'main', 'contentinfo'] as const) {
    await expect(page.getByRole(role)).toHaveCount(1);
  }
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Tern playground');
  for (const name of ['Draw a digit', 'Program', 'Run', 'Bytecode', 'Registers', 'Output']) {
    await expect(page.getByRole('region', { name, exact: true })).toBeVisible();
  }
});

test('the grid says how long it is and is one tab stop', async ({ playground, page }) => {
  const { program } = await playground.state();
  const grid = page.getByRole('treegrid', { name: 'Instructions' });
  // Heading, the function's line, and the instructions.
  await expect(grid).toHaveAttribute('aria-rowcount', String(program!.instructions + 2));
  expect(await grid.locator('[tabindex="0"], button:not([tabindex="-1"])').count()).toBe(0);
  await grid.focus();
  await page.keyboard.press('End');
  const last = grid.locator(`[aria-rowindex="${program!.instructions + 2}"]`);
  const id = await last.getAttribute('id');
  expect(id).not.toBeNull();
  await expect(grid).toHaveAttribute('aria-activedescendant', id!);
});

test('letter keys stay out of fields and can be switched off', async ({ playground, page }) => {
  await page.getByTestId('dim-batch').focus();
  await page.keyboard.press('n');
  expect((await playground.state()).step).toBe(0);
  await page.getByTestId('keys').click();
  await page.getByTestId('letter-keys').uncheck();
  await page.keyboard.press('Escape');
  await expect(page.getByTestId('key-sheet')).toHaveCount(0);
  await page.keyboard.press('n');
  expect((await playground.state()).step).toBe(0);
  await playground.click('step');
  expect((await playground.state()).step).toBe(1);
});

test('targets are at least 24 pixels', async ({ playground, page }) => {
  await playground.click('step');
  const small = await page.evaluate(() =>
    [
      ...document.querySelectorAll<HTMLElement>(
        'button, select, .button, input[type=number], summary',
      ),
    ]
      .filter((element) => element.offsetParent !== null)
      .map((element) => ({
        text: element.outerHTML.slice(0, 90),
        box: element.getBoundingClientRect(),
      }))
      .filter(({ box }) => box.width < 24 || box.height < 24)
      .map(({ text, box }) => `${text} ${box.width}×${box.height}`),
  );
  expect(small).toEqual([]);
});

test('focus is seen wherever Tab leads, in both palettes', async ({ playground, page }) => {
  await playground.click('step');
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const unseen = new Set<string>();
    let places = 0;
    for (let i = 0; i < 45; i++) {
      await page.keyboard.press('Tab');
      const place = await page.evaluate(() => {
        const focused = document.activeElement as HTMLElement;
        if (focused === document.body) return undefined;
        const luminance = (colour: string): number => {
          const [r, g, b] = colour.match(/[\d.]+/g)!.map(Number).map((part) => {
            const share = part / 255;
            return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
          });
          return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
        };
        const behind = (element: HTMLElement | null): string => {
          if (!element) return 'rgb(255, 255, 255)';
          const { backgroundColor } = getComputedStyle(element);
          return backgroundColor.endsWith(', 0)') ? behind(element.parentElement) : backgroundColor;
        };
        // A picker for files draws the outline around its label.
        const shown = focused.matches('input[type=file]')
          ? focused.nextElementSibling as HTMLElement : focused;
        const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(shown);
        const [a, b] = [luminance(outlineColor), luminance(behind(shown.parentElement))];
        const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        const isSeen = outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2 && contrast >= 3;
        return { isSeen, name: `${focused.outerHTML.slice(0, 80)} ${contrast.toFixed(1)}` };
      });
      if (!place) continue;
      places++;
      if (!place.isSeen) unseen.add(place.name);
    }
    expect([...unseen], colorScheme).toEqual([]);
    expect(places).toBeGreaterThan(30);
  }
});

test('every canvas is a picture with a name, and has a table beside it', async ({
  playground, page,
}) => {
  await page.getByTestId('tab-graph').click();
  await playground.drop({ name: 'model.onnx', bytes: kDigits });
  await playground.click('run');
  await page.getByTestId('tab-inspector').click();
  await playground.idle();
  const canvases = page.locator('canvas:visible');
  await expect(canvases.first()).toBeVisible();
  const wrong = await canvases.evaluateAll((all) => all.flatMap((canvas) => {
    const named = canvas.closest('[role=img], [role=application]')?.getAttribute('aria-label');
    const isOfText = canvas.getAttribute('aria-hidden') === 'true';
    const twin = canvas.closest('section')!.querySelector('[data-testid*=table], table');
    return (named || isOfText) && twin ? [] : [canvas.outerHTML.slice(0, 120)];
  }));
  expect(wrong).toEqual([]);
  expect(await canvases.count()).toBeGreaterThanOrEqual(2);
});

test.describe('reduced motion', () => {
  test.use({ contextOptions: { reducedMotion: 'reduce' } });
  test('nothing moves', async ({ playground, page }) => {
    await page.getByTestId('sample-5').click();
    await playground.idle();
    expect(await page.evaluate(() => document.getAnimations().length)).toBe(0);
  });
});
