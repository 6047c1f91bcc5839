// SPDX-License-Identifier: Apache-2.0
// `?src=…&trace=…`: the page with files of its own server, as `tern play` opens it. The server's
// side is tests/native/cli_play_test.py.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, type Playground, test } from '../support/page.js';
import { kRecordedProgram, recordRun } from '../support/recorded-run.js';

const kDigits = readFileSync(resolve(__dirname, '../../models/digits/model.onnx'));

async function openWith(playground: Playground, body: string | Buffer, src: string): Promise<void> {
  await playground.page.route('**/play/open/**', (route) => route.fulfill({ body }));
  await playground.open(`?test=1&src=${src}`);
}

test('a model under its own name', async ({ playground }) => {
  await openWith(playground, kDigits, 'open/my%2520digits%2520%25231.onnx');
  const { program, problems } = await playground.state();
  expect(program).toMatchObject({ name: 'my digits #1.onnx', kind: 'onnx' });
  expect(problems).toEqual([]);
});

test('a program text stands in the editor, a loop program in its view', async ({
  playground, page,
}) => {
  await openWith(playground, 'fn main(x: int) -> int { x + 1 }\n', 'open/add.tn');
  expect((await playground.state()).program).toMatchObject({ name: 'add.tn', kind: 'language' });
  await page.unroute('**/play/open/**');
  const loops = readFileSync(resolve(__dirname, '../../../web/examples/dot.tloop'));
  await openWith(playground, loops, 'open/dot.tloop');
  await expect(page.getByTestId('grid-predicated')).toBeVisible();
});

const kOwn = 'te own<n>(A: float32[n]) -> (B: float32[n]) { compute B[i] = A[i] * 3.0 }\n';

test('listings are made of a loop program, and of what is typed', async ({ playground, page }) => {
  const asked: string[] = [];
  await page.route('**/play/listings?*', (route) => {
    const text = new URL(route.request().url()).searchParams.get('text')!;
    asked.push(text);
    const code = `\t.text\nown:\n\tfmul\tz${asked.length}.s\n\tret\n`;
    return route.fulfill({ json: [{ text, listings: { predicated: code } }] });
  });
  await openWith(playground, kOwn, 'open/own.tloop&listings=listings');
  expect(asked).toEqual([]);
  await page.getByTestId('stage').selectOption('listing');
  const shown = page.getByTestId('stage-text');
  await expect(shown).toHaveText('own:\n\tfmul\tz1.s\n\tret\n');
  // The vscale is not in a listing: it is not made again.
  await page.evaluate(() => window.ternPlayground.setVscale(8));
  await playground.idle();
  const other = `// 2 + 2 = 4, ½ & "#"?\n${kOwn}`;
  await page.evaluate((text) => window.ternPlayground.loadLoops(text), other);
  await playground.idle();
  await expect(shown).toHaveText('own:\n\tfmul\tz2.s\n\tret\n');
  expect(asked).toEqual([kOwn, other]);
  await page.getByTestId('stage-strategy').selectOption('fixed');
  await expect(shown).toContainText('Under this strategy there is no code');
  // Those of the page are there already.
  await page.evaluate(() => window.ternPlayground.loadLoops('dot'));
  await playground.idle();
  await expect(shown).toContainText('dot:');
  expect(asked.length).toBe(2);
});

test.describe('a server that makes no listings', () => {
  test.use({ allowed: [/403/] });
  test('is heard, and asked again at the next look', async ({ playground, page }) => {
    await page.route('**/play/listings?*', (route) => route.fulfill({ status: 403 }));
    await openWith(playground, kOwn, 'open/own.tloop&listings=listings');
    await page.getByTestId('stage').selectOption('listing');
    await expect(page.getByTestId('stage-text')).toContainText('the server said 403');
    await page.unroute('**/play/listings?*');
    await page.route('**/play/listings?*', (route) =>
      route.fulfill({ json: [{ text: kOwn, listings: { predicated: 'own:\n' } }] }));
    await page.evaluate(() => window.ternPlayground.setVscale(8));
    await playground.idle();
    await expect(page.getByTestId('stage-text')).toHaveText('own:');
  });
});

test('listings of another server, or that are none, are refused', async ({ playground, page }) => {
  const rows: [address: string, body: string, words: RegExp][] = [
    ['//evil.example/x.json', '', /leads to another server/],
    ['listings', '<!doctype html>', /JSON/],
  ];
  for (const [address, body, words] of rows) {
    await page.route('**/play/listings?*', (route) => route.fulfill({ body }));
    await openWith(playground, 'te f<n>(A: float32[n]) -> (B: float32[n]) { compute B[i] = A[i] }',
      `open/own.tloop&listings=${encodeURIComponent(address)}`);
    await page.getByTestId('stage').selectOption('listing');
    await expect(page.getByTestId('stage-text')).toContainText(words);
    await expect(page.getByTestId('grid-predicated')).toBeVisible();
    await page.unroute('**/play/listings?*');
    await page.unroute('**/play/open/**');
  }
});

async function openWithRecord(playground: Playground, record: string | Buffer): Promise<void> {
  await playground.page.route('**/play/record/**', (route) => route.fulfill({ body: record }));
  await openWith(playground, kRecordedProgram,
    `open/double.tasm&trace=${encodeURIComponent('record/run.terntrace')}`);
}

test('the record of a run is run again and walked', async ({ playground, page }) => {
  await openWithRecord(playground, Buffer.from(recordRun()));
  await expect(page.getByTestId('replayed')).toContainText('as in run.terntrace, at every step');
  const { program, problems, stopReason, step } = await playground.state();
  expect({ name: program?.name, problems, stopReason, step })
    .toEqual({ name: 'double.tasm', problems: [], stopReason: 'returned', step: 4 });
});

test('what is no record, a torn one, or one of other code is refused', async ({ playground }) => {
  const record = Buffer.from(recordRun());
  const rows: [record: string | Buffer, code: string, text: string][] = [
    ['<!doctype html><p>404</p>', 'E0604', "'run.terntrace' is not the record of a run"],
    [record.subarray(0, 90), 'E0305', 'trace'],
  ];
  for (const [body, code, text] of rows) {
    await openWithRecord(playground, body);
    const { problems, program } = await playground.state();
    expect(problems[0]).toMatchObject({ code });
    expect(problems[0]!.text).toContain(text);
    expect(program?.name).toBe('double.tasm');
    await playground.page.unroute('**/play/record/**');
    await playground.page.unroute('**/play/open/**');
  }
  // Without a program of its own: that of the page, which is another one.
  await playground.page.route('**/play/record/**', (route) => route.fulfill({ body: record }));
  await playground.open('?test=1&trace=record/run.terntrace');
  expect((await playground.state()).problems[0]).toMatchObject({ code: 'E0606' });
  await playground.open('?test=1&trace=//evil.example/run.terntrace');
  const [problem] = (await playground.state()).problems;
  expect(problem!.message).toContain('?trace=//evil.example/run.terntrace leads to another server');
});

test('without a path the digits, and nothing kept in the browser', async ({ playground, page }) => {
  await playground.open('?src=');
  expect((await playground.state()).program).toMatchObject({ name: 'digits.tern' });
  const kept = await page.evaluate(async () =>
    (await navigator.serviceWorker.getRegistrations()).length);
  expect(kept).toBe(0);
});

test('what is no program is said to be none', async ({ playground }) => {
  await openWith(playground, '<!doctype html><p>404</p>', 'open/model.onnx');
  const { problems } = await playground.state();
  expect(problems[0]).toMatchObject({ code: 'E0604' });
  expect(problems[0]!.text).toContain('an HTML page');
});

test('another server is not asked', async ({ playground }) => {
  for (const src of ['https://evil.example/model.onnx', '//evil.example/x', 'data:,te', 'file:///x']) {
    await playground.open(`?test=1&src=${encodeURIComponent(src)}`);
    const { problems, program } = await playground.state();
    expect(problems[0]).toMatchObject({ code: 'E0604' });
    expect(problems[0]!.message).toContain('another server');
    expect(program).toBeNull();
  }
});

test.describe('a file that is not there', () => {
  test.use({ allowed: [/404/] });
  test('is named, and the page goes on', async ({ playground }) => {
    await playground.open('?test=1&src=open/none.onnx');
    const { problems } = await playground.state();
    expect(problems[0]).toMatchObject({ code: 'E0101' });
    expect(problems[0]!.text).toContain('the server said 404');
    await playground.pick('open-file', 'digits.onnx', kDigits);
    expect((await playground.state()).program).toMatchObject({ kind: 'onnx' });
  });
});
