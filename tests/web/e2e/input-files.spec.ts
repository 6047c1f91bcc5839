// SPDX-License-Identifier: Apache-2.0
// Files that fill parameters: arrays, pictures and sounds, by drop, picker and paste; and files
// that fill none, each a diagnostic after which the page still works.
import { violations } from '../support/axe.js';
import { npy, npz, png, wav } from '../support/media.js';
import { type Dropped, expect, type Playground, test } from '../support/page.js';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Two arrays and what comes of them. */
const kSum = `.func @main(a: f32[n, 2], b: f32[2]) -> f32[n, 2]
  call  add   in: %0, %1   dst: %2
  ret   ret %2
`;

/** A program that gives back what it is given. */
const same = (type: string): Dropped => ({
  name: 'same.tasm', bytes: bytesOf(`.func @main(x: ${type}) -> ${type}\n  ret   ret %0\n`),
});

async function result(playground: Playground): Promise<{ shape: number[]; values: number[] }> {
  await playground.click('run');
  const { outputs, problems } = await playground.state();
  expect(problems).toEqual([]);
  const { shape, values } = Object.values(outputs!)[0]!;
  return { shape, values };
}

async function paste(playground: Playground, { name, bytes }: Dropped): Promise<void> {
  await playground.page.evaluate(([fileName, content]) => {
    const clipboardData = new DataTransfer();
    clipboardData.items.add(new File([new Uint8Array(content)], fileName));
    document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
  }, [name, [...bytes]] as const);
  await playground.idle();
  await playground.idle();
}

test('arrays find the parameter of their name, or the first that they fit', async ({
  playground, page,
}) => {
  const program = { name: 'sum.tasm', bytes: bytesOf(kSum) };
  const a = npy([2, 2], [1, 2, 3, 4]);
  await playground.drop({ name: 'both.npz', bytes: npz({ b: npy([2], [10, 20]), a }) }, program);
  await expect(page.getByTestId('fill-a')).toHaveValue('file');
  await expect(page.getByTestId('dim-n')).toHaveValue('2');
  expect(await result(playground)).toEqual({ shape: [2, 2], values: [11, 22, 13, 24] });
  expect(await violations(page, '[data-pane=run]')).toEqual([]);
  await playground.drop({ name: 'other.npy', bytes: npy([2], [0, 1]) });
  expect((await result(playground)).values).toEqual([1, 3, 3, 5]);
  await paste(playground, { name: 'a.npy', bytes: npy([1, 2], [7, 7]) });
  expect(await result(playground)).toEqual({ shape: [1, 2], values: [7, 8] });
  await playground.pick('open-file', 'b.npz', npz({ b: npy([2], [0.5, 0.5]) }));
  expect((await result(playground)).values).toEqual([7.5, 7.5]);
  await playground.pick('npy-a', 'all.npz', npz({ b: npy([2], [1, 1]), a }));
  expect((await result(playground)).values).toEqual([1.5, 2.5, 3.5, 4.5]);
});

test('a picture is an input, in the size that is wanted or in its own', async ({
  playground, page,
}) => {
  const picture = { name: 'grey.png', bytes: png(2, [0, 51, 102, 255]) };
  await playground.drop(same('u8[1, 1, h, w]'), picture);
  expect(await result(playground)).toEqual({ shape: [1, 1, 2, 2], values: [0, 51, 102, 255] });
  await playground.drop(same('f32[1, 1, 3]'));
  await playground.pick('npy-x', picture.name, png(1, [255]));
  expect(await result(playground)).toEqual({ shape: [1, 1, 3], values: [1, 1, 1] });
  await playground.click('load-digits');
  await paste(playground, { name: 'black.png', bytes: png(4, Array(16).fill(0)) });
  await expect(page.getByTestId('fill-image')).toHaveValue('file');
  expect((await result(playground)).shape).toEqual([1, 10]);
});

test('a sound is an input, at the rate of speech models', async ({ playground }) => {
  const samples = [0, 8192, -16384, 32767];
  await playground.drop(same('f32[batch, n]'), { name: 'a.wav', bytes: wav(16000, samples) });
  const { shape, values } = await result(playground);
  expect(shape).toEqual([1, 4]);
  for (const [i, value] of values.entries()) expect(value).toBeCloseTo(samples[i]! / 32768, 3);
  await playground.drop({ name: 'twice.wav', bytes: wav(32000, Array(640).fill(0)) });
  expect((await result(playground)).shape).toEqual([1, 320]);
  await playground.drop(same('f32[6]'), { name: 'a.wav', bytes: wav(16000, samples) });
  expect((await result(playground)).values.slice(4)).toEqual([0, 0]);
});

test('what fills no parameter is told, and nothing changes', async ({ playground, page }) => {
  await playground.drop({ name: 'sum.tasm', bytes: bytesOf(kSum) });
  const cases: readonly [Dropped, code: string, message: string][] = [
    [{ name: 'x.npy', bytes: npy([3], [1, 2, 3]) }, 'E0205',
      "no parameter takes 'x.npy', f32[3]"],
    [{ name: 'x.npz', bytes: npz({ b: npy([2], [1, 2]) }).slice(0, -9) }, 'E0502', 'is cut short'],
    [{ name: 'x.png', bytes: png(2, [1, 2]).slice(0, 40) }, 'E0604', "'x.png' is a PNG image"],
    [{ name: 'x.wav', bytes: wav(16000, [1]).slice(0, 20) }, 'E0604', 'decode it as an input'],
    [{ name: 'x.zip', bytes: bytesOf('PK\x03\x04 and so on') }, 'E0604', 'is a ZIP archive'],
  ];
  for (const [file, code, message] of cases) {
    await playground.drop(file);
    const { problems } = await playground.state();
    expect(problems[0], file.name).toMatchObject({ code });
    expect(problems[0]!.text, file.name).toContain(message);
    await expect(page.getByTestId('fill-a')).toHaveValue('random');
    await expect(page.getByTestId('fill-b')).toHaveValue('random');
  }
  expect((await playground.state()).problems[0]!.text).toContain('unpack it first');
  await playground.drop(same('i64[4]'), { name: 'x.wav', bytes: wav(16000, [1, 2]) });
  expect((await playground.state()).problems[0]!.text)
    .toContain("'x.wav', a sound of 2 samples at 16000 Hz\n   = help: those that are left");
});
