// SPDX-License-Identifier: Apache-2.0
// The tour by keyboard: tasks are ticked as they are done, answers are held against the counters,
// the tour can be left and is resumed where it was.
import type { Page } from '@playwright/test';
import { violations } from '../support/axe.js';
import { expect, type Playground, test } from '../support/page.js';

async function press(page: Page, testId: string): Promise<void> {
  await page.getByTestId(testId).focus();
  await page.keyboard.press('Enter');
}

async function begin(playground: Playground, page: Page, lesson: number): Promise<void> {
  await press(page, `lesson-${lesson}`);
  await press(page, 'open-lesson');
  await playground.idle();
}

test('the first lesson, left and resumed', async ({ playground, page }) => {
  await page.keyboard.press('Control+k');
  await page.getByTestId('palette-field').fill('the tour');
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('pane-lesson')).toContainText('Bytecode and registers');
  await begin(playground, page, 1);
  await page.keyboard.press('n');
  await playground.idle();
  await expect(page.getByTestId('lesson-tasks').locator('.task-done')).toHaveCount(1);
  await expect(page.getByTestId('pane-registers')).toHaveAttribute('data-pointed', '');
  expect(await violations(page)).toEqual([]);
  await press(page, 'leave-tour');
  await expect(page.getByTestId('pane-lesson')).toHaveCount(0);
  await page.getByTestId('preset-learn').click();
  await expect(page.getByTestId('lesson-tasks').locator('.task-done')).toHaveCount(1);
  await page.keyboard.press('n');
  await page.keyboard.press('Control+Enter');
  await playground.idle();
  await page.getByTestId('choice-0').focus();
  await page.keyboard.press('Space');
  await press(page, 'answer');
  await expect(page.getByTestId('verdict')).toHaveText(/^Not so\. The row of add has %2/);
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('ArrowDown');
  await press(page, 'answer');
  await expect(page.getByTestId('verdict')).toHaveText(/^Yes\./);
  await expect(page.getByTestId('lesson-1')).toHaveAccessibleName(/, done$/);
  await page.reload();
  await expect(page.getByTestId('lesson-1')).toHaveAccessibleName(/, done$/);
});

test('the last lesson: why a clean-up loop is slower, by the counters', async ({
  playground, page,
}) => {
  await page.evaluate(() => localStorage.setItem('tern-tour', JSON.stringify({
    lesson: 5, tasks: {}, answered: ['machine', 'time', 'tensors', 'loops', 'vscale'],
  })));
  await playground.open('?test=1#v=1&view=learn');
  await press(page, 'open-lesson');
  await playground.idle();
  await expect(page.getByTestId('question')).toHaveCount(0);
  await page.getByTestId('vscale').focus();
  await page.keyboard.press('ArrowRight');
  await playground.idle();
  await expect(page.getByTestId('lesson-tasks').locator('.task-done')).toHaveCount(2);
  for (const [choice, says] of [[0, /^Not so/], [2, /^Not so/], [1, /^Yes/]] as const) {
    await page.getByTestId(`choice-${choice}`).focus();
    await page.keyboard.press('Space');
    await press(page, 'answer');
    await expect(page.getByTestId('verdict')).toHaveText(says);
  }
  const lanes = await page.evaluate(() => window.ternPlayground.lanes());
  const total = Object.values(lanes!['cleanup']!.instructions).reduce((a, b) => a + b, 0);
  await expect(page.getByTestId('verdict')).toContainText(`, ${total};`);
  await expect(page.getByTestId('tour-done')).toBeVisible();
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await violations(page)).toEqual([]);
});
