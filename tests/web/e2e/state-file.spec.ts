// SPDX-License-Identifier: Apache-2.0
// The state of the page as a file: another visit shows the same of it, and what is damaged is said
// to be.
import { expect, type Playground, test } from '../support/page.js';

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const kProgram = `.func @main(x: f32[n, 3], k: int) -> f32[n, 3]
  move  %1 dst: %2
again:
  sub   %2, 1 dst: %2
  gt    %2, 0 dst: %3
  if    %3 true: again false: +1
  ret   ret %0
`;

/** All that is told of a page, without how long things took. */
async function shown(playground: Playground) {
  const { page } = playground;
  const state = await playground.state();
  const layout = await page.evaluate(() => localStorage.getItem('tern-layout'));
  return { ...state, layout, hash: new URL(page.url()).hash };
}

async function savedAndOpenedElsewhere(playground: Playground): Promise<[object, object]> {
  await playground.page.getByTestId('tab-program').click();
  await playground.page.waitForTimeout(400); // the address follows at rest
  const before = await shown(playground);
  const { name, bytes } = await playground.saved('save-state');
  expect(name).toMatch(/\.ternplay$/);
  await playground.page.evaluate(() => localStorage.clear());
  await playground.open('?test=1&another');
  await playground.drop({ name, bytes });
  await playground.page.waitForTimeout(400);
  const again = await playground.saved('save-state');
  expect(Buffer.from(again.bytes).toString()).toBe(Buffer.from(bytes).toString());
  return [before, await shown(playground)];
}

test('a run of assembly, with its inputs, breakpoints and place', async ({ playground, page }) => {
  await playground.drop({ name: 'loop.tasm', bytes: utf8(kProgram) });
  await page.getByTestId('dim-n').fill('2');
  await page.getByTestId('fill-x').selectOption('ones');
  await page.getByTestId('tab-breakpoints').click();
  await page.getByTestId('limit-steps').fill('5');
  await page.keyboard.press('Tab');
  await page.evaluate(() => window.ternPlayground.run());
  await page.evaluate(() => window.ternPlayground.seek(3));
  await page.getByTestId('breakpoint-2').click();
  await playground.idle();
  const [before, after] = await savedAndOpenedElsewhere(playground);
  expect(after).toEqual(before);
  expect(after).toMatchObject({ step: 3, breakpoints: [2], program: { name: 'loop.tasm' } });
});

test('a drawing that was classified', async ({ playground }) => {
  await playground.click('sample-4');
  await playground.click('run');
  const [before, after] = await savedAndOpenedElsewhere(playground);
  expect(after).toEqual(before);
  expect(after).toMatchObject({ classification: { digit: 4 }, stopReason: 'returned' });
});

test('a text that is edited, and loops', async ({ playground, page }) => {
  await playground.open('?test=1#v=1&ex=power');
  await page.evaluate(() => window.ternPlayground.editSource('fn main() -> int { 6 * 7 }\n'));
  await page.evaluate(async () => {
    await window.ternPlayground.loadLoops('dot');
    await window.ternPlayground.setVscale(8);
    await window.ternPlayground.setSize(60);
    await window.ternPlayground.show('machine');
  });
  const [before, after] = await savedAndOpenedElsewhere(playground);
  expect(after).toMatchObject({
    source: { text: 'fn main() -> int { 6 * 7 }\n', edited: true },
    lanes: { example: 'dot', vscale: 8, n: 60 },
  });
  expect(Object.keys(after)).toEqual(Object.keys(before));
});

test('what is damaged is refused, and the page stays as it is', async ({ playground, page }) => {
  await playground.click('step');
  await page.getByTestId('tab-program').click();
  const good = Buffer.from((await playground.saved('save-state')).bytes).toString();
  const bad: [text: string, says: string][] = [
    [good.slice(0, 200), 'cut off'],
    [good.replace('"ternplay":1', '"ternplay":2'), 'version 2'],
    [good.replace(/"breakpoints":\[\]/, '"breakpoints":["x"]'), 'breakpoints of run'],
    [good.replace(/"\$bytes":"..../, '"$bytes":"!!!!'), 'mixed up'],
    [good.replace(/"kind":"executable"/, '"kind":"virus"'), 'kind of program'],
    [good.replace(/"run":\{/, '"run":0,"ran":{'), 'run is not there'],
    [good.replace(/"strokes":\[[^]*?\],"br/, '"strokes":[[{"x":null,"y":1}]],"br'), 'strokes'],
  ];
  for (const [text, says] of bad) {
    expect(text, says).not.toBe(good);
    await playground.drop({ name: 'bad.ternplay', bytes: utf8(text) });
    const { problems, program, step } = await playground.state();
    expect(problems[0], says).toMatchObject({ code: 'E0604' });
    expect(problems[0]!.message).toContain(says);
    expect({ program: program!.name, step }, says).toEqual({ program: 'digits.tern', step: 1 });
  }
});
