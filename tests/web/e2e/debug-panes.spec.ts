// SPDX-License-Identifier: Apache-2.0
// The panes that debug: what they show is what the core tells, by mouse, by keyboard, and for
// readers of the screen.
import type { Page } from '@playwright/test';
import { violations } from '../support/axe.js';
import { expect, type Playground, test } from '../support/page.js';

const kCalls = `.func @main(n: int)
  load_consti 7 dst: %1
  invoke @sum in: %0 dst: %2
  move  %1 dst: %3
  kill  %1
  ret   ret %2
.func @sum(n: int)
  if_equal %0, 0 true: +1 false: +2
  ret   ret 0
  sub   %0, 1 dst: %1
  invoke @sum in: %1 dst: %1
  add   %0, %1 dst: %1
  ret   ret %1
`;
const kLoop = `.func @main()
  load_const int 20 dst: %0
again:
  sub   %0, 1 dst: %0
  gt    %0, 0 dst: %1
  if    %1 true: again false: +1
  ret   ret %0
`;
const kShapes = `.func @main(x: f32[2, 3], y: f32[2, 4])
  call  vm.builtin.alloc_shape_heap in: 2 dst: %2
  call  vm.builtin.match_shape in: %0, %2, "x[n, m]", 1, 0, 3, 3 dst: void
  call  vm.builtin.match_shape in: %1, %2, "y[n, k]", 2, 0, 2, 1 dst: void
  ret   ret %0
`;
const kSymbols = `.func @main(x: f32[n, 3])
  call  vm.builtin.alloc_shape_heap in: 1 dst: %1
  call  vm.builtin.match_shape in: %0, %1, "x[n, 3]", 1, 0, 0, 3 dst: void
  ret   ret %0
`;
/** What pc 2 makes of zeros is no number. */
const kNan = `.func @main() -> f32[2]
  load_const f32[2] [1, 0] dst: %0
  call  sub   in: %0, %0 dst: %1
  call  div   in: %1, %1 dst: %2
  call  add   in: %2, %0 dst: %3
  ret   ret %3
`;
const kMarkup = `.func @main("<img src=x onerror=alert(1)>")
  move  %0 dst: %1
  ret   ret %1
`;
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const load = (playground: Playground, text: string): Promise<void> =>
  playground.drop({ name: 'program.tasm', bytes: bytes(text) });

/** Shows a pane that lies behind a tab. */
async function show(playground: Playground, name: string): Promise<void> {
  const tab = playground.page.getByRole('tab', { name, exact: true });
  if (await tab.count()) await tab.click();
  await playground.idle();
}

test('the bytecode counts, folds, filters and follows', async ({ playground, page }) => {
  await load(playground, kLoop);
  await playground.click('run');
  const row = (pc: number) => page.locator(`[data-testid=bytecode-grid] [data-row-id="${pc}"]`);
  await expect(row(1).locator('.c-hits')).toHaveText('20');
  await expect(row(0).locator('.c-hits')).toHaveText('1');
  await expect(row(2).locator('.arrow')).toHaveCount(1);
  await playground.click('measure-times');
  await expect(row(1).locator('.c-time')).toContainText('ns');
  await playground.click('show-bytes');
  await expect(row(0).locator('.c-bytes')).toHaveText(/^21 02 /);
  await page.getByTestId('bytecode-filter').fill('op:gt');
  await expect(page.locator('[data-testid=bytecode-grid] [data-row-id]')).toHaveCount(1);
  await page.getByTestId('bytecode-filter').fill('op:none');
  await expect(page.getByText('No instruction has all of that.')).toBeVisible();
  await page.getByTestId('bytecode-filter').fill('');

  // Along the parts of a row to where the jump leads.
  const grid = page.getByTestId('bytecode-grid');
  await grid.focus();
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowUp');
  for (const key of ['ArrowRight', 'ArrowRight', 'Enter']) await page.keyboard.press(key);
  await expect(page.getByTestId('row-detail')).toContainText('1 sub');
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowLeft');
  await expect(page.locator('#row-0')).toHaveAttribute('aria-expanded', 'false');
  await expect(grid).toHaveAttribute('aria-rowcount', '2');
  await page.keyboard.press('Enter');
  await expect(page.locator('#row-0')).toHaveAttribute('aria-expanded', 'true');
  expect(await violations(page)).toEqual([]);
});

test('the time line walks by keys, over calls and out of them', async ({ playground, page }) => {
  await load(playground, kCalls);
  await page.getByTestId('seed-n').fill('3').catch(() => undefined);
  await playground.click('run');
  await playground.idle();
  const end = (await playground.state()).step;
  await expect(page.getByTestId('timeline-tracks')).toBeVisible();
  const line = page.getByTestId('timeline');
  await line.focus();
  await page.keyboard.press('Home');
  expect((await playground.state()).step).toBe(0);
  await expect(line)
    .toHaveAttribute('aria-valuetext', /^step 0 of \d+, pc 0 in main, load_consti$/);
  await page.keyboard.press('2');
  await expect(page.getByTestId('typed-step')).toContainText('to step 2');
  await page.keyboard.press('Enter');
  expect(await playground.state()).toMatchObject({ step: 2, depth: 2 });
  await playground.click('out');
  expect(await playground.state()).toMatchObject({ depth: 1, pc: 2 });
  const after = (await playground.state()).step;
  await playground.click('back-over');
  expect(await playground.state()).toMatchObject({ step: 1, depth: 1 });
  await playground.click('over');
  expect((await playground.state()).step).toBe(after);
  await line.focus();
  await page.keyboard.press('Shift+ArrowLeft');
  const tenth = Math.max(1, Math.round(end / 10));
  expect((await playground.state()).step).toBe(after - tenth);
  await page.getByTestId('timeline-as-table').click();
  await expect(page.getByTestId('timeline-table').locator('tbody tr')).toHaveCount(end);
  expect(await violations(page)).toEqual([]);
});

test('single letters step in, out, on and back', async ({ playground, page }) => {
  await load(playground, kCalls);
  await page.getByTestId('bytecode-grid').focus();
  const press = async (key: string) => {
    await page.keyboard.press(key);
    return playground.state();
  };
  expect(await press('s')).toMatchObject({ step: 1, depth: 1 });
  expect(await press('s')).toMatchObject({ step: 2, depth: 2 });
  expect(await press('o')).toMatchObject({ depth: 1, pc: 2 });
  expect(await press('P')).toMatchObject({ step: 1 });
  expect(await press('N')).toMatchObject({ depth: 1, pc: 2 });
  expect(await press('c')).toMatchObject({ stopReason: 'returned' });
  expect(await press('r')).toMatchObject({ step: 0 });
});

test('registers over time have a table with the same values', async ({ playground, page }) => {
  await load(playground, kCalls);
  await playground.click('run');
  await show(playground, 'Registers over time');
  await expect(page.getByTestId('dead-share')).toContainText(/@main · \d+ % of byte-steps/);
  await expect(page.getByTestId('lifetimes-picture')).toHaveAttribute('role', 'img');
  await page.getByTestId('lifetimes-as-table').click();
  const table = page.getByTestId('lifetimes-table');
  await expect(table.locator('tbody tr')).toHaveCount(4);
  await expect(table).toContainText('killed');
  expect(await violations(page)).toEqual([]);
  await table.getByRole('button', { name: '%2·1' }).click();
  await playground.idle();
  expect((await playground.state()).pc).toBe(2);
});

test('frames can be picked', async ({ playground, page }) => {
  await load(playground, kCalls);
  await playground.click('step');
  await playground.click('step');
  await show(playground, 'Frames');
  const table = page.getByTestId('frames-table');
  await expect(table.locator('tbody tr')).toHaveCount(2);
  await expect(table.locator('tbody tr').first()).toContainText('step 2');
  await page.getByTestId('frame-1').click();
  await expect(page.getByTestId('frame-1')).toHaveAttribute('aria-pressed', 'true');
  expect(await violations(page)).toEqual([]);
});

/** How many cells each picture among the registers has, and whether it has more than one colour. */
const pictures = (page: Page) =>
  page.getByTestId('registers').locator('canvas').evaluateAll((all) =>
    (all as HTMLCanvasElement[]).map((canvas) => {
      const { width, height } = canvas;
      const { data } = canvas.getContext('2d')!.getImageData(0, 0, width, height);
      return { width, height, isPlain: new Set(new Uint32Array(data.buffer)).size === 1 };
    }));

test('registers have small pictures of their tensors, at every step', async ({
  playground, page,
}) => {
  await playground.click('sample-3');
  await page.evaluate(() => window.ternPlayground.step(2));
  await playground.idle();
  const early = await pictures(page);
  expect(early[0]).toEqual({ width: 16, height: 8, isPlain: false });
  // After the return too, of the frame as it was.
  await playground.click('run');
  await playground.idle();
  expect((await pictures(page)).length).toBeGreaterThan(0);
  await page.evaluate(() => window.ternPlayground.seek(2));
  await playground.idle();
  expect(await pictures(page)).toEqual(early);
});

test('registers without tensors, or with too large ones, have no picture', async ({
  playground, page,
}) => {
  await load(playground, kLoop);
  await page.evaluate(() => window.ternPlayground.step(2));
  await playground.idle();
  expect(await pictures(page)).toEqual([]);
  await load(playground, `.func @main(x: f32[1024, 1024])
  move  %0 dst: %1
  ret   ret %1
`);
  await page.evaluate(() => window.ternPlayground.step(1));
  await playground.idle();
  await expect(page.getByTestId('registers')).toContainText('1024, 1024');
  expect(await pictures(page)).toEqual([]);
});

test('the heap shows what lives, why, and what changed', async ({ playground, page }) => {
  await load(playground, kCalls);
  await playground.click('run');
  await show(playground, 'Heap');
  await page.getByTestId('heap-kind').selectOption('leaked');
  await expect(page.getByTestId('heap-summary')).toHaveText('0 leaks');
  await page.getByTestId('heap-kind').selectOption('all');
  await expect(page.getByTestId('heap-summary')).toContainText('1 object');
  // From no register to the one that holds it to the end of the call, stretch by stretch.
  const [held] = await page.evaluate(async () => {
    const { titles, rows } = (await window.ternPlayground.table('heap-table'))!;
    return rows.map((row) => String(row[titles.indexOf('over time')]).split(' ').map(Number));
  });
  expect(held).toHaveLength(24);
  expect(held![0]).toBe(0);
  expect(Math.max(...held!)).toBeGreaterThan(0);
  await expect(page.getByTestId('heap-table').getByRole('img'))
    .toHaveAccessibleName(/^over the record, held by \d registers? at most$/);
  await page.getByTestId('timeline').fill('2');
  await page.getByTestId('heap-kind').selectOption('live');
  await page.getByTestId('heap-table').getByRole('button', { name: /i64/ }).click();
  await expect(page.getByTestId('why-alive')).toContainText('@main %1');
  await page.getByTestId('heap-kind').selectOption('difference');
  await expect(page.getByTestId('heap-summary')).toContainText('+1 object');
  expect(await violations(page)).toEqual([]);
});

test('the shape heap says which rule holds and which fails', async ({ playground, page }) => {
  await load(playground, kShapes);
  await playground.click('run');
  await show(playground, 'Shape heap');
  const rules = page.getByTestId('shape-rules').locator('li');
  await expect(rules.nth(0)).toContainText('axis 0 of x = 2 was stored as n in slot 0');
  await expect(rules.nth(2)).toContainText('axis 0 of y = 2 equals n in slot 0');
  await expect(rules.nth(3)).toHaveAttribute('data-state', 'fails');
  await expect(page.getByTestId('shape-slots').locator('tbody tr').first()).toContainText('n');
  expect(await violations(page)).toEqual([]);
});

test('symbols of shapes are given other extents, at the same step', async ({
  playground, page,
}) => {
  await load(playground, kSymbols);
  await show(playground, 'Shape heap');
  const n = page.getByRole('slider', { name: 'n', exact: true });
  await page.evaluate(() => window.ternPlayground.step(2));
  await playground.idle();
  await n.focus();
  await page.keyboard.press('End');
  await playground.idle();
  await expect(n).toHaveAttribute('aria-valuetext', '4096');
  expect(await playground.state()).toMatchObject({ step: 2, state: 'paused', stale: false });
  const rules = page.getByTestId('shape-rules').locator('li');
  await expect(rules.nth(0)).toContainText('axis 0 of x = 4096 was stored as n');
  await page.keyboard.press('Home');
  await playground.idle();
  await expect(rules.nth(0)).toContainText('axis 0 of x = 1 was stored as n');
  // Where the run had ended, the next one is seen at its end.
  await playground.click('run');
  await page.keyboard.press('F6');
  await n.focus();
  await page.keyboard.press('ArrowRight');
  await playground.idle();
  expect(await playground.state()).toMatchObject({ stopReason: 'returned', stale: false });
  await expect(n).toHaveAttribute('aria-valuetext', '2');
  expect(await violations(page, '[data-pane=shapes]')).toEqual([]);
});

test('breakpoints are conditions too, and mistakes stand at their field', async ({
  playground, page,
}) => {
  await load(playground, kLoop);
  await show(playground, 'Breakpoints');
  await page.getByTestId('new-watch').fill('@main:2 if %0 <');
  await playground.click('add-watch');
  const field = page.getByTestId('watch-1');
  await expect(field).toHaveAttribute('aria-invalid', 'true');
  await expect(page.getByRole('alert')).toContainText('expected');
  expect(await violations(page)).toEqual([]);
  await field.fill('@main:2 if %0 < 5');
  await field.press('Enter');
  await playground.idle();
  await expect(field).toHaveAttribute('aria-invalid', 'false');
  await playground.click('run');
  expect(await playground.state()).toMatchObject({ stopReason: 'breakpoint', pc: 2 });
  await expect(page.getByTestId('watch-hits-1')).toHaveText('1 hit');
  await page.getByTestId('enable-1').uncheck();
  await playground.idle();
  await playground.click('run');
  expect((await playground.state()).stopReason).toBe('returned');
  await page.getByTestId('remove-1').click();
  await expect(page.getByTestId('watches')).toHaveCount(0);
});

test('the first NaN stops the run, at the step that made it', async ({ playground, page }) => {
  await load(playground, kNan);
  await show(playground, 'Breakpoints');
  await page.getByRole('button', { name: 'nan', exact: true }).click();
  await playground.click('run');
  const made = await playground.state();
  expect(made).toMatchObject({ stopReason: 'breakpoint', step: 3, lastPc: 2 });
  expect(made.registers[2]!.value).toMatch(/nan/i);
  // The step before had none.
  await playground.click('back');
  const { registers } = await playground.state();
  expect(registers.filter(({ value }) => /nan/i.test(value))).toEqual([]);
  await playground.click('run');
  expect(await playground.state()).toMatchObject({ stopReason: 'breakpoint', step: 3 });
});

test('what is selected is explained, and steps are announced', async ({ playground, page }) => {
  await load(playground, kCalls);
  await show(playground, 'Explain');
  await playground.click('step');
  await expect(page.getByTestId('explained')).toContainText('Instruction 1, invoke @sum');
  await expect(page.getByTestId('announcement')).toContainText('step 1 of 1, pc 1 in main');
  await page.getByTestId('announcements').selectOption('full');
  await expect(page.getByTestId('announcement')).toContainText('Instruction 1, invoke @sum');
  await page.getByTestId('announcements').selectOption('off');
  await expect(page.getByTestId('announcement')).toHaveText('');
  expect(await violations(page)).toEqual([]);
});

/** What is done, and the sentence that a reader of the screen hears of it. */
const kAnnounced: readonly [key: string, says: string][] = [
  ['n', 'step 1 of 1, pc 1 in main, invoke @sum'],
  ['n', 'step 2 of 2, pc 5 in sum, if_equal'],
  ['n', 'step 3 of 3, pc 6 in sum, ret'],
  ['p', 'step 2 of 3, pc 5 in sum, if_equal'],
  ['o', 'step 4 of 4, pc 2 in main, move'],
  ['Control+Enter', 'step 7 of 7, returned'],
  ['p', 'step 6 of 7, pc 4 in main, ret'],
  ['Shift+P', 'step 5 of 7, pc 3 in main, kill'],
  ['r', 'step 0 of 7, pc 0 in main, load_consti'],
  ['s', 'step 1 of 7, pc 1 in main, invoke @sum'],
];

test('each step is announced in a sentence, and no faster than one can listen', async ({
  playground, page,
}) => {
  await load(playground, kCalls);
  await show(playground, 'Explain');
  const announcement = page.getByTestId('announcement');
  for (const [key, says] of kAnnounced) {
    await page.keyboard.press(key);
    await expect(announcement, key).toHaveText(says);
  }
  const said = await announcement.evaluateHandle((element) => {
    const times: number[] = [];
    new MutationObserver(() => times.push(performance.now()))
      .observe(element, { childList: true, characterData: true, subtree: true });
    return times;
  });
  for (let i = 0; i < 12; i++) await page.keyboard.press(i % 2 === 0 ? 'n' : 'p');
  await page.keyboard.press('n');
  await expect(announcement).toHaveText('step 2 of 7, pc 5 in sum, if_equal');
  const times = await said.jsonValue();
  const seconds = (times.at(-1)! - times[0]!) / 1000;
  expect(times.length).toBeLessThanOrEqual(2 * seconds + 2);
});

test('text of a program stays text', async ({ playground, page }) => {
  await load(playground, kMarkup);
  await playground.click('run');
  for (const name of ['Registers over time', 'Frames', 'Explain']) await show(playground, name);
  expect(await page.locator('img').count()).toBe(0);
});

/** Mulberry32: the same walks on every machine. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

for (const program of ['sum of calls', 'fibonacci', 'life', 'collections', 'digits']) {
  test(`walks forward and back show the same states: ${program}`, async ({ playground, page }) => {
    if (program === 'sum of calls') await load(playground, kCalls);
    else await playground.open(`?test=1&of=${program}#v=1&ex=${program}`);
    await playground.click('run');
    const { step: end } = await playground.state();
    const go = (method: 'seek' | 'step' | 'stepBack', count: number): Promise<void> =>
      page.evaluate(([name, n]) => window.ternPlayground[name](n), [method, count] as const);
    const below = numbers(20261124 + end);
    for (let i = 0; i < 8; i++) {
      const from = below(end);
      const count = 1 + below(Math.min(end - from, 40));
      await go('seek', from);
      const before = await playground.state();
      await go('step', count);
      const stepped = await playground.state();
      expect(stepped.step).toBe(from + count);
      await go('stepBack', count);
      expect(await playground.state(), `${from} + ${count} - ${count}`).toEqual(before);
      // What was reached by steps is what is gone to.
      await go('seek', from + count);
      expect(await playground.state(), `${from} + ${count}`).toEqual(stepped);
    }
  });
}
