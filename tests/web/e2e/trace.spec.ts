// SPDX-License-Identifier: Apache-2.0
// The recorded run: walked in both directions with the core's debugger, during a run and after it.
import { violations } from '../support/axe.js';
import { expect, type State, test } from '../support/page.js';

const kLoop = `.func @main(n: int) -> int
  load_const int 0 dst: %1
again:
  add   %1, %0 dst: %1
  sub   %0, 1 dst: %0
  gt    %0, 0 dst: %2
  if    %2 true: again false: done
done:
  ret   ret %1
`;
const kCall = `.func @main()
  load_const int 21 dst: %0
  invoke @twice in: %0 dst: %1
  ret   ret %1
.func @twice(n)
  add   %0, %0 dst: %1
  ret   ret %1
`;
const kEndless = '.func @main()\nagain:\n  load_const int 1 dst: %0\n  goto again\n';
const kTrap = '.func @main()\n  load_const int 0 dst: %0\n  div 1, %0 dst: %1\n  ret ret %1\n';
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

type TraceState = State & { trace: { first: number; end: number } | null; stale: boolean };

test('a run that has returned stays, and each of its steps can be gone to', {
  tag: '@browsers',
}, async ({ playground, page }) => {
  const state = async (): Promise<TraceState> => (await playground.state()) as TraceState;
  await playground.click('sample-3');
  await expect(page.getByTestId('timeline')).toHaveCount(0);
  await playground.click('run');
  const done = await state();
  expect(done).toMatchObject({ stopReason: 'returned', pc: null, trace: { first: 0 } });
  const { end } = done.trace!;
  expect(done.step).toBe(end);
  // What the frame held before it went is still there to be looked at.
  await expect(page.getByTestId('registers').locator('tbody tr').first()).toBeVisible();
  const slider = page.getByTestId('timeline');
  await expect(slider).toHaveAttribute('aria-valuetext', `step ${end} of ${end}, returned`);

  await playground.click('back');
  expect(await state()).toMatchObject({ state: 'paused', step: end - 1, outputs: null });
  await slider.fill('2');
  const second = await state();
  expect(second).toMatchObject({ step: 2, trace: { end } });
  await expect(page.locator('[aria-current=step]')).toHaveAttribute('data-row-id', '2');
  await slider.press('ArrowRight');
  expect((await state()).step).toBe(3);
  await slider.press('Home');
  expect(await state()).toMatchObject({ step: 0, pc: 0, lastPc: null });
  await page.getByTestId('step').click();
  await page.getByTestId('step').click();
  expect((await state()).registers).toEqual(second.registers);
  await slider.press('End');
  expect(await state()).toMatchObject({ stopReason: 'returned', outputs: done.outputs });
});

test('keys step in both directions, and a breakpoint is met in both', async ({
  playground,
  page,
}) => {
  await page.getByTestId('breakpoint-3').click();
  await playground.click('run');
  expect(await playground.state()).toMatchObject({ stopReason: 'breakpoint', pc: 3, step: 3 });
  await page.keyboard.press('n');
  await page.keyboard.press('n');
  expect((await playground.state()).step).toBe(5);
  await page.keyboard.press('p');
  expect((await playground.state()).step).toBe(4);
  await playground.click('run-back');
  expect(await playground.state()).toMatchObject({ stopReason: 'breakpoint', pc: 3, step: 3 });
  await playground.click('run-back');
  expect(await playground.state()).toMatchObject({ step: 0, pc: 0 });
  await expect(page.getByTestId('back')).toBeDisabled();
});

test('a loop of an assembly program is walked back turn by turn', async ({ playground, page }) => {
  await playground.drop({ name: 'sum.tasm', bytes: bytes(kLoop) });
  await playground.click('run');
  const { step } = await playground.state();
  for (let i = 1; i <= 4; i++) await page.keyboard.press('p');
  expect((await playground.state()).step).toBe(step - 4);
  await page.evaluate(() => window.ternPlayground.seek(1e9));
  expect((await playground.state()).step).toBe(step);
  await page.evaluate(() => window.ternPlayground.seek(-1));
  expect((await playground.state()).step).toBe(0);
});

test('the frames of calls can be looked into', async ({ playground, page }) => {
  await playground.drop({ name: 'call.tasm', bytes: bytes(kCall) });
  await playground.click('step');
  await expect(page.getByTestId('frames')).toHaveCount(0);
  await playground.click('step');
  const frames = page.getByTestId('frames');
  await expect(frames.locator('option')).toHaveText(['0 @twice pc 3', '1 @main pc 1']);
  await expect(page.getByTestId('registers')).toContainText('n');
  await frames.selectOption('1');
  await expect(page.getByTestId('registers').locator('tbody tr')).toHaveCount(2);
  await page.locator('[data-testid=registers] [data-row-id="0"] button').click();
  await playground.idle();
  await expect(page.getByTestId('inspected')).toContainText('21');
  expect(await violations(page)).toEqual([]);
});

test('other inputs begin another run', async ({ playground, page }) => {
  await playground.click('sample-1');
  await page.evaluate(() => window.ternPlayground.step(3));
  await expect(page.getByTestId('stale')).toHaveCount(0);
  await page.getByTestId('fill-image').selectOption('zeros');
  await expect(page.getByTestId('stale')).toContainText('begins a new one');
  await expect(page.getByTestId('run')).toContainText('Run');
  await playground.click('step');
  expect((await playground.state()).step).toBe(1);
  await expect(page.getByTestId('stale')).toHaveCount(0);
});

test('a run that failed can be walked back from where it failed', async ({ playground, page }) => {
  await playground.drop({ name: 'trap.tasm', bytes: bytes(kTrap) });
  await playground.click('run');
  expect(await playground.state()).toMatchObject({ stopReason: 'trap(E0301)', pc: 1, step: 1 });
  await expect(page.getByTestId('problems')).toContainText('division');
  await playground.click('back');
  // Why it failed stays to be read while one looks for the reason.
  expect(await playground.state()).toMatchObject({ step: 0, pc: 0 });
  await expect(page.getByTestId('problems')).toContainText('division');
  await playground.click('step');
  expect(await playground.state()).toMatchObject({ step: 1, pc: 1 });
  await playground.click('step');
  expect(await playground.state()).toMatchObject({ stopReason: 'trap(E0301)' });
});

test('an endless run stops at once and what is kept of it can be walked', {
  tag: '@browsers',
}, async ({ playground, page }) => {
  await playground.drop({ name: 'endless.tasm', bytes: bytes(kEndless) });
  await page.getByTestId('run').click();
  await expect(page.locator('body')).toHaveAttribute('data-state', 'running');
  await expect.poll(async () => Number(await page.locator('body').getAttribute('data-step')))
    .toBeGreaterThan(100);
  await page.getByTestId('stop').click();
  const stopped = (await playground.state()) as TraceState;
  expect(stopped).toMatchObject({ state: 'paused', stopReason: 'cancelled' });
  expect(stopped.step).toBeGreaterThan(100);
  await playground.click('back');
  expect((await playground.state()).step).toBe(stopped.step - 1);
});

test.describe('where what records cannot be fetched', () => {
  test.use({ allowed: [/Failed to load resource/] });
  test('the page says so, and the next step fetches it', async ({ playground, page }) => {
    await page.route('**/tern-debug*', (route) => route.abort());
    await playground.click('step');
    const { problems, step } = await playground.state();
    expect(problems.map(({ code }) => code)).toEqual(['E0601']);
    expect(problems[0]!.text).toContain('tern-debug');
    expect(step).toBe(0);
    await page.unroute('**/tern-debug*');
    await playground.click('step');
    expect(await playground.state()).toMatchObject({ step: 1, problems: [] });
  });
});

test('the record has no accessibility violation, and fits a phone', async ({
  playground,
  page,
}) => {
  await playground.click('run');
  for (const scheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    expect(await violations(page)).toEqual([]);
  }
  for (const width of [320, 360]) {
    await page.setViewportSize({ width, height: 740 });
    const told = page.getByTestId('last-step');
    const before = await told.textContent();
    await playground.click('back');
    // A step is seen to do something, also where bytecode and registers are out of sight.
    await expect(told).toBeInViewport();
    await expect(told).not.toHaveText(before!);
    await expect(told).toContainText(/^\d+ of 18 · /);
    for (const id of ['run', 'back', 'step', 'stop', 'reset']) {
      const box = (await page.getByTestId(id).boundingBox())!;
      expect(box.x, `${id} at ${width}`).toBeGreaterThanOrEqual(0);
      expect(box.x + box.width, `${id} at ${width}`).toBeLessThanOrEqual(width);
    }
  }
});
