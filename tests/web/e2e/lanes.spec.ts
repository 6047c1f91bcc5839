// SPDX-License-Identifier: Apache-2.0
// F03, the Lanes view: figures of the specification's table, the slider's keys, the walk from cell
// to cell, programs with errors, files, links, all widths, axe.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Page } from '@playwright/test';
import { violations } from '../support/axe.js';
import { expect, test } from '../support/page.js';

const kRoot = resolve(__dirname, '../../..');
const kTern = process.env['TERN_CLI'] ?? join(kRoot, 'build/host/tern');

const showLanes = (page: Page): Promise<void> =>
  page.evaluate(() => window.ternPlayground.show('lanes'));

async function look(page: Page, vscale: number, n: number) {
  return page.evaluate(async ([v, size]) => {
    await window.ternPlayground.setSize(size!);
    await window.ternPlayground.setVscale(v!);
    return (await window.ternPlayground.lanes())!;
  }, [vscale, n]);
}

// What an iteration does, told by arithmetic of its own: the core's figures must be these.
function expected(strategy: string, n: number, vscale: number) {
  const lanes = strategy === 'fixed' ? 4 : 4 * vscale;
  if (strategy === 'predicated') {
    const vectors = Math.ceil(n / lanes);
    return { vectors, scalars: 0, last: n === 0 ? 0 : n - (vectors - 1) * lanes };
  }
  const vectors = Math.floor(n / lanes);
  return { vectors, scalars: n % lanes, last: vectors > 0 ? lanes : 0 };
}

test('figures are those of the oracle, for every strategy and vscale', {
  tag: '@browsers',
}, async ({
  playground,
  page,
}) => {
  await showLanes(page);
  await playground.idle();
  // tests/wasm/lanes.test.mjs looks at every size, type and lane.
  for (const n of [0, 18, 1000]) {
    for (const vscale of [1, 3, 16]) {
      const runs = await look(page, vscale, n);
      for (const [strategy, run] of Object.entries(runs)) {
        const got = {
          vectors: run.vector_iterations, scalars: run.scalar_iterations, last: run.last_active,
        };
        const what = `${strategy}, n ${n}, vscale ${vscale}`;
        expect(got, what).toEqual(expected(strategy, n, vscale));
        expect(run.checked, what).toBe(true);
      }
    }
  }
});

test('counters on the page are those of lanes()', async ({ playground, page }) => {
  await showLanes(page);
  const runs = await look(page, 4, 18);
  await playground.idle();
  const cells = (name: string) =>
    page.getByTestId('counters').locator('tr', { hasText: name }).locator('td').allInnerTexts();
  const order = ['fixed', 'cleanup', 'predicated'];
  expect(await cells('vector iterations')).toEqual(
    order.map((name) => String(runs[name]!.vector_iterations)));
  expect(await cells('loads')).toEqual(order.map((name) => String(runs[name]!.instructions.load)));
  expect(await cells('lanes used')).toEqual(['100.0\u202f%', '100.0\u202f%', '56.3\u202f%']);
  await expect(page.getByTestId('method')).toContainText('a full run counts the same');
});

interface Counts {
  strategy: string;
  vector_iterations: number;
  scalar_iterations: number;
  last_active: number;
  instructions: Record<string, number>;
  bytes_loaded: number;
  bytes_stored: number;
}

/** What `tern lower --count` says of a program of the page. */
function countedByTern(example: string, vscale: number, n: number): Counts[] {
  const { stdout, stderr, status } = spawnSync(kTern, [
    'lower', join(kRoot, `web/examples/${example}.tloop`), '--count', '--format', 'json',
    '--strategy', 'fixed,cleanup,predicated', '--vscale', String(vscale), '--n', String(n),
  ], { encoding: 'utf8' });
  expect(status, stderr).toBe(0);
  return (JSON.parse(stdout) as { counts: Counts[] }).counts;
}

test('the command line counts what the page shows', async ({ playground, page }) => {
  const kShown = {
    'vector iterations': (run: Counts) => run.vector_iterations,
    'scalar iterations': (run: Counts) => run.scalar_iterations,
    'instructions': (run: Counts) => Object.values(run.instructions).reduce((a, b) => a + b, 0),
    'loads': (run: Counts) => run.instructions['load']!,
    'stores': (run: Counts) => run.instructions['store']!,
    'bytes loaded': (run: Counts) => run.bytes_loaded,
    'bytes stored': (run: Counts) => run.bytes_stored,
  };
  for (const [example, vscale, n] of [
    ['vector_add', 4, 18], ['dot', 3, 100], ['strided', 16, 1000], ['unrolled', 2, 77],
    ['add_bytes', 1, 0],
  ] as const) {
    await page.evaluate((name) => window.ternPlayground.loadLoops(name), example);
    const told = await look(page, vscale, n);
    await playground.idle();
    const counted = countedByTern(example, vscale, n);
    expect(counted.map(({ strategy }) => strategy)).toEqual(Object.keys(told));
    for (const run of counted) expect(told[run.strategy], example).toMatchObject({ ...run });
    const rows = await page.getByTestId('counters').locator('tbody tr').evaluateAll((all) =>
      all.map((row) => [...row.children].map((cell) => cell.textContent!.replace(/\s/g, ' '))));
    for (const [name, of] of Object.entries(kShown)) {
      const shown = rows.find(([title]) => title === name)!.slice(1);
      expect(shown.map((text) => Number(text.replaceAll(' ', ''))), `${example}, ${name}`)
        .toEqual(counted.map(of));
    }
  }
});

test('keys of the slider go to what processors have, with Shift one by one', async ({
  playground,
  page,
}) => {
  await showLanes(page);
  const slider = page.getByTestId('vscale');
  await slider.focus();
  const at = async (): Promise<unknown> => {
    await playground.idle();
    return ((await playground.state()) as unknown as { lanes: { vscale: number } }).lanes.vscale;
  };
  await page.keyboard.press('ArrowRight');
  expect(await at()).toBe(8);
  await expect(page.getByTestId('what-if')).toHaveCount(0);
  await page.keyboard.press('Shift+ArrowLeft');
  expect(await at()).toBe(7);
  await expect(page.getByTestId('what-if')).toBeVisible();
  await page.keyboard.press('ArrowLeft');
  expect(await at()).toBe(4);
  await page.keyboard.press('End');
  expect(await at()).toBe(16);
  await page.keyboard.press('ArrowRight');
  expect(await at()).toBe(16);
  await expect(slider).toHaveAttribute('aria-valuetext', '16: vectors of 2048 bits');
});

test('arrows walk from cell to cell, and every cell is said', async ({ playground, page }) => {
  await showLanes(page);
  await playground.idle();
  await page.getByTestId('grid-predicated').focus();
  await page.keyboard.press('ArrowRight');
  const readout = page.getByTestId('lane-readout');
  await expect(readout).toContainText('Iteration 0 (main), lane 0 of 16: element 0 is on');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('End');
  await expect(readout).toContainText('lane 15 of 16: element 31 is off: it lies past the end');
  await expect(readout).toContainText('load of A[31] at byte 124 masked off');
  await page.keyboard.press('Home');
  await expect(readout).toContainText('element 16 is on; loads A[16] at byte 64');
  // The same element lights up in the others, and the stages mark its loop.
  await expect(page.locator('[data-testid=grid-fixed] .also')).toHaveCount(1);
  await expect(page.locator('.stage-text .marked').first()).toContainText('while (i < n) vector {');
  await page.locator('[data-testid=grid-fixed] [data-k="4"] svg').click();
  await playground.idle();
  await expect(readout).toContainText('Iteration 4 (epilogue), a scalar');
  await expect(page.getByTestId('stage-strategy')).toHaveValue('fixed');
  await expect(page.locator('.stage-text .marked').first()).toContainText('epilogue {');
});

test('Play walks through the iterations to the last, and Space rests it', async ({
  playground, page,
}) => {
  await showLanes(page);
  await playground.idle();
  const play = page.getByTestId('play-lanes');
  const readout = page.getByTestId('lane-readout');
  await play.click();
  await expect(play).toContainText('Pause');
  await expect(readout).toContainText('Iteration 0 (main)');
  await expect(readout).toContainText('Iteration 1 (main)');
  await expect(play).toContainText('Play');
  // Once more from the beginning; the other strategies show the same element.
  await play.click();
  await expect(readout).toContainText('Iteration 0 (main)');
  await expect(page.locator('[data-testid=grid-fixed] .also')).toHaveCount(1);
  await expect(play).toContainText('Play');

  // Many iterations: it rests where it is, and passes over those that are folded.
  await page.evaluate(() => window.ternPlayground.loadLoops('relu'));
  await playground.idle();
  const grid = page.getByTestId('grid-fixed');
  await grid.focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Space');
  await expect(readout).toContainText('Iteration 1 (main)');
  await page.keyboard.press('Space');
  await expect(play).toContainText('Play');
  await page.keyboard.press('PageDown');
  await expect(readout).toContainText('Iteration 255 (main)');
  await page.keyboard.press('PageUp');
  await page.keyboard.press('Space');
  await expect(readout).toContainText('Iteration 255 (main)');
  // It does not go on behind another preset.
  await page.keyboard.press('Space');
  await page.getByTestId('preset-debug').click();
  await page.getByTestId('preset-vector').click();
  await expect(page.getByTestId('play-lanes')).toContainText('Play');
});

test('iterations that are alike fold, and unfold', async ({ playground, page }) => {
  await page.evaluate(() => window.ternPlayground.loadLoops('relu'));
  await playground.idle();
  const folded = page.getByTestId('folded-fixed');
  await expect(folded).toHaveText('… 251 iterations like it');
  await folded.click();
  await playground.idle();
  await expect(page.locator('[data-testid=grid-fixed] [data-k="40"]')).toHaveCount(1);
});

test('LLVM IR says what a scalable vector is at this vscale', async ({ playground, page }) => {
  await showLanes(page);
  await playground.idle();
  await page.getByTestId('stage').selectOption('llvm');
  const text = page.getByTestId('stage-text');
  await expect(text).toContainText('vscale 4: <vscale x 4 x float> is 16 x float, 512 bits');
  await page.getByTestId('vscale-1').click();
  await playground.idle();
  await expect(text).toContainText('vscale 1: <vscale x 4 x float> is 4 x float, 128 bits');
  await expect(text).toContainText('llvm.get.active.lane.mask');
  await page.getByTestId('stage').selectOption('llvm-sve');
  await expect(text).toContainText('llvm.aarch64.sve.whilelt');
});

test('the last stages are an AArch64 listing and WebAssembly', async ({ playground, page }) => {
  await showLanes(page);
  await playground.idle();
  const stage = page.getByTestId('stage'), text = page.getByTestId('stage-text');
  const strategy = page.getByTestId('stage-strategy');
  expect((await stage.locator('option').allTextContents()).slice(-3))
    .toEqual(['LLVM IR, AArch64 SVE', 'AArch64 listing', 'WebAssembly']);
  const fetched = (): Promise<number> => page.evaluate(() => performance
    .getEntriesByType('resource').filter(({ name }) => name.includes('listings')).length);
  expect(await fetched()).toBe(0);
  await stage.selectOption('listing');
  await expect(text).toContainText('whilelt\tp0.s');
  expect(await fetched()).toBe(1);
  await strategy.selectOption('cleanup');
  await expect(text).toContainText('ptrue\tp0.s');
  await strategy.selectOption('fixed');
  await expect(text).toContainText('fadd\tv0.4s');
  await expect(text).not.toContainText('.globl');
  expect(await fetched()).toBe(1);
  await stage.selectOption('wat');
  await expect(text).toContainText('f32x4.add');
  await expect(text).toContainText('(export "vector_add" (func $vector_add))');
  await strategy.selectOption('predicated');
  await expect(text).toContainText('v128.const i32x4 0x0 0x1 0x2 0x3');
  expect(await violations(page)).toEqual([]);
});

test('all programs of the page have listings, of their own texts', async ({
  playground, page,
}) => {
  await showLanes(page);
  await page.getByTestId('stage').selectOption('listing');
  const text = page.getByTestId('stage-text');
  const examples = page.getByTestId('loop-example').locator('option');
  const ids = await examples.evaluateAll((all) =>
    all.map((each) => (each as HTMLOptionElement).value).filter((value) => value !== ''));
  expect(ids.length).toBeGreaterThan(8);
  for (const id of ids) {
    await page.evaluate((name) => window.ternPlayground.loadLoops(name), id);
    await playground.idle();
    await expect(text, id).toContainText(/^\tret$/m);
  }
});

test('a text that was changed has no listing, and the stage says what makes one', async ({
  playground, page,
}) => {
  await showLanes(page);
  await page.getByTestId('stage').selectOption('listing');
  const text = page.getByTestId('stage-text');
  await expect(text).toContainText('whilelt');
  await writeAnew(
    page, 'te f<n>(a: float32[n]) -> (b: float32[n]) {\n  compute b[i] = a[i] * 0.5\n}\n',
  );
  await playground.idle();
  await expect(text).toContainText('There is no listing of this text');
  await expect(text).toContainText(
    'tern lower FILE.tloop --emit asm --target aarch64+sve --strategy predicated');
  await page.getByTestId('stage').selectOption('wat');
  await expect(text).toContainText('f32.const 0x1p-1 (;=0.5;)');
  // A program that is none has no text of either; that of the last one stays.
  await writeAnew(page, 'te f<n>(');
  await playground.idle();
  await expect(page.getByTestId('loop-problems')).toContainText('expected a parameter');
  await expect(text).toContainText('f32.const 0x1p-1');
});

test.describe('a server without the listings', () => {
  test.use({ allowed: [/status of 404/] });

  test('listings that do not come are said to be missing, and asked for again', async ({
    playground, page,
  }) => {
    await page.route('**/listings*.json', (route) => route.fulfill({ status: 404, body: '' }));
    await showLanes(page);
    await page.getByTestId('stage').selectOption('listing');
    const text = page.getByTestId('stage-text');
    await expect(text).toContainText('the listings: the server said 404');
    await expect(page.getByTestId('grid-predicated')).toBeVisible();
    await page.unroute('**/listings*.json');
    await page.getByTestId('stage-strategy').selectOption('cleanup');
    await playground.idle();
    await expect(text).toContainText('ptrue');
  });
});

// As a visitor does it: the editor's own keys select what is there.
async function writeAnew(page: Page, words: string): Promise<void> {
  await page.getByTestId('loop-text').locator('.cm-content').click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText(words);
}

test('a program with an error keeps the last picture and says what is wrong', async ({
  playground,
  page,
}) => {
  await showLanes(page);
  await playground.idle();
  const editor = page.getByTestId('loop-text');
  await writeAnew(
    page, 'te f<n>(a: float32[n]) -> (b: float32[n]) {\n  compute b[i] = a[i] + c[i]\n}\n',
  );
  await playground.idle();
  const problems = page.getByTestId('loop-problems');
  await expect(problems).toContainText('vector_add.tloop:2');
  await expect(problems).toContainText('last program without errors');
  // The name that is not known, in the second line.
  await expect(editor).toHaveAttribute('data-squiggles', '68-69');
  await expect(page.getByTestId('grid-predicated')).toBeVisible();
  expect(await violations(page)).toEqual([]);
  // A load past the end is found without a run, however long it is.
  await writeAnew(page, 'te f<n>(a: float32[n]) -> (b: float32[n]) { compute b[i] = a[i + 1] }');
  await page.evaluate(() => window.ternPlayground.setSize(1_000_000));
  await playground.idle();
  await expect(problems).toContainText("a load of 'a' at element 1000000");
  // One that does not end is given up, not waited for.
  await writeAnew(page, 'primfn f<n>(b: out float32[n]) { while (0 < 1) { b[0] = 1.0 } }');
  await playground.idle();
  await expect(problems).toContainText('the limit of operations was reached');
  await page.getByTestId('loop-example').selectOption('dot');
  await playground.idle();
  await expect(problems).toBeEmpty();
  await expect(editor).toHaveAttribute('data-squiggles', '');
});

test('the plain text field does the same as the loop editor', async ({ playground, page }) => {
  await showLanes(page);
  await playground.idle();
  await page.getByTestId('loop-plain-text').check();
  const field = page.getByTestId('loop-text-plain');
  await field.fill('te f<n>(a: float32[n]) -> (b: float32[n]) { compute b[i] = a[i] + c[i] }');
  await playground.idle();
  await expect(field).toHaveAttribute('aria-invalid', 'true');
  await field.press('F8');
  expect(await field.evaluate((it: HTMLTextAreaElement) =>
    it.value.slice(it.selectionStart, it.selectionEnd))).toBe('c');
  expect(await violations(page, '[data-pane=loop]')).toEqual([]);
  await field.fill('te f<n>(a: float32[n]) -> (b: float32[n]) { compute b[i] = a[i] + a[i] }');
  await playground.idle();
  await expect(page.getByTestId('loop-problems')).toBeEmpty();
  await page.getByTestId('loop-plain-text').uncheck();
  await expect(page.getByTestId('loop-text').locator('.cm-content')).toContainText('a[i] + a[i]');
});

test('a file of loops opens in the view, by drop and by its first words', async ({
  playground,
  page,
}) => {
  const text = 'te half<n>(x: float64[n]) -> (y: float64[n]) { compute y[i] = x[i] * 0.5 }';
  const bytes = new TextEncoder().encode(text);
  await playground.drop({ name: 'half.tloop', bytes });
  await expect(page.getByTestId('loop-text').locator('.cm-content')).toHaveText(text);
  await page.getByTestId('preset-debug').click();
  await playground.drop({ name: 'half.txt', bytes });
  await expect(page.getByTestId('pane-lanes')).toBeVisible();
  await playground.idle();
  const { lanes } = (await playground.state()) as unknown as { lanes: { problems: unknown[] } };
  expect(lanes.problems).toEqual([]);
});

test('a link leads to what was shown', async ({ playground, page }) => {
  await page.evaluate(() => window.ternPlayground.loadLoops('dot'));
  await look(page, 8, 77);
  await expect.poll(() => page.url()).toContain('#v=1&view=lanes&ex=dot&vs=8&n=77');
  await page.reload();
  await playground.ready();
  const { lanes } = (await playground.state()) as unknown as { lanes: Record<string, unknown> };
  expect(lanes).toMatchObject({ example: 'dot', vscale: 8, n: 77 });
});

test('a program of one\'s own is in the link', async ({ playground, page }) => {
  const text = 'te twice<n>(x: float32[n]) -> (y: float32[n]) { compute y[i] = x[i] * 2.0 }';
  await page.evaluate((program) => window.ternPlayground.loadLoops(program), text);
  await expect.poll(() => page.url()).toContain('&z=');
  await page.reload();
  await playground.ready();
  await expect(page.getByTestId('loop-text').locator('.cm-content')).toHaveText(text);
});

test('letter keys turn the vscale, and leave the other view alone', async ({
  playground,
  page,
}) => {
  await showLanes(page);
  await playground.idle();
  await page.keyboard.press(']');
  await expect(page.getByTestId('vscale-value')).toContainText('1024 bits');
  await page.keyboard.press('[');
  await page.keyboard.press('v');
  await expect(page.getByTestId('vscale')).toBeFocused();
  await page.getByTestId('grid-fixed').focus();
  await page.keyboard.press('n');
  expect((await playground.state()).step).toBe(0);
});

test('the program runs as WebAssembly with equal results', { tag: '@browsers' }, async ({
  playground, page,
}) => {
  await page.evaluate(() => window.ternPlayground.loadLoops('daxpy'));
  await playground.click('time-loops');
  await expect(page.getByTestId('timing')).toContainText('equal results');
});

test('tables have the numbers of the pictures', async ({ playground, page }) => {
  await showLanes(page);
  await playground.idle();
  for (const id of ['lanes-as-table-predicated', 'sweep-as-table', 'footprint-as-table']) {
    await page.getByTestId(id).locator('summary').click();
  }
  await expect(page.getByTestId('lane-table-predicated')).toContainText('1100000000000000');
  const rows = page.getByTestId('sweep-table').locator('tbody tr');
  await expect(rows).toHaveCount(16);
  await expect(rows.nth(7)).toContainText('18');
  await expect(page.getByTestId('footprint-table')).toContainText('store C');
  expect(await violations(page)).toEqual([]);
});

test('pictures are saved as they are seen, with the same bytes each time', async ({
  playground, page,
}) => {
  await playground.open('?test=1#v=1&view=lanes&ex=dot&vs=4&n=18');
  const save = async (name: string): Promise<Buffer> => {
    const waiting = page.waitForEvent('download');
    await page.getByTestId(name).click();
    return readFileSync(await (await waiting).path());
  };
  for (const name of ['svg-lanes-predicated', 'svg-lanes-fixed', 'svg-sweep']) {
    const picture = await save(name);
    expect(await save(name), name).toEqual(picture);
    const [problem, title, about, references] = await page.evaluate((text) => {
      const parsed = new DOMParser().parseFromString(text, 'image/svg+xml');
      const { outerHTML } = parsed.documentElement;
      return [
        parsed.querySelector('parsererror')?.textContent ?? '',
        parsed.querySelector('svg > title')!.textContent,
        parsed.querySelector('svg > desc')!.textContent,
        [...outerHTML.matchAll(/url\(#([\w-]+)\)/g)].map(([, id]) => !!parsed.getElementById(id!)),
      ] as const;
    }, picture.toString());
    expect(problem).toBe('');
    expect(title, name).toMatch(/^(Scalable, predicated|Fixed 128 bits .*|Every vscale)$/);
    expect(about, name).toContain('vscale');
    expect(references.every(Boolean), `${name}: patterns come along`).toBe(true);
  }
  // Without colours the states differ by their patterns; numbers and masks are words.
  const lanes = (await save('svg-lanes-predicated')).toString();
  expect(lanes.includes('url(#hatch-outside)')).toBe(true);
  for (const words of ['1100 0000 0000 0000', '16–17'])
    expect(lanes.includes(`>${words}</text>`), words).toBe(true);
  const [width, height] = /width="(\d+)" height="(\d+)"/.exec(lanes)!.slice(1).map(Number);
  const png = await save('png-lanes-predicated');
  expect(png.subarray(1, 4).toString()).toBe('PNG');
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([2 * width!, 2 * height!]);
});

test('a change of vscale takes no longer for long vectors than for short ones', async ({
  playground,
  page,
}) => {
  await showLanes(page);
  await playground.idle();
  const usual = async (n: number): Promise<number> => {
    await look(page, 1, n);
    return page.evaluate(async () => {
      const times: number[] = [];
      for (let vscale = 1; vscale <= 16; ++vscale) {
        const start = performance.now();
        await window.ternPlayground.setVscale(vscale);
        times.push(performance.now() - start);
      }
      return times.sort((a, b) => a - b)[8]!;
    });
  };
  // Compared with each other, not with a clock: the machine may be slow, or have other work.
  const short = await usual(1000);
  expect(await usual(100_000)).toBeLessThan(5 * short + 100);
});

for (const scheme of ['light', 'dark'] as const) {
  test.describe(`axe, ${scheme}`, () => {
    test.use({ colorScheme: scheme });
    test('at the start and with a cell picked', async ({ playground, page }) => {
      await showLanes(page);
      await playground.idle();
      expect(await violations(page)).toEqual([]);
      await page.getByTestId('grid-cleanup').focus();
      await page.keyboard.press('ArrowDown');
      await page.evaluate(() => window.ternPlayground.setVscale(3));
      expect(await violations(page)).toEqual([]);
    });
  });
}

test.describe('forced colours', () => {
  test.use({ contextOptions: { forcedColors: 'active' } });
  test('axe has nothing to say', async ({ playground, page }) => {
    await showLanes(page);
    await playground.idle();
    expect(await violations(page)).toEqual([]);
  });
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 360, height: 740 }, hasTouch: true });
  test('one pane at a time, no sideways scrolling, large targets', async ({ playground, page }) => {
    await page.getByTestId('preset-vector').tap();
    await playground.idle();
    for (const tab of ['loop', 'loop-stages', 'counters', 'sweep', 'footprint', 'lanes']) {
      await page.getByTestId(`tab-${tab}`).tap();
      for (const width of [360, 320]) {
        await page.setViewportSize({ width, height: 740 });
        const overflow = await page.evaluate(
          () => document.documentElement.scrollWidth - innerWidth);
        expect(overflow, `${tab}, ${width} px`).toBeLessThanOrEqual(0);
      }
      expect(await violations(page)).toEqual([]);
    }
    await expect(page.getByTestId('pane-loop-stages')).toBeHidden();
    await expect(page.getByTestId('vscale')).toBeInViewport();
    await page.getByTestId('vscale-16').tap();
    await playground.idle();
    await expect(page.getByTestId('vscale-value')).toContainText('2048 bits');
  });
});

test('targets are at least 24 pixels, at all widths', async ({ playground, page }) => {
  await showLanes(page);
  await playground.idle();
  for (const width of [1440, 900, 360]) {
    await page.setViewportSize({ width, height: 900 });
    const small = await page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>('button, select, .button, input, summary')]
        .filter((element) => element.offsetParent !== null && !element.closest('.visually-hidden'))
        .filter((element) => !element.matches('.visually-hidden'))
        // A click beside a box to tick counts where the box has words.
        .map((element) =>
          element.matches('[type=checkbox]') ? element.closest('label') ?? element : element)
        .map((element) => ({ element, box: element.getBoundingClientRect() }))
        // A bar of tabs scrolls sideways where they are many.
        .filter(({ element, box }) => box.width < 24 || box.height < 24 ||
          (box.right > innerWidth + 1 && !element.closest('[role=tablist]')))
        .map(({ element, box }) => `${element.outerHTML.slice(0, 80)} ${box.width}×${box.height}`));
    expect(small, `${width} px`).toEqual([]);
  }
});
