// SPDX-License-Identifier: Apache-2.0
// Profiles as files for other viewers: saved, read again by their formats' rules, and compared
// with what the page shows of the same profile.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type FileCall, readChromeTrace, readSpeedscope } from '../support/profile-files.js';
import { expect, type Playground, test } from '../support/page.js';

const kDigits = new Uint8Array(readFileSync(resolve(__dirname, '../../models/digits/model.onnx')));

interface OperatorRow { name: string; hits: number; shapes: string }

const textOf = async (playground: Playground, testId: string, name: string): Promise<string> => {
  const file = await playground.saved(testId);
  expect(file.name).toBe(name);
  return new TextDecoder('utf-8', { fatal: true }).decode(file.bytes);
};

const linesOf = (text: string): OperatorRow[] => {
  expect(text.endsWith('\n')).toBe(true);
  return text.trimEnd().split('\n').map((line) => JSON.parse(line) as OperatorRow);
};

const countsOf = (names: readonly string[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const name of [...names].sort()) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
};

/** By name; one operator has a row for each kind of arguments. */
const hitsOf = (rows: readonly OperatorRow[]): Record<string, number> =>
  countsOf(rows.flatMap(({ name, hits }) => Array<string>(hits).fill(name)));

/** What the table on the page says: operators and calls of one run. */
async function shownHits(playground: Playground): Promise<Record<string, number>> {
  const table = await playground.page.evaluate(() => window.ternPlayground.table('operators'));
  const [name, calls] = ['operator', 'calls'].map((title) => table!.titles.indexOf(title));
  return countsOf(table!.rows.flatMap((row) =>
    Array<string>(Number(row[calls!])).fill(String(row[name!]))));
}

const primitives = (calls: readonly FileCall[], runs: number): Record<string, number> =>
  Object.fromEntries(Object.entries(countsOf(calls.filter(({ name }) => !name.startsWith('@'))
    .map(({ name }) => name))).map(([name, count]) => [name, count / runs]));

for (const [temperature, runs] of [['cold', 1], ['warm', 3]] as const) {
  test(`a ${temperature} profile is read by viewers of both formats`, async ({
    playground, page,
  }) => {
    await playground.drop({ name: 'digits.onnx', bytes: kDigits });
    await page.getByTestId('preset-profile').click();
    await page.getByTestId('profile-runs').fill('3');
    await page.keyboard.press('Tab');
    await playground.click('profile-run');
    await playground.click(`profile-${temperature}`);
    const shown = await shownHits(playground);
    const speedscope = readSpeedscope(await textOf(playground, 'save-speedscope',
      'profile.speedscope.json'));
    const chrome = readChromeTrace(await textOf(playground, 'save-chrome', 'profile.chrome.json'));
    const rows = linesOf(await textOf(playground, 'save-jsonl', 'profile.jsonl'));
    // The same calls in both, but for the sign of functions.
    const bare = (calls: readonly FileCall[]) =>
      calls.map(({ name, ...rest }) => ({ name: name.replace(/^@/, ''), ...rest }));
    expect(bare(chrome)).toEqual(bare(speedscope));
    expect(speedscope.filter(({ depth }) => depth === 0).map(({ name }) => name))
      .toEqual(Array<string>(runs).fill('@main'));
    expect(Object.fromEntries(Object.entries(hitsOf(rows)).map(([name, hits]) =>
      [name, hits / runs]))).toEqual(shown);
    // The table has the machine's own instructions too, which call nothing.
    const { kill: kills, ret: returns, ...called } = shown;
    expect([kills, returns]).toEqual([1, 1]);
    expect(primitives(speedscope, runs)).toEqual(called);
    expect(Object.keys(called).filter((name) => name.startsWith('conv2d{')).length)
      .toBeGreaterThan(2);
    // Inner calls lie within the outer ones, and clocks of a profiler go on.
    expect(speedscope.some(({ depth, nanoseconds }) => depth === 1 && nanoseconds > 0)).toBe(true);
  });
}

test('recursion, and a program whose run fails', async ({ playground, page }) => {
  const text = `.func @main()
  invoke @down in: 3 dst: %0
  ret   ret %0
.func @down(n: int)
  if_equal %0, 0 true: +1 false: +2
  ret   ret 0
  sub   %0, 1 dst: %1
  invoke @down in: %1 dst: %1
  ret   ret %1
`;
  await playground.drop({ name: 'down.tasm', bytes: new TextEncoder().encode(text) });
  await page.getByTestId('preset-profile').click();
  await playground.click('profile-run');
  await playground.click('profile-cold');
  const calls = readSpeedscope(await textOf(playground, 'save-speedscope',
    'profile.speedscope.json'));
  expect(calls.map(({ name, depth }) => `${depth} ${name}`))
    .toEqual(['0 @main', '1 @down', '2 @down', '3 @down', '4 @down']);
  const failing = '.func @main(x: int)\n  fatal "no way"\n';
  await playground.drop({ name: 'fails.tasm', bytes: new TextEncoder().encode(failing) });
  await playground.click('profile-run');
  await expect(page.locator('.profile-problem')).not.toBeEmpty();
});

test('the reader of these files refuses what viewers would', () => {
  const chrome = (events: string): string =>
    `{"displayTimeUnit": "ns", "traceEvents": [${events}]}`;
  const event = (ph: string, ts: number, name = 'a'): string =>
    `{"name": "${name}", "cat": "c", "ph": "${ph}", "ts": ${ts}, "pid": 1, "tid": 1}`;
  expect(readChromeTrace(chrome(`${event('B', 1)}, ${event('E', 2.5)}`)))
    .toEqual([{ name: 'a', depth: 0, nanoseconds: 1500 }]);
  for (const [events, message] of [
    [event('B', 1), 'do not end'], [event('E', 1), 'ends within nothing'],
    [`${event('B', 2)}, ${event('E', 1)}`, 'after'],
    [`${event('B', 1)}, ${event('E', 2, 'b')}`, 'b ends within a'],
  ] as const)
    expect(() => readChromeTrace(chrome(events)), events).toThrow(message);
  const speedscope = '{"$schema": "https://www.speedscope.app/file-format-schema.json",' +
    '"shared": {"frames": []}, "profiles": [{"type": "evented", "name": "run", "unit":' +
    '"nanoseconds", "startValue": 0, "endValue": 1,' +
    '"events": [{"type": "O", "frame": 0, "at": 0}]}]}';
  expect(() => readSpeedscope(speedscope)).toThrow('a frame that is not there');
});
