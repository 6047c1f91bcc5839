// SPDX-License-Identifier: Apache-2.0
// Records of runs and pasted texts: a .terntrace that tern wrote becomes a run that is walked, with
// its program or after it; other code and damaged files are told.
import { expect, test } from '../support/page.js';
import { kRecordedProgram, recordRun } from '../support/recorded-run.js';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

test('a record becomes a run that is walked; other code and damage are told', async ({
  playground, page,
}) => {
  const trace = { name: 'run.terntrace', bytes: recordRun() };
  await playground.drop(trace);
  const refused = await playground.state();
  expect(refused.problems[0]).toMatchObject({ code: 'E0606' });
  expect(refused.problems[0]!.text).toContain('open the program of the record first');
  await playground.drop(trace, { name: 'double.tasm', bytes: bytesOf(kRecordedProgram) });
  await expect(page.getByTestId('replayed')).toContainText('as in run.terntrace, at every step');
  const { stopReason, step, outputs } = await playground.state();
  expect({ stopReason, step }).toEqual({ stopReason: 'returned', step: 4 });
  expect(JSON.stringify(outputs)).toContain('42');
  await page.evaluate(() => window.ternPlayground.seek(2));
  const { registers } = await playground.state();
  expect(registers[2]).toMatchObject({ type: 'f32[3]' });
  await expect(page.getByTestId('fill-x')).toHaveValue('file');
  await playground.pick('open-file', 'torn.terntrace', trace.bytes.slice(0, 90));
  expect((await playground.state()).problems[0]).toMatchObject({ code: 'E0305' });
});

test('texts are pasted outside of fields', async ({ playground, page }) => {
  const paste = async (text: string): Promise<void> => {
    await page.evaluate((pasted) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', pasted);
      document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
    }, text);
    await playground.idle();
  };
  await paste('fn main() -> int { 6 * 7 }');
  expect((await playground.state()).program?.name).toBe('pasted.tn');
  await paste('te f<n>(x: float32[n]) -> (y: float32[n]) {\n  compute y[i] = x[i] + 1.0\n}\n');
  await expect(page.getByTestId('loop-text').locator('.cm-content')).toHaveText(/^te f<n>/);
  await paste('neither program nor model');
  expect((await playground.state()).problems[0]).toMatchObject({ code: 'E0604' });
});
