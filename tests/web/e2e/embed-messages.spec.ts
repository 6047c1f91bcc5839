// SPDX-License-Identifier: Apache-2.0
// A page inside of another one is driven by messages: through the element, and by hand; what is
// wrong is answered, and what comes from elsewhere is not heard.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from '@playwright/test';
import { expect, test } from '../support/page.js';

const kAround = '<!doctype html><html lang="en"><title>around</title>' +
  '<link rel="icon" href="data:,">';

// The browser's warning of frames of the page's own server, as the example has them; the server of
// the page around.
test.use({ allowed: [/can escape its sandboxing|^request to http:\/\/localhost:/] });

interface Answer {
  ok: boolean;
  id: number | null;
  result?: Record<string, unknown>;
  error?: { code: string; message: string };
}

/** The methods of the element, by their names. */
type Driven = Record<string, (argument?: unknown) => Promise<Record<string, unknown>>>;

/** Calls a method of the first element of the example page; tells what it was refused with. */
const drive = (page: Page, method: string, argument?: unknown) =>
  page.locator('tern-playground').first().evaluate(async (element, [name, given]) => {
    await customElements.whenDefined('tern-playground');
    try {
      return { result: await (element as unknown as Driven)[name as string]!(given) };
    } catch (error) {
      const { code, message } = error as { code: string; message: string };
      return { code, message };
    }
  }, [method, argument] as const);

let around = '';
let server: Server;
test.beforeAll(async () => {
  server = createServer((_request, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end(kAround));
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  around = `http://localhost:${(server.address() as AddressInfo).port}/`;
});
test.afterAll(() => {
  server.close();
});

/** A page of another origin, of a server of its own, with the playground in a frame. */
async function openAround(page: Page, search: string): Promise<void> {
  const inside = `${process.env['TERN_PAGE']}${search}`;
  await page.goto(around);
  await page.evaluate(async (address) => {
    const frame = document.createElement('iframe');
    const heard: Record<string, unknown>[] = [];
    const ready = new Promise<void>((resolve) => {
      addEventListener('message', ({ data }) => {
        heard.push(data);
        if (data.event === 'ready') resolve();
      });
    });
    frame.src = address;
    frame.style.width = '800px';
    document.body.append(frame);
    await ready;
    const target = new URL(address).origin;
    const post = (data: unknown) => frame.contentWindow!.postMessage(data, target);
    const answer = (id: unknown) => new Promise((resolve) => {
      const look = (): void => {
        const found = heard.find((each) => each['id'] === id && 'ok' in each);
        if (found) resolve(found);
        else setTimeout(look, 5);
      };
      look();
    });
    Object.assign(window, { heard, post, answer });
  }, inside);
}

const ask = (page: Page, message: object): Promise<Answer> =>
  page.evaluate((data) => {
    const { post, answer } = window as unknown as {
      post: (data: unknown) => void; answer: (id: unknown) => Promise<Answer>;
    };
    const id = Math.floor(Math.random() * 1e9);
    post({ tern: 1, id, ...data });
    return answer(id);
  }, message);

const heard = (page: Page): Promise<Record<string, unknown>[]> =>
  page.evaluate(() => (window as unknown as { heard: Record<string, unknown>[] }).heard);

test('the element loads, runs, steps and tells where the run stands', async ({
  playground, page,
}) => {
  await playground.idle();
  await page.goto(`${process.env['TERN_PAGE']}embed-example.html`);
  const steps = await page.locator('tern-playground').first().evaluate((element) => {
    const told: number[] = [];
    element.addEventListener('tern-state', (event) =>
      told.push((event as CustomEvent<{ step: number }>).detail.step));
    Object.assign(window, { told });
    return told;
  });
  expect(steps).toEqual([]);
  expect(await drive(page, 'load', { example: 'fibonacci' }))
    .toMatchObject({ result: { step: 0 } });
  expect(await drive(page, 'step', 3)).toMatchObject({ result: { state: 'paused', step: 3 } });
  expect(await drive(page, 'stepBack')).toMatchObject({ result: { step: 2 } });
  expect(await drive(page, 'seek', 3)).toMatchObject({ result: { step: 3 } });
  expect(await drive(page, 'run')).toMatchObject({ result: { stopReason: 'returned' } });
  const { result } = await drive(page, 'state');
  expect(result).toMatchObject({ program: { name: 'fibonacci.tn' }, stopReason: 'returned' });
  expect(result).not.toHaveProperty('source');
  expect(await drive(page, 'reset')).toMatchObject({ result: { step: 0, stopReason: '' } });
  const told = await page.evaluate(() => (window as unknown as { told: number[] }).told);
  expect(told).toEqual(expect.arrayContaining([3, 2]));

  // What goes wrong rejects, and says what.
  expect(await drive(page, 'load', { text: 'fn main() -> int { nothing }', name: 'a.tn' }))
    .toMatchObject({ code: expect.stringMatching(/^E1\d{3}$/) });
  expect(await drive(page, 'load', {})).toMatchObject({ code: 'bad-message' });
  expect(await drive(page, 'step', -1)).toMatchObject({
    code: 'bad-message', message: expect.stringContaining('from 1 to 1000000, not -1'),
  });
  expect(await drive(page, 'setVscale', 4)).toMatchObject({
    code: 'bad-message', message: expect.stringContaining('this one shows the machine'),
  });
});

test('an element out of the page gives its commands up; lanes take a vscale', async ({
  playground, page,
}) => {
  await playground.idle();
  await page.goto(`${process.env['TERN_PAGE']}embed-example.html`);
  const second = page.locator('tern-playground').nth(1);
  const result = await second.evaluate(async (element) => {
    await customElements.whenDefined('tern-playground');
    const driven = element as unknown as Driven;
    await driven['setVscale']!(8);
    await driven['setSize']!(100);
    return driven['state']!();
  });
  expect(result).toMatchObject({ lanes: { vscale: 8, n: 100, name: 'seventeen.tloop' } });
  const codes = await second.evaluate(async (element) => {
    const driven = element as unknown as Driven;
    const reason = (promise: Promise<unknown>) =>
      promise.then(() => 'done', ({ code }: { code: string }) => code);
    const underWay = reason(driven['state']!());
    element.remove();
    return [await underWay, await reason(driven['run']!())];
  });
  expect(codes).toEqual(['gone', 'gone']);
});

test('a page of another origin drives it by messages', async ({ playground, page }) => {
  await playground.idle();
  await openAround(page, '?test=1&embed=1&pane=registers#v=1&ex=power');
  const ready = (await heard(page)).find(({ event }) => event === 'ready');
  expect(ready).toMatchObject({ tern: 1, commands: expect.arrayContaining(['load', 'state']) });
  // In the order in which they are sent, without waiting.
  const text = '.func @main(x: int) -> int\n  add %0, 1 dst: %0\n  ret ret %0\n';
  const [, stepped] = await Promise.all([
    ask(page, { cmd: 'load', text }),
    ask(page, { cmd: 'step' }),
  ]);
  expect(stepped).toMatchObject({ ok: true, result: { state: 'paused', step: 1 } });
  // A run without an end is stopped by the message behind it.
  const endless = '.func @main(x: int) -> int\nagain:\n  add %0, 1 dst: %0\n  goto again\n';
  expect(await ask(page, { cmd: 'load', text: endless })).toMatchObject({ ok: true });
  const running = ask(page, { cmd: 'run' });
  await expect.poll(async () => (await heard(page)).some(({ state }) =>
    (state as { state?: string } | undefined)?.state === 'running')).toBe(true);
  await ask(page, { cmd: 'stop' });
  expect(await running).toMatchObject({ ok: true, result: { stopReason: 'cancelled' } });
});

test('what is wrong is answered, and what is of others is not heard', async ({
  playground, page,
}) => {
  await playground.idle();
  await openAround(page, '?test=1&embed=1&pane=registers#v=1&ex=power');
  expect(await ask(page, { cmd: 'explode' })).toMatchObject({
    ok: false, error: { code: 'bad-message', message: expect.stringContaining('"explode"') },
  });
  expect(await ask(page, { cmd: 'run', tern: 2 })).toMatchObject({
    ok: false, error: { message: expect.stringContaining('version 1 here, not 2') },
  });
  expect(await ask(page, { cmd: 'load', example: 'no such' })).toMatchObject({
    ok: false, error: { message: "the gallery has no program 'no such'" },
  });
  expect(await ask(page, { cmd: 'load', example: 'dot' })).toMatchObject({
    ok: false, error: { message: expect.stringContaining("'dot' is for frames of vector loops") },
  });
  expect(await ask(page, { cmd: 'load', bytes: new Uint8Array([1, 2, 3]).toString() }))
    .toMatchObject({ ok: false, error: { code: 'bad-message' } });
  expect(await ask(page, { cmd: 'load', text: 'neither this nor that' }))
    .toMatchObject({ ok: false, error: { code: expect.stringMatching(/^E\d{4}$/) } });

  // Others: a window that is not the parent, and messages of another kind.
  const inside = page.frames().find((frame) => frame.url().includes('embed=1'))!;
  const before = (await heard(page)).length;
  await inside.evaluate(() => window.postMessage({ tern: 1, id: 5, cmd: 'step' }, '*'));
  await page.evaluate(() => {
    const frame = document.createElement('iframe');
    document.body.append(frame);
    const script = frame.contentDocument!.createElement('script');
    script.textContent =
      'parent.frames[0].postMessage({ tern: 1, id: 6, cmd: "step" }, "*")';
    frame.contentDocument!.body.append(script);
    window.frames[0]!.postMessage({ type: 'somebody else' }, '*');
  });
  const state = await ask(page, { cmd: 'state' });
  expect(state).toMatchObject({ ok: true, result: { step: 0 } });
  const since = (await heard(page)).slice(before);
  expect(since.filter(({ id }) => id === 5 || id === 6)).toEqual([]);
});

test('files of the visitor are not told', async ({ playground, page }) => {
  await playground.idle();
  await openAround(page, '?test=1&embed=1&pane=program#v=1&ex=power');
  const inside = page.frameLocator('iframe').first();
  expect((await ask(page, { cmd: 'state' })).result).toHaveProperty('registers');
  const own = '.func @mine(x: int) -> int\n  add %0, 1 dst: %0\n  ret ret %0\n';
  await inside.getByTestId('open-file').setInputFiles({
    name: 'mine.tasm', mimeType: 'text/plain', buffer: Buffer.from(own),
  });
  await inside.locator('body').evaluate(() => window.ternPlayground.idle());
  await expect(inside.getByTestId('pane-program')).toContainText('mine.tasm');
  const { result } = await ask(page, { cmd: 'state' });
  expect(result).toMatchObject({ withheld: true, step: 0 });
  expect(JSON.stringify(result)).not.toContain('mine');
  // A program that is refused does not take its place; one that runs does.
  expect(await ask(page, { cmd: 'load', bytes: new Uint8Array([1, 2, 3]).toString() }))
    .toMatchObject({ ok: false });
  expect(await ask(page, { cmd: 'load', text: 'fn main() -> int { nothing }' }))
    .toMatchObject({ ok: false });
  expect((await ask(page, { cmd: 'state' })).result).toHaveProperty('withheld');
  expect(await ask(page, { cmd: 'load', example: 'power' })).toMatchObject({ ok: true });
  expect((await ask(page, { cmd: 'state' })).result).toHaveProperty('registers');
});
