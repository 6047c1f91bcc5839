// SPDX-License-Identifier: Apache-2.0
// The editor: programs are typed, read, mended, run and looked at from their text. The corpus of
// programs with mistakes is that of the command line's tests, and so are the places.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { violations } from '../support/axe.js';
import { kTern, mistakenPrograms } from '../support/mistaken.js';
import { expect, type Playground, test } from '../support/page.js';

interface SourceReport {
  name: string;
  text: string;
  edited: boolean;
  read: boolean;
  problems: { from: number; to: number; code: string; fixes: string[] }[];
}

interface JsonSpan { line: number; col: number; endLine: number; endCol: number }

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

async function sourceOf(playground: Playground): Promise<SourceReport> {
  return (await playground.state() as unknown as { source: SourceReport }).source;
}

async function open(playground: Playground, text: string, name = 'mine.tn'): Promise<void> {
  await playground.drop({ name, bytes: utf8(text) });
  await playground.page.getByTestId('editor').or(playground.page.getByTestId('editor-plain'))
    .waitFor();
  await playground.idle();
}

const type = (page: Page, text: string): Promise<void> =>
  page.evaluate((value) => window.ternPlayground.editSource(value), text);

/** What the command line says of a text. */
function spansOf(path: string): JsonSpan[] {
  const told = spawnSync(kTern, ['check', '--format', 'json', path], { encoding: 'utf8' });
  if (told.error) throw told.error;
  // Errors are told on the other stream.
  const text = told.status === 0 ? told.stdout : told.stderr;
  const { diagnostics } = JSON.parse(text) as { diagnostics: { span?: JsonSpan }[] };
  return diagnostics.flatMap(({ span }) => (span ? [span] : []));
}

/** Code points of a line before the column, in units of strings; the test's own way to count. */
function offset(text: string, line: number, col: number): number {
  const lines = text.split('\n');
  const before = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
  return before + [...lines[line - 1]!].slice(0, col - 1).join('').length;
}

const rangeOf = (text: string, { line, col, endLine, endCol }: JsonSpan): string =>
  `${offset(text, line, col)}-${offset(text, endLine, endCol)}`;

test('a program is opened, run and stepped from its text', async ({ playground }) => {
  const { page } = playground;
  const body = '  let x = 20;\n  let y = length([x, 1]);\n  x + y\n';
  await open(playground, `fn main() -> int {\n${body}}\n`);
  expect(await playground.state()).toMatchObject({
    program: { name: 'mine.tn', kind: 'language' }, state: 'idle', problems: [],
  });
  await playground.click('step');
  await expect(page.locator('.cm-now')).toHaveCount(1);
  await playground.click('run');
  expect((await playground.state()).outputs).toEqual({ output0: 22 });
});

test('what is typed is run as it stands', { tag: '@browsers' }, async ({ playground }) => {
  const { page } = playground;
  await open(playground, 'fn main() -> int { 1 }\n');
  await page.getByTestId('editor-text').click();
  await page.keyboard.press('Control+Home');
  await page.keyboard.type('fn two() -> int { 2 }\n');
  await playground.idle();
  expect((await sourceOf(playground)).edited).toBe(true);
  await playground.click('run');
  const state = await playground.state();
  expect((state.program as unknown as { functions: string[] }).functions).toContain('two');
  expect(state.outputs).toEqual({ output0: 1 });
  expect((await sourceOf(playground)).edited).toBe(false);
});

test('a program with a kernel of its own runs', async ({ playground }) => {
  const { page } = playground;
  await page.getByTestId('tab-source').click();
  await page.getByTestId('program-example').selectOption('kernel');
  await playground.idle();
  await playground.click('run');
  const { outputs, problems } = await playground.state();
  expect(problems).toEqual([]);
  expect(outputs).toMatchObject({ output0: { shape: [2, 2] } });
});

test('letters that are keys of the page are typed', async ({ playground }) => {
  const { page } = playground;
  await open(playground, 'fn main() -> int { 1 }\n');
  await page.getByTestId('editor-text').click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('// npb?v[]');
  expect((await sourceOf(playground)).text).toContain('// npb?v[');
  expect((await playground.state()).step).toBe(0);
  await page.keyboard.press('Tab');
  await expect(page.getByTestId('editor-text')).not.toBeFocused();
});

test('squiggles stand where the command line says', async ({ playground }) => {
  const { page } = playground;
  const folder = mkdtempSync(join(tmpdir(), 'tern-bad-'));
  const programs = mistakenPrograms().map(({ file, text }) => {
    const path = join(folder, file);
    writeFileSync(path, text);
    return { file, text, expected: spansOf(path).map((span) => rangeOf(text, span)).sort() };
  }).filter(({ expected }) => expected.length > 0);
  rmSync(folder, { recursive: true });
  await open(playground, 'fn main() -> int { 1 }\n');
  // As files that are opened, which are read at once: there is no pause in typing to be waited for.
  const shown = await page.evaluate(async (texts) => {
    const ranges: string[] = [];
    const { dataset } = document.querySelector<HTMLElement>('[data-testid=editor]')!;
    for (const text of texts) {
      await window.ternPlayground.load(new TextEncoder().encode(text), 'mine.tn');
      await window.ternPlayground.idle();
      ranges.push(dataset['squiggles'] ?? '');
    }
    return ranges;
  }, programs.map(({ text }) => text));
  for (const [i, { file, expected }] of programs.entries())
    expect.soft(shown[i]!.split(' ').sort(), file).toEqual(expected);
  expect(programs.length).toBeGreaterThanOrEqual(60);
});

for (const [title, text] of [
  ['a semicolon', 'fn main() -> int {\n  let x = 1\n  x\n}\n'],
  ['two semicolons', 'fn main() -> int {\n  let x = 1\n  let y = 2\n  x + y\n}\n'],
] as const) {
  test(`a fix mends ${title}`, async ({ playground }) => {
    const { page } = playground;
    await open(playground, text);
    for (let left = (await sourceOf(playground)).problems.length; left > 0;) {
      await page.getByTestId('apply-fix').first().click();
      await playground.idle();
      const now = (await sourceOf(playground)).problems.length;
      expect(now).toBeLessThanOrEqual(left);
      left = now;
    }
    await playground.click('run');
    expect((await playground.state()).state).toBe('stopped');
  });
}

test('Fix all applies every fix at once, and Format lays out', async ({ playground }) => {
  await open(playground, 'fn main() -> int {\nlet x = 1\nlet y = 2\nx+y }\n');
  await playground.click('fix-all');
  expect((await sourceOf(playground)).problems).toEqual([]);
  await playground.click('format');
  expect((await sourceOf(playground)).text)
    .toBe('fn main() -> int {\n  let x = 1;\n  let y = 2;\n  x + y\n}\n');
});

test('F8 walks the findings, and the list leads to them', async ({ playground }) => {
  const { page } = playground;
  const text = 'fn main() -> int { one }\n\nfn other() -> int { two }\n';
  await open(playground, text);
  await page.getByTestId('editor-text').click();
  await page.keyboard.press('Control+Home');
  const selected = (): Promise<string> =>
    page.evaluate(() => {
      const root = document.querySelector('[data-testid="editor"]')!.shadowRoot!;
      return (root as unknown as Document).getSelection?.()?.toString() ??
        document.getSelection()!.toString();
    });
  await page.keyboard.press('F8');
  await expect.poll(selected).toBe('one');
  await page.keyboard.press('F8');
  await expect.poll(selected).toBe('two');
  await page.keyboard.press('Shift+F8');
  await expect.poll(selected).toBe('one');
  await page.getByTestId('problem-place').nth(1).click();
  await expect.poll(selected).toBe('two');
});

test('a program with mistakes is shown, and the one before is not said to be it', async ({
  playground,
}) => {
  const { page } = playground;
  await playground.click('run');
  await open(playground, 'fn main() -> int { nothing }\n');
  const state = await playground.state();
  expect(state.state).toBe('error');
  expect(state.problems[0]!.code).toBe('E1003');
  await expect(page.getByTestId('findings')).toContainText("unknown name 'nothing'");
  await expect(page.getByTestId('pane-run')).toContainText('mine.tn was not loaded');
});

test('findings come while a program runs', async ({ playground }) => {
  const { page } = playground;
  await page.getByTestId('tab-source').click();
  await page.getByTestId('program-example').selectOption('infinite_loop');
  await playground.idle();
  const running = page.evaluate(() => void window.ternPlayground.run());
  await running;
  await expect(page.locator('body')).toHaveAttribute('data-state', 'running');
  await page.evaluate(() => void window.ternPlayground.editSource('fn main() -> int { nothing }'));
  await page.getByTestId('tab-problems').click();
  await expect(page.getByTestId('findings')).toContainText("unknown name 'nothing'");
  await expect(page.locator('body')).toHaveAttribute('data-state', /running|error/);
  await page.getByTestId('stop').click();
  await playground.idle();
  expect((await playground.state()).stopReason).toBe('cancelled');
});

test('words have the colours of what the core reads them as', async ({ playground }) => {
  const { page } = playground;
  const words = (kind: string) => page.getByTestId('editor').locator(`.tok-${kind}`);
  await open(playground, 'fn main(first: int) -> int { first + 1 }\n');
  await expect(words('function')).toHaveText(['main']);
  await expect(words('parameter')).toHaveText(['first', 'first']);
  // Also of a text that is wrong, and behind characters of two units.
  await type(page, '// 😀\nfn main(first: int) -> int { other(first) +  }\n');
  await playground.idle();
  expect((await sourceOf(playground)).problems).not.toEqual([]);
  await expect(words('function').first()).toHaveText('main');
  await expect(words('parameter').first()).toHaveText('first');
  // A field of plain text asks for none; then they come again.
  await page.getByTestId('plain-text').check();
  await type(page, 'fn twice(x: int) -> int { x + x }\n');
  await playground.idle();
  await page.getByTestId('plain-text').uncheck();
  await expect(words('function')).toHaveText(['twice']);
});

test('the plain text field does the same', async ({ playground }) => {
  const { page } = playground;
  await open(playground, 'fn main() -> int { 1 }\n');
  await page.getByTestId('plain-text').check();
  const field = page.getByTestId('editor-plain');
  await field.fill('fn main() -> int {\n  let x = 6\n  x * 7\n}\n');
  await page.getByTestId('tab-problems').click();
  await expect(page.getByTestId('findings')).toContainText("expected ';'");
  await field.press('F8');
  await expect(field).toBeFocused();
  await page.getByTestId('apply-fix').first().press('Enter');
  await playground.idle();
  await playground.click('run');
  expect((await playground.state()).outputs).toEqual({ output0: 42 });
  await page.getByTestId('plain-text').uncheck();
  await expect(page.getByTestId('editor-text')).toContainText('x * 7');
});

test('text stays text', async ({ playground }) => {
  const { page } = playground;
  const evil = '"<img src=x onerror=alert(1)>"';
  await open(playground, `fn main() -> string { ${evil} + ${evil}x }\n`);
  await expect(page.getByTestId('editor-text')).toContainText(evil);
  expect(await page.locator('img').count()).toBe(0);
});

test('scripts edit an assembly text whose pane was never shown', async ({ playground, page }) => {
  const text = (result: number): string =>
    `.func @main()\n  load_consti ${result} dst: %0\n  ret   ret %0\n`;
  await page.evaluate(
    ([program, changed]) => {
      const { load, editSource, run } = window.ternPlayground;
      return load(new TextEncoder().encode(program), 'mine.tasm')
        .then(() => editSource(changed!)).then(run);
    }, [text(3), text(4)]);
  await playground.idle();
  expect((await sourceOf(playground)).text).toBe(text(4));
  await expect(page.getByRole('region', { name: 'Output', exact: true })).toContainText('4');
});

test('a draft is offered again', async ({ playground }) => {
  const { page } = playground;
  await open(playground, 'fn main() -> int { 1 }\n');
  await type(page, 'fn main() -> int { 41 + 1 }\n');
  await page.waitForFunction(() => localStorage.getItem('tern-draft')?.includes('41 + 1'));
  await page.reload();
  await playground.ready();
  await page.getByTestId('tab-source').click();
  await page.getByTestId('restore-draft').click();
  await playground.idle();
  await playground.click('run');
  expect((await playground.state()).outputs).toEqual({ output0: 42 });
});

test('breakpoints are set at lines and stay there, and lines say how often they ran', async ({
  playground,
}) => {
  const { page } = playground;
  // What calls return is not known to the compiler, which puts `next` into `main`.
  const next = 'fn next(n: int) -> int {\n  n * 3\n}\n';
  await open(playground, `${next}\nfn main(n: int) -> int {\n  next(n) + next(n + 1)\n}\n`);
  const stops = async (): Promise<(number | undefined)[]> => {
    const lines: (number | undefined)[] = [];
    for (let left = 9; left > 0; left--) {
      await playground.click('run');
      const { stopReason } = await playground.state();
      if (stopReason !== 'breakpoint') return lines;
      const line = await page.locator('.cm-now').evaluate((row) =>
        [...row.parentElement!.children].indexOf(row) + 1);
      lines.push(line);
    }
    return lines;
  };
  // The first element keeps the gutter's width.
  await page.locator('.cm-break-gutter .cm-gutterElement').nth(2).click();
  await playground.idle();
  await expect(page.locator('.cm-break-dot')).toHaveCount(2);
  const met = await stops();
  expect(met.length).toBeGreaterThan(0);
  expect(new Set(met)).toEqual(new Set([2]));
  await expect(page.locator('.cm-hit-gutter .cm-gutterElement[class*=cm-heat]').first())
    .toHaveText(/^\d+$/);

  await page.getByTestId('editor-text').click();
  await page.keyboard.press('Control+Home');
  await page.keyboard.type('// one \n// two \n');
  await playground.idle();
  await expect(page.locator('.cm-hit-gutter .cm-gutterElement[class*=cm-heat]')).toHaveCount(0);
  expect(await stops()).toEqual(met.map(() => 4));
});

test('stages show what each pass made and changed', async ({ playground }) => {
  const { page } = playground;
  await open(playground, 'fn main() -> int { 1 + 2 * 3 }\n');
  await page.getByTestId('tab-stages').click();
  await expect(page.getByTestId('stage-bytecode')).toHaveAttribute('aria-current', 'step');
  await expect(page.getByTestId('stage-editor').locator('.cm-content'))
    .toContainText('.func @main');
  await page.getByTestId('stage-bytecode').focus();
  await page.keyboard.press('k');
  await expect(page.getByTestId('stage-bytecode')).not.toHaveAttribute('aria-current', 'step');
  await page.getByTestId('stage-bytecode').click();
  await page.getByTestId('stage-changes').check();
  await expect(page.getByTestId('stage-diff')).toContainText('+');
  await page.getByTestId('stage-all').check();
  await expect(page.getByTestId('stage-lower')).toBeVisible();
});

test('assembly that is refused is shown to be mended', async ({ playground }) => {
  const { page } = playground;
  await open(playground, '.func @main() -> int\n  frob  1\n', 'bad.tasm');
  expect((await playground.state()).state).toBe('error');
  await type(page, '.func @main() -> int\n  ret   ret 5\n');
  await playground.click('run');
  expect((await playground.state()).outputs).toEqual({ output0: 5 });
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`nothing to complain about for axe, ${colorScheme}`, async ({ playground }) => {
    const { page } = playground;
    await page.emulateMedia({ colorScheme });
    await open(playground, 'fn main() -> int {\n  let x = 1\n  x\n}\n');
    const states = [
      async () => page.getByTestId('plain-text').check(),
      async () => page.getByTestId('plain-text').uncheck(),
      async () => page.getByTestId('tab-stages').click(),
    ];
    for (const enter of states) {
      await enter();
      await playground.idle();
      expect(await violations(page)).toEqual([]);
    }
  });
}

test('a text that follows an assembly file takes its place, at once', async ({ playground }) => {
  const encoded = (text: string) => new TextEncoder().encode(text);
  const assembly = '.func @main(x: int) -> int\n  add %0, 1 dst: %0\n  ret ret %0\n';
  await playground.drop({ name: 'before.tasm', bytes: encoded(assembly) });
  await playground.drop({ name: 'bad.tn', bytes: encoded('fn main() -> int { nothing }') });
  const refused = await playground.state();
  expect(refused.problems.map(({ code }) => code)).toEqual(['E1003']);
  await playground.drop({ name: 'before.tasm', bytes: encoded(assembly) });
  await playground.drop({ name: 'after.tn', bytes: encoded('fn main() -> int { 6 * 7 }') });
  expect((await playground.state()).program!.name).toBe('after.tn');
});
