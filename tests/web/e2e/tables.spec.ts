// SPDX-License-Identifier: Apache-2.0
// Tables as CSV: what a file has is what scripts are told, each row of the table is one of the
// file, and the same state gives the same bytes.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { readCsv } from '../support/csv.js';
import { expect, type Playground, test } from '../support/page.js';

const kDigits = new Uint8Array(readFileSync(resolve(__dirname, '../../models/digits/model.onnx')));
const kCalls = `.func @main(n: int)
  load_consti 7 dst: %1
  invoke @sum in: %0 dst: %2
  ret   ret %2
.func @sum(n: int)
  if_equal %0, 0 true: +1 false: +2
  ret   ret 0
  sub   %0, 1 dst: %1
  invoke @sum in: %1 dst: %1
  add   %0, %1 dst: %1
  ret   ret %1
`;

/** A file and what it must agree with; tells its rows. */
async function checked(playground: Playground, name: string): Promise<string[][]> {
  const { page } = playground;
  const { name: fileName, bytes } = await playground.saved(`csv-${name}`);
  expect(fileName).toBe(`${name}.csv`);
  expect((await playground.saved(`csv-${name}`)).bytes, `${name} once more`).toEqual(bytes);
  const [titles, ...rows] = readCsv(Buffer.from(bytes).toString());
  const told = await page.evaluate(async (id) => {
    const table = await window.ternPlayground.table(id);
    const text = (value: unknown): string => (Object.is(value, -0) ? '-0' : String(value ?? ''));
    return { titles: table!.titles, rows: table!.rows.map((row) => row.map(text)) };
  }, name);
  expect({ titles, rows }, name).toEqual(told);
  const shown = page.getByTestId(name).locator('tbody tr');
  await expect(shown, name).toHaveCount(Math.min(rows.length, name === 'drawing-table' ? 28 : 500));
  return rows;
}

/** Cells of a table that stand there as a file has them: of some columns. */
async function cellsOf({ page }: Playground, name: string, columns: readonly number[]) {
  const rows = await page.getByTestId(name).locator('tbody tr').evaluateAll((all) =>
    all.map((row) => [...row.children].map((cell) => cell.textContent!.trim())));
  return rows.map((row) => columns.map((column) => row[column]));
}

const pick = (rows: string[][], columns: readonly number[]) =>
  rows.map((row) => columns.map((column) => row[column]));

test('the tables of lanes', async ({ playground, page }) => {
  await playground.open('?test=1#v=1&view=lanes&ex=vector_add&vs=4&n=18');
  for (const strategy of ['fixed', 'cleanup', 'predicated']) {
    await page.getByTestId(`lanes-as-table-${strategy}`).locator('summary').click();
    const rows = await checked(playground, `lane-table-${strategy}`);
    const all = [0, 1, 2, 3, 4];
    expect(pick(rows, all)).toEqual(await cellsOf(playground, `lane-table-${strategy}`, all));
  }
  // Chromium loses what a page saves after ten files with less than a second between them.
  await page.waitForTimeout(1500);
  const counters = await checked(playground, 'counters');
  expect(counters.find(([name]) => name === 'vector iterations')).toEqual(
    ['vector iterations', '4', '1', '2']);
  await page.getByTestId('sweep-as-table').locator('summary').click();
  expect((await checked(playground, 'sweep-table')).map(([vscale]) => Number(vscale)))
    .toEqual(Array.from({ length: 16 }, (_, i) => i + 1));
  await page.getByTestId('footprint-as-table').locator('summary').click();
  await checked(playground, 'footprint-table');
});

test('the tables of a run', async ({ playground, page }) => {
  await playground.drop({ name: 'calls.tasm', bytes: new TextEncoder().encode(kCalls) });
  await page.evaluate(() => window.ternPlayground.step(9));
  for (const pane of ['timeline', 'lifetimes', 'frames', 'heap']) {
    const tab = page.getByTestId(`tab-${pane}`);
    if (await tab.count()) await tab.click();
    if (pane === 'timeline' || pane === 'lifetimes')
      await page.getByTestId(`${pane}-as-table`).click();
    await playground.idle();
    // Integers are no objects.
    const rows = pane === 'heap' ? [] : await checked(playground, `${pane}-table`);
    if (pane !== 'heap') expect(rows).not.toEqual([]);
  }
  // What is not on the page is not told.
  expect(await page.evaluate(() => window.ternPlayground.table('plan-table'))).toBeNull();
});

test('the tables of a model', async ({ playground, page }) => {
  await playground.click('sample-3');
  await page.getByTestId('drawing-as-table').locator('summary').click();
  const drawn = await checked(playground, 'drawing-table');
  expect(drawn.length).toBe(28);
  expect(Math.max(...drawn.flat().map(Number))).toBe(255);
  await playground.drop({ name: 'digits.onnx', bytes: kDigits });
  await page.getByTestId('tab-graph').click();
  await page.getByTestId('graph-as-table').click();
  await playground.idle();
  await checked(playground, 'graph-table');
  await page.getByTestId('preset-profile').click();
  await playground.click('profile-run');
  await checked(playground, 'operators');
  await playground.click('profile-sandwich');
  await checked(playground, 'sandwich');
  await page.getByTestId('plan-as-table').locator('summary').click();
  const plan = await checked(playground, 'plan-table');
  const columns = [0, 1, 2, 3, 4, 5, 6, 7];
  expect(pick(plan, columns)).toEqual(await cellsOf(playground, 'plan-table', columns));
});

test('the tables of a tensor, and of the shapes of a run', async ({ playground, page }) => {
  const drop = async (text: string): Promise<void> => {
    await playground.drop({ name: 'program.tasm', bytes: new TextEncoder().encode(text) });
    await playground.click('run');
  };
  const open = (testId: string) => page.getByTestId(testId).locator('summary').click();
  await drop('.func @main() -> f32[2, 3]\n' +
    '  load_const f32[2, 3] [nan, inf, -0.0, 2, 2, 3] dst: %0\n  ret   ret %0\n');
  // Before the result is shown, so that there is one table of each kind.
  await playground.click('back');
  await page.locator('[data-testid=registers] [data-row-id="0"] button').first().click();
  await playground.idle();
  await open('heatmap-table');
  const numbers = (rows: string[][]) => rows.map((row) => row.slice(-3));
  expect(numbers(await checked(playground, 'slice-table')))
    .toEqual([['NaN', 'Infinity', '-0'], ['2', '2', '3']]);
  await page.getByTestId('tab-inspector').click();
  await playground.idle();
  await open('inspector-heatmap-table');
  // A cell is the mean of what is finite in it.
  expect(numbers(await checked(playground, 'cells-table')))
    .toEqual([['NaN', 'NaN', '0'], ['2', '2', '3']]);
  await playground.click('inspect-stats');
  await open('uniques');
  const values = await checked(playground, 'uniques-table');
  expect(values.find(([value]) => value === '2')).toEqual(['2', '2']);
  await playground.click('inspect-histogram');
  await open('histogram-as-table');
  const bins = await checked(playground, 'histogram-table');
  // 64 of them, and what lies outside.
  expect(bins.length).toBe(66);
  expect(bins.reduce((sum, [, , count]) => sum + Number(count), 0)).toBeGreaterThanOrEqual(4);
  await drop(`.func @main(x: f32[2, 3]) -> f32[2, 3]
  call  vm.builtin.alloc_shape_heap in: 2 dst: %1
  call  vm.builtin.match_shape in: %0, %1, "x[n, m]", 1, 0, 1, 1 dst: void
  ret   ret %0
`);
  await page.getByTestId('tab-shapes').click();
  await playground.idle();
  expect((await checked(playground, 'shape-slots')).length).toBe(2);
});
