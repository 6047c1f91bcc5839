// SPDX-License-Identifier: Apache-2.0
// The program behind tools/bench/page. Each row is measured in pages of its own, one a round; times
// are milliseconds in the page, from an act until its workers have answered, scripts have run and
// the page is laid out. Scripts that ask for the next frame get it at once, or every time would be
// a multiple of 16.7 ms; rows of frames (`paced`) are measured with those of the browser.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { openChromium } from '../demo/chromium.mjs';
import { kRoot } from '../models/targets.mjs';
import {
  countingTo,
  functions,
  kEndless,
  longText,
  square,
  straight,
} from './page_programs.mjs';
import { framesOfRun, starting, stopping, stoppingKernel } from './page_start.mjs';

function usage(problem) {
  console.error(`bench/page: ${problem}`);
  process.exit(2);
}

function parseArguments(args) {
  const options = { json: undefined, trace: undefined, rounds: 3, markdown: false, names: [] };
  for (let i = 0; i < args.length; i++) {
    const value = () => args[++i] ?? usage(`${args[i - 1]} needs a value`);
    if (args[i] === '--json') options.json = value();
    else if (args[i] === '--trace') options.trace = value();
    else if (args[i] === '--rounds') options.rounds = Number(value());
    else if (args[i] === '--markdown') options.markdown = true;
    else if (args[i].startsWith('--')) usage(`unknown option '${args[i]}'`);
    else options.names.push(args[i]);
  }
  if (!Number.isInteger(options.rounds) || options.rounds < 1)
    usage(`--rounds takes a whole number of at least 1, not ${options.rounds}`);
  return options;
}

/** Runs in the page before its scripts: no frame is waited for. */
function hurryFrames() {
  const waiting = new Map();
  const { port1, port2 } = new MessageChannel();
  let last = 0;
  port1.onmessage = ({ data }) => {
    const act = waiting.get(data);
    waiting.delete(data);
    act?.(performance.now());
  };
  window.requestAnimationFrame = (act) => {
    waiting.set(++last, act);
    port2.postMessage(last);
    return last;
  };
  window.cancelAnimationFrame = (id) => waiting.delete(id);
}

/** Runs in the page, before a measurement: what all of them use. */
function addTools() {
  const { ternPlayground } = window;
  const byId = (id) => document.querySelector(`[data-testid="${id}"]`);
  /** How long an act takes, until nothing is under way and the page is laid out. */
  const time = async (act) => {
    const begin = performance.now();
    await act();
    await ternPlayground.idle();
    void document.body.offsetHeight;
    return performance.now() - begin;
  };
  const times = async (count, act) => {
    const all = [];
    for (let i = 0; i < count; i++) all.push(await time(() => act(i)));
    return all;
  };
  /** Looks once a frame. */
  const until = async (holds) => {
    while (!holds()) await new Promise((resolve) => requestAnimationFrame(resolve));
  };
  /** Times between frames while `act` is called in each, for `seconds`. */
  const frames = (seconds, act) =>
    new Promise((resolve) => {
      const all = [];
      const begin = performance.now();
      let last;
      const next = (now) => {
        if (last !== undefined) all.push(now - last);
        last = now;
        act(all.length);
        if (performance.now() - begin < 1000 * seconds) requestAnimationFrame(next);
        else resolve(all);
      };
      requestAnimationFrame(next);
    });
  /** From a key of the browser until what follows it has run, in `watched`. */
  const watch = (type) => {
    const all = [];
    addEventListener(type, ({ timeStamp }) => {
      requestAnimationFrame(() => setTimeout(() => all.push(performance.now() - timeStamp)));
    }, true);
    window.watched = all;
  };
  const key = (target, name, more = {}) =>
    target.dispatchEvent(
      new KeyboardEvent('keydown', { key: name, bubbles: true, cancelable: true, ...more }),
    );
  const load = (text, name) => ternPlayground.load(new TextEncoder().encode(text), name);
  window.bench = { byId, time, times, until, frames, watch, key, load };
}

/** Acts of a kind in one page: the criteria speak of 95 of at least 200. */
const kActs = 200;

const run = (page, measure, argument) => page.evaluate(measure, argument);

const load = (page, text, name = 'bench.tasm') =>
  run(page, async ([source, file]) => {
    await window.bench.load(source, file);
    await window.ternPlayground.idle();
    const { problems } = window.ternPlayground.state();
    if (problems.length > 0) throw new Error(problems[0].text);
  }, [text, name]);

const nothing = (page) => run(page, () => window.bench.times(100, () => undefined));

async function steps(page) {
  await load(page, straight(10_000));
  return run(page, async (count) => {
    const { ternPlayground, bench } = window;
    await ternPlayground.step(5000);
    return bench.times(count, (i) =>
      (i % 2 === 0 ? ternPlayground.step() : ternPlayground.stepBack()));
  }, kActs);
}

async function seeks(page) {
  await load(page, kEndless);
  return run(page, async (count) => {
    const { ternPlayground, bench } = window;
    await ternPlayground.step(1_000_000);
    const { first, end } = ternPlayground.state().trace;
    if (end - first < 999_000) throw new Error(`only ${end - first} steps are recorded`);
    return bench.times(count, (i) => ternPlayground.seek(first + ((i * 618_033) % (end - first))));
  }, kActs);
}

const vscales = (n) => (page) =>
  run(page, async ([size, count]) => {
    const { ternPlayground, bench } = window;
    await ternPlayground.show('lanes');
    await ternPlayground.loadLoops('vector_add');
    await ternPlayground.setSize(size);
    await ternPlayground.idle();
    return bench.times(count, (i) => ternPlayground.setVscale(1 + (i % 16)));
  }, [n, kActs]);

async function scrolling(page) {
  await load(page, straight(100_000));
  return run(page, async () => {
    const { byId, frames } = window.bench;
    const grid = byId('bytecode-grid');
    let rows = 0;
    const found = await frames(2, () => {
      grid.scrollTop += 2000;
      rows = Math.max(rows, grid.querySelectorAll('[data-row-id]').length);
    });
    if (grid.scrollTop < 10_000) throw new Error('the bytecode did not scroll');
    if (rows > 200) throw new Error(`${rows} rows were in the page`);
    return found;
  });
}

/** A text of 2 000 lines in the editor, which has the focus at its end. */
async function openText(page) {
  await load(page, longText(2000), 'bench.tn');
  await page.getByTestId('tab-source').click();
  await page.getByTestId('editor').click();
  await page.keyboard.press('Control+End');
  await run(page, () => window.ternPlayground.idle());
}

async function typing(page) {
  await openText(page);
  await run(page, () => window.bench.watch('keydown'));
  for (let i = 0; i < kActs; i++) {
    await page.keyboard.press(i % 10 === 0 ? 'Enter' : '/');
    // The next one is not to wait for this one.
    await run(page, async (count) => {
      while (window.watched.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
    }, i + 1);
  }
  return run(page, async () => {
    await window.ternPlayground.idle();
    return window.watched;
  });
}

async function findings(page) {
  await openText(page);
  return run(page, async () => {
    const { ternPlayground } = window;
    const { text } = ternPlayground.state().source;
    const all = [];
    for (let i = 0; i < 8; i++) {
      const begin = performance.now();
      await ternPlayground.editSource(`${text}// ${'x'.repeat(i + 1)}\n`);
      if (!ternPlayground.state().source.read) throw new Error('the text was not read');
      void document.body.offsetHeight;
      all.push(performance.now() - begin);
      // The colours of words come after what is wrong with them.
      await ternPlayground.idle();
    }
    return all;
  });
}

/** A large tensor is in two registers, and the inspector is open. */
async function openTensor(page) {
  await load(page, square(4096));
  await run(page, async () => {
    await window.ternPlayground.step();
    await window.ternPlayground.idle();
  });
  await page.locator('#tab-inspector').click();
  await run(page, () => window.ternPlayground.idle());
}

async function tensors(page) {
  await openTensor(page);
  return run(page, async () => {
    const { byId, until } = window.bench;
    const all = [];
    for (let i = 0; i < 10; i++) {
      const begin = performance.now();
      document.querySelector(`[data-testid=registers] [data-row-id="${i % 2}"] button`).click();
      await until(() =>
        byId('inspector-heatmap')?.getAttribute('aria-label').startsWith(`Heatmap of %${i % 2}`));
      void document.body.offsetHeight;
      all.push(performance.now() - begin);
      // The sum of all elements comes after the picture.
      await window.ternPlayground.idle();
    }
    return all;
  });
}

async function tensorRows(page) {
  await openTensor(page);
  await page.locator('[data-testid=registers] [data-row-id="1"] button').first().click();
  await page.getByTestId('inspect-table').click();
  return run(page, async (count) => {
    await window.ternPlayground.idle();
    const grid = window.bench.byId('value-grid');
    const scroller = [grid, grid.parentElement].find((each) =>
      each.scrollHeight > each.clientHeight + 1000);
    return window.bench.times(count, (i) => {
      scroller.scrollTop = ((i * 7919) % 4000) * 22;
      // The browser tells of it with its next frame only.
      scroller.dispatchEvent(new Event('scroll'));
    });
  }, kActs);
}

async function links(page) {
  await load(page, straight(10_000));
  return run(page, (count) => {
    const grid = window.bench.byId('bytecode-grid');
    grid.focus();
    return window.bench.times(count, () => window.bench.key(document.activeElement, 'ArrowDown'));
  }, kActs);
}

/** As visitors do for a second before they drop a file: the page fetches its compiler then. */
const dragFile = (page) =>
  run(page, async () => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([''], 'bench.tasm'));
    for (const type of ['dragover', 'dragleave'])
      document.dispatchEvent(new DragEvent(type, { dataTransfer, cancelable: true }));
    await new Promise((resolve) => setTimeout(resolve, 1000));
    await window.ternPlayground.idle();
  });

/** From when the page asks its worker for a program until the worker has it, ready to run. */
const watchWorker = (page) =>
  run(page, () => {
    const post = Worker.prototype.postMessage;
    window.watched = [];
    Worker.prototype.postMessage = function (message, ...rest) {
      const begin = performance.now();
      const hear = ({ data }) => {
        if (data.id !== message.id || !('ok' in data)) return;
        this.removeEventListener('message', hear);
        window.watched.push(performance.now() - begin);
      };
      if (message.kind === 'load') this.addEventListener('message', hear);
      post.call(this, message, ...rest);
    };
  });

/**
 * Until the bytecode of a program is in the page, or only until the worker has answered; each has
 * an instruction more.
 */
const loads = (count, times, inWorker = false) => async (page) => {
  await dragFile(page);
  await watchWorker(page);
  const shown = await run(page, async (texts) => {
    const { byId, load, until } = window.bench;
    const rows = () => byId('bytecode-grid')?.getAttribute('aria-rowcount');
    const all = [];
    for (const text of texts) {
      const before = rows();
      const begin = performance.now();
      await load(text, 'bench.tasm');
      await until(() => rows() !== before);
      void document.body.offsetHeight;
      all.push(performance.now() - begin);
      await window.ternPlayground.idle();
    }
    return all;
  }, Array.from({ length: times }, (_, i) => straight(count + i)));
  return inWorker ? run(page, () => window.watched) : shown;
};

async function openPalette(page) {
  await load(page, functions(450));
  await page.keyboard.press('Control+k');
  await page.getByTestId('palette-field').waitFor();
  await run(page, () => window.ternPlayground.idle());
}

async function palette(page) {
  await openPalette(page);
  return run(page, async () => {
    const { byId, key, time } = window.bench;
    const all = [];
    for (let i = 0; i < 20; i++) {
      byId('palette').close();
      // That it was closed is told by a task of its own.
      await new Promise((resolve) => setTimeout(resolve, 5));
      await window.ternPlayground.idle();
      all.push(await time(() => key(document.body, 'k', { ctrlKey: true })));
      if (!byId('palette-field')) throw new Error('the palette did not open');
    }
    return all;
  });
}

async function filter(page) {
  await openPalette(page);
  return run(page, (count) => {
    const words = ['f', 'fu', 'func', 'function', 'function_1', 'step', 'pane', ''];
    const field = window.bench.byId('palette-field');
    return window.bench.times(count, (i) => {
      field.value = words[i % words.length];
      field.dispatchEvent(new Event('input', { bubbles: true }));
    });
  }, kActs);
}

/** How much larger, in percent, the page is after 50 programs more than after so many. */
const growthAfter = (turns) => async (page) => {
  const client = await page.context().newCDPSession(page);
  const cycles = (count) =>
    run(page, async ([text, rounds]) => {
      for (let i = 0; i < rounds; i++) {
        await window.bench.load(text, 'bench.tasm');
        await window.ternPlayground.run();
        await window.ternPlayground.reset();
      }
      await window.ternPlayground.idle();
    }, [countingTo(100), count]);
  const used = async () => {
    await client.send('HeapProfiler.collectGarbage');
    return (await client.send('Runtime.getHeapUsage')).usedSize;
  };
  await cycles(turns);
  const before = await used();
  await cycles(50);
  return [100 * ((await used()) / before - 1)];
};

/**
 * How many times as long as without a record a run with one takes; `turns` of each are timed as
 * one, because a loop of 300 000 instructions is over within a millisecond.
 */
const recording = (name, text, argument, turns) => (page) =>
  run(page, async ([source, size, program, repeats]) => {
    const { createRuntime } = await import('/tern/index.js');
    const runtime = await createRuntime({ debugger: '/debug/tern-debug.wasm' });
    const loaded = program
      ? runtime.load(new Uint8Array(await (await fetch(program)).arrayBuffer()))
      : runtime.load(runtime.assemble(source));
    const { params } = loaded.info.functions.find((each) => each.name === 'main');
    const args = params.map(({ dtype }) => (dtype
      ? { dtype, shape: [64, 1, 28, 28], data: new Float32Array(64 * 28 * 28) } : size));
    const machine = loaded.machine();
    const debug = loaded.debugger();
    const timed = (act) => {
      const begin = performance.now();
      for (let i = 0; i < repeats; i++) act();
      return performance.now() - begin;
    };
    const plain = () => machine.run('main', args);
    const recorded = () => {
      debug.begin('main', args);
      debug.continue();
    };
    // The browser compiles what runs often once more, beside the run.
    timed(plain);
    timed(recorded);
    await new Promise((resolve) => setTimeout(resolve, 2000));
    return Array.from({ length: 5 }, () => {
      const without = timed(plain);
      return timed(recorded) / without;
    });
  }, [text, argument, name, turns]);

/** `chainModel` of the page's tests, whose language Node does not read. */
async function chainModel(count) {
  const { transpileModule, ModuleKind } =
    createRequire(join(kRoot, 'web/package.json'))('typescript');
  const text = readFileSync(join(kRoot, 'tests/web/support/onnx.ts'), 'utf8');
  const { outputText } = transpileModule(text, { compilerOptions: { module: ModuleKind.ESNext } });
  const helpers = await import(`data:text/javascript,${encodeURIComponent(outputText)}`);
  const operators = Array.from({ length: count }, (_, i) => (i % 2 === 0 ? 'Neg' : 'Relu'));
  return [...helpers.chainModel(operators)];
}

const kNodes = 5000;

/** A large model is loaded, its graph not yet shown. */
async function openModel(page) {
  await run(page, async (bytes) => {
    await window.ternPlayground.load(new Uint8Array(bytes), 'chain.onnx');
    await window.ternPlayground.idle();
    const { problems } = window.ternPlayground.state();
    if (problems.length > 0) throw new Error(problems[0].text);
  }, await chainModel(kNodes));
}

/** Until a condition on the graph's pane holds. */
const layout = (isThere) => async (page) => {
  await openModel(page);
  return run(page, async (condition) => {
    const holds = new Function('pane', `return ${condition}`);
    const begin = performance.now();
    window.bench.byId('tab-graph').click();
    await window.bench.until(() => holds(document.querySelector('[data-pane=graph]')));
    return [performance.now() - begin];
  }, isThere);
};

const kIsBegun = `Boolean(pane?.querySelector('[data-testid=graph-picture]'))`;
const kIsDone = `${kIsBegun} && !/Laying out|Reading/.test(pane.textContent)`;

async function panning(page) {
  await layout(kIsDone)(page);
  return run(page, () => {
    const canvas = window.bench.byId('graph-picture');
    const { left, top } = canvas.getBoundingClientRect();
    const send = (type, at) => canvas.dispatchEvent(new PointerEvent(type, {
      pointerId: 1, buttons: 1, bubbles: true, clientX: left + 60 + at, clientY: top + 60 + at,
    }));
    // Pointers that only a script makes cannot be captured.
    canvas.setPointerCapture = () => undefined;
    window.bench.byId('graph-whole')?.click();
    send('pointerdown', 0);
    return window.bench.frames(2, (i) => send('pointermove', i % 200));
  });
}

/**
 * Every row: what is done, and what no more than 1 in 20 may exceed. `L…` are the names that the
 * criteria have.
 */
const kRows = [
  { name: 'nothing', of: 'what measuring takes', target: null, measure: nothing },
  { name: 'L1 step, back', of: '10 000 instructions', target: 8, measure: steps },
  { name: 'L2 go to any step', of: '1 000 000 recorded steps', target: 16, measure: seeks },
  { name: 'L3 vscale, N = 1 000', of: 'vector_add', target: 16, measure: vscales(1000) },
  { name: 'L3 vscale, N = 100 000', of: 'vector_add', target: 16, measure: vscales(100_000) },
  {
    name: 'L4 scrolling the bytecode', of: '100 000 rows, time between frames', target: 50,
    paced: true, measure: scrolling,
  },
  { name: 'L5 a key in the editor', of: '2 000 lines', target: 16, measure: typing },
  {
    name: 'L5 findings after typing', of: '2 000 lines, with the pause of 120 ms', target: 250,
    measure: findings,
  },
  { name: 'L6 a tensor’s picture', of: '4096 × 4096 float32', target: 150, measure: tensors },
  { name: 'L6 scrolling its table', of: '4096 × 4096 float32', target: 16, measure: tensorRows },
  {
    name: 'L7 the row at hand, with what belongs to it', of: '10 000 instructions', target: 16,
    measure: links,
  },
  {
    name: 'L8 loading, in the worker', of: '10 000 instructions of assembly', target: 150,
    measure: loads(10_000, 6, true),
  },
  {
    name: 'L8 loading', of: 'the same, until the page shows it', target: 150,
    measure: loads(10_000, 6),
  },
  {
    name: 'L8 loading much', of: '100 000 instructions of assembly, until the page shows them',
    target: 1500, measure: loads(100_000, 1),
  },
  { name: 'L9 opening the palette', of: '450 functions', target: 50, measure: palette },
  { name: 'L9 a letter in the palette', of: '450 functions', target: 16, measure: filter },
  {
    name: 'L10 growth of the heap', of: '50 × load, run, reset', unit: '%', target: 5,
    measure: growthAfter(5),
  },
  {
    name: 'L10 growth of the heap, warm', of: 'the same, after 100 turns', unit: '%', target: 5,
    measure: growthAfter(100),
  },
  {
    name: 'L11 recording, of instructions', of: 'a loop of 300 000, against no record', unit: '×',
    target: 2.5, measure: recording('', countingTo(100_000), 0, 20),
  },
  {
    name: 'L11 recording, of kernels', of: '64 digits, against no record', unit: '×', target: 1.1,
    measure: recording('/models/digits.tern', '', 0, 8),
  },
  { name: 'R1 stopping', of: 'a loop without an end', target: 100, measure: stopping },
  {
    name: 'R1 frames while it runs', of: 'a loop without an end, time between frames', target: 33,
    paced: true, measure: framesOfRun,
  },
  {
    name: 'R2 stopping a kernel', of: 'matmul, 3000 × 3000, until the page goes on', target: 500,
    measure: stoppingKernel,
  },
  { name: 'S7 first paint', of: 'this machine', target: 300, measure: starting('paint', false) },
  {
    name: 'S7 first paint, slow', of: 'processor 4 times as slow, 1.6 Mbit/s, 150 ms',
    target: 1800, measure: starting('paint', true),
  },
  {
    name: 'S7 ready, slow', of: 'the same, until the digits can be run', target: 4500,
    measure: starting('ready', true),
  },
  {
    name: 'S7 ready, slow, unpacked', of: 'the same, from a host that sends files as they are',
    target: null, packs: false, measure: starting('ready', true),
  },
  {
    name: 'S8 long tasks', of: 'the longest after the first paint', target: 100,
    measure: starting('task', false),
  },
  { name: 'graph: the first boxes', of: '5 000 nodes', target: null, measure: layout(kIsBegun) },
  { name: 'graph: all boxes', of: '5 000 nodes', target: null, measure: layout(kIsDone) },
  {
    name: 'graph: moving the picture', of: '5 000 nodes, time between frames', target: 50,
    paced: true, measure: panning,
  },
];

// Of the browser's trace: what takes time on each thread, and which functions.
const kTraced = ['devtools.timeline', 'v8', 'disabled-by-default-v8.cpu_profiler'];

/** With a `trace` the browser writes down there what it does in the meantime. */
async function measure(row, trace) {
  const opened = await openChromium({
    '/play/': join(kRoot, 'web/dist'),
    '/tern/': join(kRoot, 'wasm/package/dist'),
    '/debug/': join(kRoot, 'wasm/package-debug'),
    '/models/': join(kRoot, 'web/made'),
  }, {
    viewport: { width: 1440, height: 900 }, packs: row.packs ?? true,
  });
  try {
    const { page } = opened;
    if (!row.paced) await page.addInitScript(hurryFrames);
    await page.goto(new URL('/play/index.html?test=1', page.url()).href);
    await page.waitForFunction(() => 'ternPlayground' in window);
    await page.evaluate(async () => {
      await window.ternPlayground.ready;
      await window.ternPlayground.idle();
    });
    await page.evaluate(addTools);
    if (!trace) return await row.measure(page);
    const browser = page.context().browser();
    await browser.startTracing(page, { path: trace, categories: kTraced });
    try {
      return await row.measure(page);
    } finally {
      await browser.stopTracing();
    }
  } finally {
    await opened.close();
  }
}

const quantile = (values, part) =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(part * values.length))];

function toRow({ name, of, unit = 'ms', target }, rounds) {
  const values = rounds.flat();
  const p95 = quantile(values, 0.95);
  return {
    bench: 'page', case: name, of, unit, count: values.length, median: quantile(values, 0.5), p95,
    target, met: target === null ? null : p95 <= target,
  };
}

const shown = (value) => (value === null ? '' : value.toFixed(Math.abs(value) < 10 ? 1 : 0));

function print(row) {
  const verdict = row.met === null ? '' : row.met ? 'met' : 'missed';
  console.log([
    row.case.padEnd(44), shown(row.median).padStart(8), shown(row.p95).padStart(8),
    row.unit.padEnd(2), shown(row.target).padStart(7), verdict,
  ].join(' '));
}

/** What docs/playground.md shows. */
function printMarkdown(rows) {
  const machine = `${cpus()[0].model}, ${cpus().length} processors`;
  console.log(`\n${machine}; load of the machine at the end ${loadavg()[0].toFixed(1)}\n`);
  console.log('| what | of | median | 95 of 100 | target |\n|---|---|---|---|---|');
  for (const { case: name, of, median, p95, unit, target } of rows) {
    const [middle, most, goal] = [median, p95, target].map((value) =>
      value === null ? '' : `${shown(value)} ${unit}`);
    console.log(`| ${name} | ${of} | ${middle} | ${most} | ${goal} |`);
  }
}

const options = parseArguments(process.argv.slice(2));
if (options.trace && (options.rounds !== 1 || options.names.length !== 1))
  usage('--trace is of one round of one row: give --rounds 1 and a NAME');
const isNamed = (part) => kRows.some(({ name }) => name === part);
const chosen = kRows.filter(({ name }) => options.names.length === 0 ||
  options.names.some((part) => (isNamed(part) ? name === part : name.includes(part))));
if (chosen.length === 0) usage(`no row has '${options.names.join("' or '")}' in its name`);
console.log(
  `${'page'.padEnd(44)} ${'median'.padStart(8)} ${'p95'.padStart(8)}    ${'target'.padStart(7)}`,
);
const rows = [];
let failed = 0;
for (const row of chosen) {
  const rounds = [];
  try {
    for (let round = 0; round < options.rounds; round++)
      rounds.push(await measure(row, options.trace));
    rows.push(toRow(row, rounds));
    print(rows.at(-1));
  } catch (error) {
    failed++;
    console.error(`bench/page: ${row.name}: ${error.message.split('\n')[0]}`);
  }
}
if (options.markdown) printMarkdown(rows);
if (options.json) writeFileSync(options.json, `${JSON.stringify(rows, null, 1)}\n`);
process.exit(failed > 0 ? 1 : 0);
