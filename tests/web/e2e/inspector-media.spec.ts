// SPDX-License-Identifier: Apache-2.0
// Tensors that are pictures and sounds, and inputs of which one element is written anew.
import { violations } from '../support/axe.js';
import { npy, png } from '../support/media.js';
import { expect, type Playground, test } from '../support/page.js';

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Gives back what it is given, and lets its register be looked into. */
async function openInput(playground: Playground, type: string, file?: Uint8Array): Promise<void> {
  const { page } = playground;
  await playground.drop({
    name: 'same.tasm',
    bytes: utf8(`.func @main(x: ${type}) -> ${type}\n  move  %0 dst: %1\n  ret   ret %1\n`),
  });
  if (file) await playground.pick('npy-x', 'x.npy', file);
  await page.evaluate(() => window.ternPlayground.step());
  await page.locator('[data-testid=registers] [data-row-id="0"] button').first().click();
  await page.locator('#tab-inspector').click();
  await playground.idle();
}

/** RGB of a pixel of the picture; read from a copy, which does not mind being read. */
const pixel = (playground: Playground, x: number, y: number): Promise<number[]> =>
  playground.page.getByTestId('media-picture').evaluate((canvas, [column, row]) => {
    const { width, height } = canvas as HTMLCanvasElement;
    const context = new OffscreenCanvas(width, height).getContext('2d', {
      willReadFrequently: true,
    })!;
    context.drawImage(canvas as HTMLCanvasElement, 0, 0);
    return [...context.getImageData(column, row, 1, 1).data.slice(0, 3)];
  }, [x, y] as const);

/** Red grows to the right, green downward, blue is the same everywhere. */
const gradient = (size: number): number[][] =>
  [0, 1, 2].map((channel) => Array.from({ length: size * size }, (_, i) =>
    [(i % size) / (size - 1), Math.floor(i / size) / (size - 1), 0.2][channel]!));

test('a picture with colours first, of a batch', async ({ playground, page }) => {
  const [red, green, blue] = gradient(6);
  const other = Array<number>(3 * 36).fill(1);
  await openInput(playground, 'f32[2, 3, 6, 6]',
    npy([2, 3, 6, 6], [...red!, ...green!, ...blue!, ...other]));
  // What has colours is shown as a picture without being asked for.
  await expect(page.getByTestId('inspect-media')).toHaveText('Picture');
  await expect(page.getByTestId('inspect-media')).toHaveAttribute('aria-selected', 'true');
  await expect(page.getByTestId('media-facts')).toContainText('6 × 6 pixels; black is 0, white 1');
  expect(await pixel(playground, 0, 0)).toEqual([0, 0, 51]);
  expect(await pixel(playground, 5, 0)).toEqual([255, 0, 51]);
  expect(await pixel(playground, 0, 5)).toEqual([0, 255, 51]);
  await page.getByTestId('axis-0').fill('1');
  await playground.idle();
  expect(await pixel(playground, 3, 3)).toEqual([255, 255, 255]);
  expect(await violations(page, '[data-pane=inspector]')).toEqual([]);
  const { name, bytes } = await playground.saved('media-png');
  expect([name, ...bytes.slice(1, 4)]).toEqual(['tensor.png', 0x50, 0x4e, 0x47]);
  // A tensor that is neither has no such tab, and is shown as a heatmap.
  await openInput(playground, 'f32[2, 2]');
  await expect(page.getByTestId('inspect-media')).toHaveCount(0);
  await expect(page.getByTestId('inspect-heatmap')).toHaveAttribute('aria-selected', 'true');
});

test('a picture of bytes with colours last, from a file', async ({ playground, page }) => {
  await playground.drop({
    name: 'same.tasm',
    bytes: utf8('.func @main(x: u8[h, w, 3]) -> u8[h, w, 3]\n  move  %0 dst: %1\n  ret ret %1\n'),
  });
  await playground.pick('npy-x', 'grey.png', png(4, Array.from({ length: 20 }, (_, i) => i * 10)));
  await page.evaluate(() => window.ternPlayground.step());
  await page.locator('[data-testid=registers] [data-row-id="0"] button').first().click();
  await page.locator('#tab-inspector').click();
  await playground.idle();
  await expect(page.getByTestId('media-facts'))
    .toContainText('4 × 5 pixels; black is 0, white 255');
  expect(await pixel(playground, 3, 4)).toEqual([190, 190, 190]);
});

test('a tab that was picked stays, and four channels are no picture at first', async ({
  playground, page,
}) => {
  await openInput(playground, 'f32[1, 4, 5, 5]');
  await expect(page.getByTestId('inspect-heatmap')).toHaveAttribute('aria-selected', 'true');
  await expect(page.getByTestId('inspect-media')).toBeVisible();
  await playground.click('inspect-table');
  await openInput(playground, 'f32[5, 5, 3]');
  await expect(page.getByTestId('inspect-table')).toHaveAttribute('aria-selected', 'true');
  await playground.click('inspect-heatmap');
  await openInput(playground, 'f32[6, 5, 3]');
  await expect(page.getByTestId('inspect-heatmap')).toHaveAttribute('aria-selected', 'true');
});

test('a sound is seen, played and saved', async ({ playground, page }) => {
  const samples = Array.from({ length: 1600 }, (_, i) =>
    (i < 800 ? 0.5 * Math.sin(i / 4) : i === 1000 ? NaN : 0));
  await openInput(playground, 'f32[1, 1600]', npy([1, 1600], samples));
  await playground.click('inspect-media');
  await expect(page.getByTestId('inspect-media')).toHaveText('Sound');
  await expect(page.getByTestId('media-facts')).toContainText('0.10 s at 16000 Hz');
  await page.getByTestId('media-rate').selectOption('8000');
  await expect(page.getByTestId('media-facts')).toContainText('0.20 s at 8000 Hz');
  const { name, bytes } = await playground.saved('media-wav');
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  expect([name, view.getUint32(24, true), view.getUint32(40, true)])
    .toEqual(['tensor.wav', 8000, 3200]);
  for (const i of [3, 400, 799, 1000, 1599]) {
    const sample = Number.isNaN(samples[i]!) ? 0 : samples[i]!;
    expect(view.getInt16(44 + 2 * i, true), `${i}`).toBeCloseTo(sample * 32767, -1);
  }
  await page.getByTestId('media-play').click();
  // Where there is no device the sound may not move on; it can be stopped all the same.
  await playground.idle();
  if (await page.getByTestId('media-play').getAttribute('aria-pressed') === 'true')
    await page.getByTestId('media-play').click();
  await expect(page.getByTestId('media-play')).toHaveAttribute('aria-pressed', 'false');
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await violations(page, '[data-pane=inspector]')).toEqual([]);
  }
});

test('an element of an input is changed, and the program run again', async ({
  playground, page,
}) => {
  await playground.drop({
    name: 'sum.tasm', bytes: utf8(`.func @main(a: f32[2, 2], n: i64[2]) -> f32[2, 2]
  call  add   in: %0, %0   dst: %2
  ret   ret %2
`),
  });
  await page.getByTestId('fill-a').selectOption('ones');
  await page.evaluate(() => window.ternPlayground.step());
  const look = async (register: number): Promise<void> => {
    const row = page.locator(`[data-testid=registers] [data-row-id="${register}"]`);
    await row.locator('button').first().click();
    await page.locator('#tab-inspector').click();
    await playground.idle();
  };
  await look(0);
  await playground.click('inspect-table');
  await page.getByTestId('value-grid').getByRole('gridcell').nth(2).click();
  await expect(page.getByTestId('edit-position')).toHaveValue('1, 0');
  await page.getByTestId('edit-value').fill('-2.5');
  await playground.click('edit-change');
  await expect(page.getByTestId('edit-note')).toHaveText('a[1, 0] is -2.5 in the next run');
  await expect(page.getByTestId('fill-a')).toHaveValue('file');
  await expect(page.getByTestId('stale')).toBeVisible();
  expect(await violations(page, '[data-pane=inspector]')).toEqual([]);

  // By keyboard alone, another one beside the first.
  await page.getByTestId('edit-position').fill('0, 1');
  await page.getByTestId('edit-value').fill('inf');
  await page.keyboard.press('Enter');
  await playground.idle();
  const { outputs, stopReason } = await playground.state();
  expect(stopReason).toBe('returned');
  expect(Object.values(outputs!)[0]!.values.map(String)).toEqual(['2', 'Infinity', '-5', '2']);

  for (const [at, value, message] of [
    ['2, 0', '1', "'2' is no position of axis 0: they go from 0 to 1"],
    ['0', '1', "'0' has 1 positions, the tensor 2 axes"],
    ['0, 0', 'x', "'x' is no number: such as -1.5, 2e3, inf or nan"],
  ] as const) {
    await page.getByTestId('edit-position').fill(at);
    await page.getByTestId('edit-value').fill(value);
    await playground.click('edit-run');
    await expect(page.getByTestId('edit-note')).toContainText(message);
  }
  // What no input is, cannot be changed.
  await page.evaluate(() => window.ternPlayground.seek(1));
  await look(2);
  await expect(page.getByTestId('inspected-type')).toContainText('f32[2, 2]');
  await expect(page.getByTestId('edit-value')).toHaveCount(0);
});
