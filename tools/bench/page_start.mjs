// SPDX-License-Identifier: Apache-2.0
// What tools/bench/page measures of starting and stopping: the first paint and the first use of the
// page over a slow network with a slow processor, long tasks, and how soon a run hears of a stop.
import { kEndless } from './page_programs.mjs';

/** A fast 3G network as browsers' tools have it, and a processor four times as slow. */
const kSlow = { offline: false, latency: 150, downloadThroughput: 2e5, uploadThroughput: 93_750 };

/** A visit to the page with nothing kept from another one: times from its beginning. */
async function visit(page, isSlow) {
  const context = await page.context().browser().newContext({
    viewport: { width: 1440, height: 900 },
  });
  try {
    const opened = await context.newPage();
    if (isSlow) {
      const network = await context.newCDPSession(opened);
      await network.send('Network.enable');
      await network.send('Network.emulateNetworkConditions', kSlow);
      await network.send('Emulation.setCPUThrottlingRate', { rate: 4 });
    }
    await opened.addInitScript(() => {
      window.tasks = [];
      new PerformanceObserver((list) => window.tasks.push(...list.getEntries()
        .map(({ startTime, duration }) => ({ startTime, duration }))))
        .observe({ type: 'longtask', buffered: true });
    });
    await opened.goto(new URL('/play/index.html?test=1', page.url()).href);
    await opened.waitForFunction(() => 'ternPlayground' in window);
    return await opened.evaluate(async () => {
      await window.ternPlayground.ready;
      const ready = performance.now();
      const [{ startTime: paint }] = performance.getEntriesByName('first-contentful-paint');
      const late = window.tasks.filter(({ startTime }) => startTime > paint);
      return { paint, ready, task: Math.max(0, ...late.map(({ duration }) => duration)) };
    });
  } finally {
    await context.close();
  }
}

/** @param {'paint' | 'ready' | 'task'} what */
export const starting = (what, isSlow, count = 5) => async (page) => {
  const times = [];
  for (let i = 0; i < count; i++) times.push((await visit(page, isSlow))[what]);
  return times;
};

/** Begins a run, and measures from the button Stop to the end of it. */
const stops = (page, count, isUnderWay) => page.evaluate(async ([times, reads]) => {
  const { byId } = window.bench;
  const { ternPlayground } = window;
  const { dataset } = document.body;
  const until = async (holds) => {
    while (!holds()) await new Promise((resume) => setTimeout(resume, 1));
  };
  const all = [];
  for (let i = 0; i < times; i++) {
    const ended = ternPlayground.run();
    await until(() => dataset.state === 'running' && (!reads || Number(dataset.step) > 1000));
    if (!reads) await new Promise((resume) => setTimeout(resume, 200));
    const begin = performance.now();
    byId('stop').click();
    await until(() => dataset.state !== 'running');
    all.push(performance.now() - begin);
    await ended;
    await ternPlayground.idle();
    await ternPlayground.reset();
  }
  return all;
}, [count, isUnderWay]);

const load = (page, text) =>
  page.evaluate((source) => window.bench.load(source, 'bench.tasm'), text);

export async function stopping(page) {
  await load(page, kEndless);
  return stops(page, 20, true);
}

/** One instruction whose kernel is busy for seconds. */
export async function stoppingKernel(page) {
  await load(page, `.func @main(x: f32[3000, 3000])
  call  matmul  in: %0, %0  dst: %1
  call  matmul  in: %1, %0  dst: %1
  ret   ret %1
`);
  return stops(page, 5, false);
}

/** Times between frames while a program runs that does not end. */
export async function framesOfRun(page) {
  await load(page, kEndless);
  return page.evaluate(async () => {
    const ended = window.ternPlayground.run();
    const times = await window.bench.frames(3, () => undefined);
    window.bench.byId('stop').click();
    await ended;
    return times;
  });
}
