// SPDX-License-Identifier: Apache-2.0
// The tour by keyboard: tasks are ticked as they are done, answers are held against the counters,
// the tour can be left and is resumed where it was.
import type { Page } from '@playwright/test';
import { violations } from '../support/axe.js';
import { expect, type Playground, test } from '../support/page.js';

/** Enter, on what Tab leads to. */
async function press(page: Page, testId: string): Promise<void> {
  const control = page.getByTestId(testId);
  await control.focus();
  await expect(control).toBeFocused();
  expect(await control.evaluate((element: HTMLElement) => element.tabIndex), testId).toBe(0);
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

const tasksDone = (page: Page, count: number): Promise<void> =>
  expect(page.getByTestId('lesson-tasks').locator('.task-done')).toHaveCount(count);

async function keys(playground: Playground, ...all: string[]): Promise<void> {
  for (const key of all) {
    await playground.page.keyboard.press(key);
    await playground.idle();
  }
}

async function size(playground: Playground, n: string): Promise<void> {
  await playground.page.getByTestId('loop-n').focus();
  await playground.page.keyboard.press('Control+a');
  await playground.page.keyboard.type(n);
  await keys(playground, 'Tab');
}

/** Wrong answers first: each is told what the page shows. */
async function answer(page: Page, lesson: number, right: number): Promise<void> {
  for (const choice of [0, 1, 2].filter((each) => each !== right).concat(right)) {
    await page.getByTestId(`choice-${choice}`).focus();
    await page.keyboard.press('Space');
    await press(page, 'answer');
    await expect(page.getByTestId('verdict')).toHaveText(choice === right ? /^Yes/ : /^Not so/);
  }
  await expect(page.getByTestId(`lesson-${lesson}`)).toHaveAccessibleName(/, done$/);
}

/** What is done in the panes beside each lesson, and which answer is right. */
const kWalks: readonly ((playground: Playground, page: Page) => Promise<number>)[] = [
  async (playground) => {
    await keys(playground, 'n', 'n', 'Control+Enter');
    return 1;
  },
  async (playground, page) => {
    await keys(playground, 'Control+Enter', 'p');
    await page.getByTestId('timeline').focus();
    // The last calls to return were nested: a few steps before the end five are open.
    for (let back = 0; back < 60 && (await playground.state()).depth < 5; back++)
      await keys(playground, 'ArrowLeft');
    return 1;
  },
  async (playground, page) => {
    await keys(playground, 'Control+Enter', 'p', 'p', 'p');
    const picture = page.locator('[data-testid=registers] tr', { hasText: 'f32[24, 24]' }).first();
    await picture.getByRole('button').focus();
    await keys(playground, 'Enter');
    return 1;
  },
  async (playground, page) => {
    await page.getByTestId('grid-fixed').focus();
    await keys(playground, 'ArrowRight', 'Enter');
    await size(playground, '16');
    await size(playground, '18');
    return 1;
  },
  async (playground) => {
    await keys(playground, ']', ']');
    return 2;
  },
  async (playground) => {
    await keys(playground, ']');
    return 1;
  },
];

test('all lessons from the first to the end of the tour, by keyboard', async ({
  playground, page,
}) => {
  await press(page, 'preset-learn');
  await expect(page.getByTestId('pane-lesson')).toContainText('1 of 6');
  for (const [i, walk] of kWalks.entries()) {
    await press(page, 'open-lesson');
    await playground.idle();
    await expect(page.getByTestId('question')).toHaveCount(0);
    const right = await walk(playground, page);
    await tasksDone(page, await page.getByTestId('lesson-tasks').locator('li').count());
    await answer(page, i + 1, right);
    await expect(page.getByTestId('tour-done')).toHaveCount(i === 5 ? 1 : 0);
    if (i < 5) await press(page, 'lesson-next');
  }
  await page.reload();
  await playground.ready();
  await expect(page.getByTestId('tour-done')).toBeVisible();
  await press(page, 'tour-again');
  await expect(page.getByTestId('pane-lesson')).toContainText('1 of 6');
  await expect(page.getByTestId('lesson-6')).not.toHaveAccessibleName(/, done$/);
});
