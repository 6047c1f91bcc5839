// SPDX-License-Identifier: Apache-2.0
// The page under test: opened with frozen times, driven by its automation surface, and watched for
// what must never happen: an error on the console, an unhandled rejection, a foreign request.
import { readFileSync } from 'node:fs';
import { test as base, expect, type Page } from '@playwright/test';
import type { RegisterRow } from '../../../web/src/model/registers.js';

export interface State {
  state: string;
  step: number;
  pc: number | null;
  lastPc: number | null;
  stopReason: string;
  function: string;
  depth: number;
  program: { name: string; kind: string; instructions: number; constants: number } | null;
  registers: RegisterRow[];
  breakpoints: number[];
  outputs: Record<string, { dtype: string; shape: number[]; values: number[] }> | null;
  problems: { code: string; message: string; text: string }[];
  classification?: { digit: number; probabilities: number[] };
}

export interface Dropped {
  name: string;
  bytes: Uint8Array;
}

export class Playground {
  constructor(readonly page: Page) {}

  async open(query = '?test=1'): Promise<void> {
    await this.page.goto(`${process.env['TERN_PAGE']}${query}`);
    await this.ready();
  }

  /** The page that a link or a reload leads to has started; its script may not have run yet. */
  async ready(): Promise<void> {
    await this.page.waitForFunction(() => 'ternPlayground' in window);
    await this.page.evaluate(() => window.ternPlayground.ready);
    await this.idle();
  }

  idle(): Promise<void> {
    return this.page.evaluate(() => window.ternPlayground.idle());
  }

  async state(): Promise<State> {
    await this.idle();
    return (await this.page.evaluate(() => window.ternPlayground.state())) as unknown as State;
  }

  /** Clicks and waits until nothing is under way. */
  async click(testId: string): Promise<void> {
    await this.page.getByTestId(testId).click();
    await this.idle();
  }

  async pick(testId: string, name: string, bytes: Uint8Array): Promise<void> {
    const file = { name, mimeType: 'application/octet-stream', buffer: Buffer.from(bytes) };
    await this.page.getByTestId(testId).setInputFiles(file);
    await this.settle();
  }

  async drop(...files: Dropped[]): Promise<void> {
    const packed = files.map(({ name, bytes }) =>
      [name, Buffer.from(bytes).toString('base64')] as const);
    await this.page.evaluate(
      (all) => {
        const transfer = new DataTransfer();
        for (const [fileName, data] of all) {
          const content = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
          transfer.items.add(new File([content], fileName));
        }
        const options = { dataTransfer: transfer, bubbles: true, cancelable: true };
        for (const type of ['dragover', 'drop']) {
          document.querySelector('main')!.dispatchEvent(new DragEvent(type, options));
        }
      },
      packed,
    );
    await this.settle();
  }

  /** Files are read before the engine hears of them. */
  private async settle(): Promise<void> {
    await this.idle();
    await this.idle();
  }

  /** A stroke by mouse; points in fractions of the canvas. */
  async draw(points: readonly (readonly [number, number])[]): Promise<void> {
    const canvas = this.page.getByTestId('draw-canvas');
    await canvas.scrollIntoViewIfNeeded();
    const box = (await canvas.boundingBox())!;
    const at = ([x, y]: readonly [number, number]) =>
      [box.x + x * box.width, box.y + y * box.height] as const;
    await this.page.mouse.move(...at(points[0]!));
    await this.page.mouse.down();
    for (const point of points.slice(1)) await this.page.mouse.move(...at(point), { steps: 6 });
    await this.page.mouse.up();
    await this.idle();
  }

  /** The file that a click saves. */
  async saved(testId: string): Promise<{ name: string; bytes: Uint8Array }> {
    const waiting = this.page.waitForEvent('download');
    await this.page.getByTestId(testId).click();
    const download = await waiting;
    const bytes = new Uint8Array(readFileSync(await download.path()));
    return { name: download.suggestedFilename(), bytes };
  }

  /** The .tern of the program that is loaded, as the page saves it. */
  async save(): Promise<Uint8Array> {
    return (await this.saved('save')).bytes;
  }
}

interface Fixtures {
  playground: Playground;
  /** Console messages that the test expects; all others fail it. */
  allowed: RegExp[];
}

export const test = base.extend<Fixtures>({
  allowed: async ({}, use) => use([]),
  playground: async ({ page, allowed }, use) => {
    const complaints: string[] = [];
    const origin = new URL(process.env['TERN_PAGE']!).origin;
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type()))
        complaints.push(`console: ${message.text()}`);
    });
    page.on('pageerror', (error) => complaints.push(`page error: ${error.message}`));
    page.on('request', (request) => {
      const { protocol, origin: to } = new URL(request.url());
      if (protocol.startsWith('http') && to !== origin) complaints.push(`request to ${to}`);
    });
    const playground = new Playground(page);
    await playground.open();
    await use(playground);
    expect(complaints.filter((text) => !allowed.some((pattern) => pattern.test(text)))).toEqual([]);
  },
});

export { expect };
