// SPDX-License-Identifier: Apache-2.0
// Opening programs by picker and by drop, and files that are none: each a diagnostic with a code,
// after which the page still works.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { chainModel } from '../support/onnx.js';
import { expect, type Playground, test } from '../support/page.js';

const kDigits = new Uint8Array(readFileSync(resolve(__dirname, '../../models/digits/model.onnx')));
const text = (value: string): Uint8Array => new TextEncoder().encode(value);

async function stillWorks(playground: Playground): Promise<void> {
  // A text with mistakes brings its own pane to the front.
  const draw = playground.page.getByTestId('tab-draw');
  if ((await draw.count()) > 0) await draw.click();
  await playground.click('sample-9');
  await playground.click('run');
  const { stopReason, problems, classification } = await playground.state();
  expect({ stopReason, problems, digit: classification?.digit }).toEqual({
    stopReason: 'returned',
    problems: [],
    digit: 9,
  });
}

test('the digit model by picker, and the executable that is saved from it', async ({
  playground,
  page,
}) => {
  await playground.pick('open-file', 'my digits.onnx', kDigits);
  const onnx = await playground.state();
  expect(onnx.program).toMatchObject({ name: 'my digits.onnx', kind: 'onnx' });
  const executable = await playground.save();
  await playground.pick('open-file', 'saved.tern', executable);
  const tern = await playground.state();
  expect(tern.program).toEqual({ ...onnx.program, name: 'saved.tern', kind: 'executable' });
  await stillWorks(playground);
  await expect(page.getByTestId('program-facts')).toContainText('executable');
});

test('lists functions, constants, primitives and sections', async ({ playground, page }) => {
  const { program } = await playground.state();
  await expect(page.getByTestId('functions')).toContainText('image: f32[batch, 1, 28, 28]');
  for (const list of ['constants', 'primitives', 'sections']) {
    await page.getByTestId(list).locator('summary').click();
  }
  await expect(page.getByTestId('constants').locator('tr')).toHaveCount(program!.constants);
  await expect(page.getByTestId('primitives')).toContainText('conv2d');
  await expect(page.getByTestId('sections')).toContainText('code');
  await playground.idle();
});

test('a dropped model of one operator runs', { tag: '@browsers' }, async ({ playground, page }) => {
  await playground.drop({ name: 'relu.onnx', bytes: chainModel(['Neg', 'Relu']) });
  await page.getByTestId('fill-x').selectOption('ones');
  await playground.click('run');
  expect((await playground.state()).outputs!['y']!.values).toEqual([0, 0, 0, 0]);
  await expect(page.getByTestId('pane-draw')).toContainText('does not read a drawing');
});

test('an input from a .npy file', async ({ playground, page }) => {
  await playground.drop({ name: 'neg.onnx', bytes: chainModel(['Neg'], 2) });
  const header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n";
  const data = new Uint8Array(Float32Array.from([1.5, -2]).buffer);
  const npy = new Uint8Array([
    0x93,
    ...text('NUMPY'),
    1,
    0,
    header.length,
    0,
    ...text(header),
    ...data,
  ]);
  await playground.pick('npy-x', 'x.npy', npy);
  await playground.click('run');
  expect((await playground.state()).outputs!['y']!.values).toEqual([-1.5, 2]);
  await expect(page.getByTestId('fill-x')).toHaveValue('file');
});

test.describe('files that cannot be run', () => {
  const flipped = (bytes: Uint8Array, at: number): Uint8Array => {
    const copy = bytes.slice();
    copy[at]! ^= 0x10;
    return copy;
  };

  test('an HTML page, an image, an empty file', async ({ playground, page }) => {
    const cases: [string, Uint8Array, string][] = [
      [
        'model.onnx',
        text('<!DOCTYPE html><title>404</title>'),
        "'model.onnx' is an HTML page, not a program",
      ],
      [
        'cat.png',
        new Uint8Array([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]),
        "'cat.png' is a PNG image",
      ],
      ['nothing.tern', new Uint8Array(), "'nothing.tern' is empty"],
    ];
    for (const [name, bytes, message] of cases) {
      await playground.drop({ name, bytes });
      const { problems, state, program } = await playground.state();
      expect(problems[0]).toMatchObject({ code: 'E0604' });
      expect(problems[0]!.message).toContain(message);
      expect([state, program!.name]).toEqual(['error', 'digits.tern']);
      await expect(page.getByTestId('problems')).toContainText('error[E0604]');
    }
    await stillWorks(playground);
  });

  test('the program before is not shown as if it were the file', async ({ playground, page }) => {
    await playground.click('run');
    await expect(page.getByTestId('status')).toContainText('returned');
    await playground.drop({ name: 'x.html', bytes: text('<html>') });
    await expect(page.getByTestId('status')).toContainText(
      'x.html was not loaded; this is still digits.tern',
    );
    await expect(page.locator('.lamp-error')).toHaveCount(1);
    await playground.click('run');
    await expect(page.getByTestId('status')).toContainText('returned');
  });

  test('markup in a file name stays text', async ({ playground, page }) => {
    const name = '<img src=x onerror=document.title="hit">.html';
    await playground.drop({ name, bytes: text('<html>') });
    await expect(page.getByTestId('problems')).toContainText(name);
    expect(await page.title()).toBe('Tern playground');
  });

  test('a truncated executable, at many lengths', async ({ playground }) => {
    const whole = await playground.save();
    for (const length of [9, 40, 64, 200, whole.length >> 1, whole.length - 1]) {
      await playground.drop({ name: 'short.tern', bytes: whole.slice(0, length) });
      const { problems } = await playground.state();
      expect(problems[0]?.code, `${length} bytes`).toMatch(/^E010[3-6]$/);
    }
    await stillWorks(playground);
  });

  test('an executable with one bit flipped, at many places', async ({ playground }) => {
    const whole = await playground.save();
    const places = [
      0,
      3,
      9,
      12,
      70,
      ...Array.from({ length: 12 }, (_, i) => 128 + i * (whole.length >> 4)),
    ];
    for (const at of places) {
      await playground.drop({ name: 'flipped.tern', bytes: flipped(whole, at) });
      const { problems, program } = await playground.state();
      // Padding may be changed without harm; everything else is found out.
      if (problems.length > 0) expect(problems[0]!.code, `byte ${at}`).toMatch(/^E010[3-7]$/);
      else expect(program!.name).toBe('flipped.tern');
    }
    await playground.click('load-digits');
    await stillWorks(playground);
  });

  test('unsupported operators, all named at once', async ({ playground }) => {
    await playground.drop({
      name: 'odd.onnx',
      bytes: chainModel(['Relu', 'Frobnicate', 'Neg', 'Twiddle']),
    });
    const { problems } = await playground.state();
    expect(problems[0]!.code).toBe('E0402');
    expect(problems[0]!.text).toContain('Frobnicate');
    expect(problems[0]!.text).toContain('Twiddle');
    expect(problems[0]!.text).not.toContain('Relu');
    await stillWorks(playground);
  });

  test('bytes that only look like ONNX, and a model cut short', async ({ playground }) => {
    const noise = Uint8Array.from({ length: 500 }, (_, i) => (i * 7919 + 8) & 255);
    for (const bytes of [noise, kDigits.slice(0, 1000), kDigits.slice(0, kDigits.length - 7)]) {
      await playground.drop({ name: 'bad.onnx', bytes });
      expect((await playground.state()).problems[0]!.code).toMatch(/^E040[1-5]$|^E0604$/);
    }
    await stillWorks(playground);
  });

  test('assembly with mistakes shows the line', async ({ playground }) => {
    await playground.drop({
      name: 'bad.tasm',
      bytes: text('.func @main(x: int) -> int\n  frob %0\n'),
    });
    const { problems } = await playground.state();
    expect(problems[0]!.text).toContain('bad.tasm:2');
    expect(problems[0]!.text).toContain('frob %0');
    await stillWorks(playground);
  });

  test('a .npy file that is none, and one of another shape', async ({ playground, page }) => {
    await playground.pick('npy-image', 'x.npy', text('<html>'));
    expect((await playground.state()).problems[0]!.code).toBe('E0502');
    const header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }\n";
    const npy = new Uint8Array([
      0x93,
      ...text('NUMPY'),
      1,
      0,
      header.length,
      0,
      ...text(header),
      0,
      0,
      0,
      0,
    ]);
    await playground.pick('npy-image', 'x.npy', npy);
    await playground.click('run');
    const { problems } = await playground.state();
    expect(problems[0]!.code).toBe('E0203');
    expect(problems[0]!.text).toContain('image');
    await page.getByTestId('fill-image').selectOption('drawing');
    await stillWorks(playground);
  });
});
