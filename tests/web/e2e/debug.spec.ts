// SPDX-License-Identifier: Apache-2.0
// F03: stepping through the bytecode, running, breakpoints, registers.
import { expect, test } from '../support/page.js';

test('steps, and sees a register change with each', { tag: '@browsers' }, async ({
  playground, page,
}) => {
  await playground.click('sample-4');
  await playground.click('step');
  let changes = 0;
  for (let i = 1; i < 8; i++) {
    const { step, registers, lastPc, pc } = await playground.state();
    expect(step).toBe(i);
    expect(lastPc).not.toBeNull();
    await expect(page.locator('body')).toHaveAttribute('data-step', String(i));
    await expect(page.locator('body')).toHaveAttribute('data-pc', String(pc));
    await expect(page.locator('[aria-current=step]')).toHaveAttribute('data-row-id', String(pc));
    const changed = registers.filter((register) => register.changed).length;
    await expect(page.getByTestId('registers').locator('tr[data-changed=true]')).toHaveCount(
      changed,
    );
    changes += changed;
    await page.keyboard.press('n');
    await playground.idle();
  }
  expect(changes).toBeGreaterThanOrEqual(4);
});

test('runs to the end, shows the result, and resets', async ({ playground, page }) => {
  await playground.click('sample-8');
  await playground.click('run');
  const done = await playground.state();
  expect(done).toMatchObject({ state: 'stopped', stopReason: 'returned', pc: null });
  const { values, shape } = done.outputs!['probabilities']!;
  expect(shape).toEqual([1, 10]);
  expect(values.indexOf(Math.max(...values))).toBe(8);
  await expect(page.locator('body')).toHaveAttribute('data-stop-reason', 'returned');
  await expect(page.getByTestId('value-probabilities').locator('tbody tr')).toHaveCount(10);
  await playground.click('reset');
  expect(await playground.state()).toMatchObject({ state: 'idle', step: 0, outputs: null });
});

test('stepping to the end gives the result of a run', async ({ playground, page }) => {
  await playground.click('sample-2');
  await playground.click('run');
  const run = await playground.state();
  await playground.click('reset');
  await page.evaluate((steps) => window.ternPlayground.step(steps - 1), run.step);
  expect((await playground.state()).state).toBe('paused');
  await page.evaluate(() => window.ternPlayground.step());
  const stepped = await playground.state();
  expect(stepped.step).toBe(run.step);
  expect(stepped.outputs).toEqual(run.outputs);
});

test('a breakpoint stops the run, by mouse and by keyboard', async ({ playground, page }) => {
  await page.getByTestId('breakpoint-3').click();
  await playground.click('run');
  expect(await playground.state()).toMatchObject({
    stopReason: 'breakpoint',
    pc: 3,
    breakpoints: [3],
  });
  await expect(page.getByTestId('breakpoint-3')).toHaveAttribute('aria-pressed', 'true');
  await page.getByTestId('bytecode-grid').focus();
  await page.keyboard.press('b');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('b');
  expect((await playground.state()).breakpoints).toEqual([5]);
  await playground.click('run');
  expect(await playground.state()).toMatchObject({ stopReason: 'breakpoint', pc: 5 });
  await playground.click('run');
  expect(await playground.state()).toMatchObject({ stopReason: 'returned' });
});

test('stepping onto a breakpoint does not hold the next run', async ({ playground, page }) => {
  await page.getByTestId('breakpoint-1').click();
  await playground.click('step');
  expect((await playground.state()).pc).toBe(1);
  await playground.click('run');
  expect((await playground.state()).stopReason).toBe('returned');
});

test('shows all of a register, and follows it', async ({ playground, page }) => {
  await playground.click('sample-6');
  await page.evaluate(() => window.ternPlayground.step(4));
  const { registers } = await playground.state();
  const full = registers.find((register) => register.kind === 'tensor' && !register.empty)!;
  await page.locator(`[data-testid=registers] [data-row-id="${full.index}"] button`).click();
  await playground.idle();
  const picture = page.getByTestId('inspected').getByTestId('heatmap');
  await expect(picture).toHaveAttribute('aria-label', new RegExp(`^Heatmap of %${full.index}`));
  await page.getByTestId('heatmap-table').locator('summary').click();
  await expect(page.getByTestId('heatmap-table').locator('tbody td').nth(4)).toBeVisible();
});

test('inputs: zeros, ones and random numbers by seed', async ({ playground, page }) => {
  const result = async (): Promise<number[]> => {
    await playground.click('run');
    return (await playground.state()).outputs!['probabilities']!.values;
  };
  const fill = page.getByTestId('fill-image');
  await fill.selectOption('random');
  const first = await result();
  await page.getByTestId('seed-image').fill('7');
  await page.getByTestId('seed-image').blur();
  const second = await result();
  expect(second).not.toEqual(first);
  await page.getByTestId('seed-image').fill('1');
  await page.getByTestId('seed-image').blur();
  expect(await result()).toEqual(first);
  await fill.selectOption('zeros');
  expect(await result()).not.toEqual(first);
});

test('a batch of three gives three rows', async ({ playground, page }) => {
  await playground.click('sample-1');
  await page.getByTestId('dim-batch').fill('3');
  await page.getByTestId('dim-batch').blur();
  await playground.click('run');
  const { shape, values } = (await playground.state()).outputs!['probabilities']!;
  expect(shape).toEqual([3, 10]);
  expect(values.slice(10, 20)).toEqual(values.slice(0, 10));
});

test('a run that fails keeps its frames, and the page goes on', async ({ playground, page }) => {
  await page.getByTestId('dim-batch').fill('900000');
  await page.getByTestId('dim-batch').blur();
  await playground.click('run');
  const failed = await playground.state();
  expect(failed.problems[0]!.code).toMatch(/^E0/);
  await expect(page.getByTestId('problems')).toContainText(failed.problems[0]!.code);
  await page.getByTestId('dim-batch').fill('1');
  await page.getByTestId('dim-batch').blur();
  await playground.click('run');
  expect(await playground.state()).toMatchObject({ stopReason: 'returned', problems: [] });
});
