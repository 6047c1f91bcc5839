// SPDX-License-Identifier: Apache-2.0
// Rates of operators, and the roofline: with times as they are, and with frozen ones.
import { violations } from '../support/axe.js';
import { readCsv } from '../support/csv.js';
import { expect, type Playground, test } from '../support/page.js';

// The sums take so long that coarse clocks of browsers see them.
const kProgram = `.func @main(a: f32[512, 512]) -> f32[512, 512]
  call  matmul in: %0, %0 dst: %1
  call  add in: %1, %0 dst: %2
  call  add in: %2, %0 dst: %2
  ret   ret %2
`;
const kMatmul = 512 ** 3 + 3 * 512 ** 2;

async function profiled(playground: Playground, query: string): Promise<void> {
  await playground.open(query);
  await playground.drop({ name: 'rates.tasm', bytes: new TextEncoder().encode(kProgram) });
  await playground.click('preset-profile');
  await playground.click('profile-run');
}

/** Rows of a file by the name in their first column, each by the titles of its columns. */
async function rowsOf(playground: Playground, name: string) {
  const [titles, ...rows] = readCsv(Buffer.from((await playground.saved(`csv-${name}`)).bytes)
    .toString());
  return new Map(rows.map((row) =>
    [row[0]!, Object.fromEntries(titles!.map((title, i) => [title, row[i]!]))]));
}

test('operators have rates, and stand below what the machine does at best', async ({
  playground, page,
}) => {
  await profiled(playground, '');
  const operators = await rowsOf(playground, 'operators');
  const matmul = operators.get('matmul')!;
  expect(Number(matmul['op/byte'])).toBeCloseTo(kMatmul / (3 * 4 * 512 ** 2), 3);
  expect(Number(matmul['Gop/s'])).toBeGreaterThan(0.01);
  expect(Number(matmul['Gop/s']) / Number(matmul['GB/s'])).toBeCloseTo(Number(matmul['op/byte']));
  expect(Number(operators.get('add')!['op/byte'])).toBe(0.25);
  // What calls nothing has no rates.
  expect(operators.get('ret')).toMatchObject({ 'Gop/s': '', 'GB/s': '', 'op/byte': '' });
  await expect(page.getByTestId('operators').getByRole('row', { name: /^ret/ }))
    .toContainText('–––');

  await playground.click('profile-roofline');
  const picture = page.getByTestId('roofline-picture');
  await expect(picture).toHaveAccessibleName(
    /^Roofline of 2 operators, below [\d.]+ Gop\/s and [\d.]+ GB\/s$/);
  await expect(picture.locator('.roof')).toHaveCount(1);
  await expect(picture.locator('[data-operator=matmul] rect title')).toContainText('of the time');
  // Shapes tell what the limit is, not colours alone.
  await expect(picture.locator('[data-operator=matmul]')).toHaveAttribute(
    'data-limit', 'computing');
  await expect(picture.locator('[data-operator=add] circle')).toHaveCount(1);

  await page.getByTestId('roofline-as-table').locator('summary').click();
  const table = await rowsOf(playground, 'roofline-table');
  expect([...table.keys()]).toEqual(['matmul', 'add']);
  expect(table.get('matmul')).toMatchObject({ 'by time': '1', limit: 'computing' });
  const add = table.get('add')!;
  expect(add).toMatchObject({ 'by time': '2', limit: 'memory', arguments:
    'f32[512, 512], f32[512, 512]' });
  expect(Number(add['of the roof'])).toBeCloseTo(Number(add['Gop/s']) / Number(add['roof, Gop/s']));
  expect(Number(add['Gop/s'])).toBeCloseTo(Number(operators.get('add')!['Gop/s']));
});

test('the roofline is walked by keys, picked by the pointer, and kept as a picture', async ({
  playground, page,
}) => {
  await profiled(playground, '');
  await playground.click('profile-roofline');
  const plot = page.getByTestId('roofline');
  const told = page.getByTestId('roofline-mark');
  await plot.focus();
  await expect(told).toContainText(/^1\. matmul of f32\[512, 512\], .* Gop\/s, .* op\/byte/);
  await page.keyboard.press('ArrowLeft');
  await expect(told).toContainText(/^2\. add .* of what memory allows$/);
  await expect(page.locator('.operators .picked')).toContainText('add');
  await page.keyboard.press('ArrowLeft');
  await expect(told).toContainText('2. add');
  await page.keyboard.press('ArrowUp');
  await expect(told).toContainText('1. matmul');
  await page.locator('.roofline [data-operator=add] circle').click();
  await expect(told).toContainText('2. add');
  for (const scheme of [{ colorScheme: 'light' }, { colorScheme: 'dark' },
    { forcedColors: 'active' }] as const) {
    await page.emulateMedia(scheme);
    expect.soft(await violations(page, '[data-pane=profile]'), JSON.stringify(scheme)).toEqual([]);
  }
  const svg = await playground.saved('svg-roofline');
  expect(svg.name).toBe('roofline.svg');
  expect(await playground.saved('svg-roofline')).toEqual(svg);
  const text = new TextDecoder().decode(svg.bytes);
  expect(text).toContain('<title>Roofline</title>');
  expect(text).toContain('operations for a byte');
  expect(text).not.toContain('var(--');
  const png = await playground.saved('png-roofline');
  expect([...png.bytes.subarray(1, 4)].map((each) => String.fromCharCode(each)).join(''))
    .toBe('PNG');
});

test('of frozen times there are no rates, and no roofline', async ({ playground, page }) => {
  await profiled(playground, '?test=1');
  const operators = await rowsOf(playground, 'operators');
  expect(operators.get('matmul')).toMatchObject({ 'Gop/s': '', 'GB/s': '' });
  expect(Number(operators.get('matmul')!['op/byte'])).toBeGreaterThan(40);
  await playground.click('profile-roofline');
  await expect(page.getByTestId('pane-profile')).toContainText('No operator of this profile');
  await expect(page.getByTestId('roofline-picture')).toHaveCount(0);
});
