// SPDX-License-Identifier: Apache-2.0
// Views of whole records and profiles through the package: what the page's panes draw.
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';

import { createRuntime, TernError } from '../../wasm/package/dist/index.js';

// Sums n, n - 1 … 1 by calls, and keeps tensors for longer than they are read.
const kProgram = `
.func @main(n: int)
  load_consti 7 dst: %1
  invoke @sum in: %0 dst: %2
  move  %1 dst: %3
  kill  %1
  ret   ret %2
.func @sum(n: int)
  if_equal %0, 0 true: +1 false: +2
  ret   ret 0
  sub   %0, 1 dst: %1
  invoke @sum in: %1 dst: %1
  add   %0, %1 dst: %1
  ret   ret %1
`;
const kShapes = `
.func @main(x: tensor)
  call  vm.builtin.alloc_shape_heap in: 2 dst: %1
  call  vm.builtin.match_shape in: %0, %1, "x[n, m]", 1, 0, 3, 3 dst: void
  call  vm.builtin.load_dim in: %1, 0 dst: %2
  ret   ret %2
`;

let runtime;
let atStart;
before(async () => {
  runtime = await createRuntime({ debugger: true });
});
beforeEach(() => {
  atStart = runtime.memory();
});
afterEach(() => {
  assert.equal(runtime.memory().liveObjects, atStart.liveObjects, 'objects were leaked');
});
after(() => runtime.dispose());

function withProgram(text, f) {
  const program = runtime.load(runtime.assemble(text));
  try {
    f(program);
  } finally {
    program.dispose();
  }
}

function withRun(text, args, f) {
  withProgram(text, (program) => {
    const debug = program.debugger();
    try {
      debug.begin('main', args);
      f(debug, program);
    } finally {
      debug.dispose();
    }
  });
}

function refuses(f, code, words) {
  assert.throws(f, (error) => {
    assert.ok(error instanceof TernError, String(error));
    assert.equal(error.code, code);
    assert.match(error.message, words);
    return true;
  });
}

describe('views of a record', () => {
  it('the time line is what stepping shows', () =>
    withRun(kProgram, [3], (debug) => {
      debug.continue();
      const view = debug.timeline();
      assert.equal(view.stepsPerBucket, 1);
      for (let step = 0; step < view.end; ++step) {
        debug.seek(step);
        assert.equal(view.depth[step], debug.stop().depth, `depth at ${step}`);
      }
      assert.equal(view.bands[0].reduce((a, b) => a + b), 1);
      const sums = view.calls.function.filter((number) => number === 1);
      assert.equal(sums.length, 4);
      const few = debug.timeline(3);
      assert.ok(few.depth.length <= 3);
      assert.equal(Math.max(...few.depth), 5);
    }));
  it('hits add up to the steps', () =>
    withRun(kProgram, [3], (debug) => {
      const { step } = debug.continue();
      const hits = debug.hits();
      assert.equal(hits.reduce((a, b) => a + b), step);
      assert.equal(hits[5], 4, '@sum was called with 3 to 0');
      assert.equal(hits[0], 1);
    }));
  it('lifetimes say what is held but dead', () =>
    withRun(kProgram, [1], (debug) => {
      debug.continue();
      const view = debug.lifetimes();
      assert.equal(view.function, 'main');
      const { versions } = view;
      const at = versions.register.findIndex((reg) => reg === 1);
      assert.deepEqual(
        [versions.kind[at], versions.type[at], versions.end[at], versions.definedPc[at]],
        ['tensor', 'i64[]', 'killed', 0]);
      assert.ok(view.deadByteSteps > 0 && view.deadByteSteps < view.byteSteps);
      assert.equal(view.count, versions.register.length);
      debug.seek(3);
      assert.equal(debug.lifetimes(0).function, 'sum');
      assert.equal(debug.lifetimes(1).function, 'main');
      refuses(() => debug.lifetimes(9), 'E0304', /there is no frame 9/);
    }));
  it('objects have a beginning and an end, and none is leaked', () =>
    withRun(kProgram, [1], (debug) => {
      debug.continue();
      const { objects, count } = debug.objects('all');
      assert.equal(count, 1);
      assert.equal(objects[0].created, 0);
      assert.equal(objects[0].createdPc, 0);
      assert.notEqual(objects[0].released, null);
      assert.equal(debug.objects('leaked').count, 0);
      assert.equal(debug.heapDifference(0, 1).added.length, 1);
      refuses(() => debug.heapDifference(0, 99), 'E0304', /step 99 is not recorded/);
      refuses(() => debug.objects('lost'), 'E0304', /live, all and leaked/);
    }));
  it('rules of shapes are sentences', () =>
    withRun(kShapes, [{ dtype: 'f32', shape: [2, 3], data: new Float32Array(6) }], (debug) => {
      debug.step(3);
      const { slots, rules, register } = debug.shapeHeap();
      assert.equal(register, 1);
      assert.deepEqual([slots[0].symbol, slots[0].value, slots[0].pc], ['n', 2, 1]);
      assert.equal(rules[0].sentence, 'axis 0 of x = 2 was stored as n in slot 0');
      assert.equal(rules[1].sentence, 'axis 1 of x = 3 as required');
    }));
  it('registers know who wrote them, instructions their bytes', () =>
    withRun(kProgram, [1], (debug) => {
      debug.step(1);
      assert.deepEqual(
        [debug.state().frames[0].registers[1].writtenBy, debug.state().frames[0].entered],
        [0, undefined]);
      debug.step(1);
      assert.equal(debug.state().frames[0].entered, 2);
      assert.match(debug.encoding()[0], /^22 02 [0-9a-f]{4} [0-9a-f]{4} 0000$/);
    }));
  it('need a run, except for the bytes', () =>
    withProgram(kProgram, (program) => {
      const debug = program.debugger();
      refuses(() => debug.timeline(), 'E0304', /no run was begun/);
      assert.equal(debug.encoding().length, 11);
      debug.dispose();
    }));
});

describe('walking', () => {
  // F2 and F3: any way to a step shows the same.
  it('forward and back, and going there at once, give the same state', () =>
    withRun(kProgram, [6], (debug) => {
      const { step: end } = debug.continue();
      debug.seek(0);
      const states = [];
      for (let step = 0; step < end; ++step) {
        states.push(JSON.stringify(debug.state().frames));
        debug.step(1);
      }
      let seed = 12345;
      const random = (below) => {
        seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
        return (seed >>> 8) % below;
      };
      for (let i = 0; i < 100; ++i) {
        const from = random(end);
        const count = 1 + random(end - from);
        debug.seek(from);
        assert.equal(JSON.stringify(debug.state().frames), states[from], `seek ${from}`);
        debug.step(count);
        debug.stepBack(count);
        assert.equal(JSON.stringify(debug.state().frames), states[from], `${count} steps there`);
      }
    }));
});

describe('profiles', () => {
  it('count what a record counts', () =>
    withRun(kProgram, [3], (debug, program) => {
      debug.continue();
      const hits = debug.hits();
      const profile = program.profile('main', [3], { repeat: 2 });
      try {
        for (const { pc, hits: count, nanoseconds } of profile.rows) {
          assert.equal(count, 2 * hits[pc]);
          assert.ok(nanoseconds >= 0);
        }
        const { names, events } = profile.events();
        assert.ok(names.includes('@sum'));
        assert.equal(events.filter(({ opens }) => opens).length, events.length / 2);
        assert.ok(Array.isArray(JSON.parse(profile.export('chrome')).traceEvents));
        refuses(() => profile.export('xml'), 'E0000', /there is no profile format 'xml'/);
      } finally {
        profile.dispose();
      }
    }));
});

describe('records that are compared', () => {
  const record = (text, args) => {
    let bytes;
    withRun(text, args, (debug) => {
      debug.continue();
      bytes = debug.saveTrace();
    });
    return bytes;
  };
  const kOther = kProgram.replace('load_consti 7', 'load_consti 8');

  it('are the same where the runs are', () => {
    const found = runtime.compareTraces(record(kProgram, [3]), record(kProgram, [3]));
    assert.deepEqual(found.divergences, []);
    assert.equal(found.more, false);
    assert.equal(found.common, found.a.end);
  });
  it('differ at the value that an edit changed, and where it went', () => {
    const found = runtime.compareTraces(record(kProgram, [1]), record(kOther, [1]));
    assert.deepEqual(
      found.divergences.map(({ kind, step, places, register, frame, a, b }) =>
        [kind, step, places[0], places[1], register, frame, a, b]).slice(0, 1),
      [['value', 0, '@main:0', '@main:0', 1, 0, 'i64[] [7]', 'i64[] [8]']]);
    assert.deepEqual(found.divergences[0].pcs, [0, 0]);
    // The register that it is moved to gets another value, too.
    assert.deepEqual(found.divergences.map(({ register }) => register), [1, 3]);
  });
  it('go different ways, and one goes on', () => {
    const found = runtime.compareTraces(record(kProgram, [1]), record(kProgram, [2]));
    assert.equal(found.divergences[0].kind, 'start');
    assert.deepEqual([found.divergences[0].a, found.divergences[0].b], ['1', '2']);
    const last = found.divergences.at(-1);
    assert.equal(last.kind, 'place');
    assert.notEqual(last.places[0], last.places[1]);
  });
  it('have as many differences told as are asked for', () => {
    const [a, b] = [record(kProgram, [1]), record(kOther, [1])];
    const one = runtime.compareTraces(a, b, 1);
    assert.equal(one.divergences.length, 1);
    assert.equal(one.more, true);
    assert.deepEqual(runtime.compareTraces(a, b, 0).divergences, []);
    assert.equal(runtime.compareTraces(a, b, 2).more, false);
  });
  it('say what they are the record of', () => {
    const read = runtime.readTrace(record(kProgram, [3]));
    assert.equal(read.first, 0);
    assert.ok(read.end > 3);
    assert.deepEqual(read.functions.map(({ name, first }) => [name, first]).slice(0, 1),
      [['main', 0]]);
    assert.deepEqual(read.call, { function: 'main', args: [3] });
  });
  it('refuse what is no record', () => {
    refuses(() => runtime.readTrace(new Uint8Array(80)), 'E0305', /not a readable trace/);
    const whole = record(kProgram, [1]);
    refuses(() => runtime.compareTraces(whole, whole.slice(0, 20)), 'E0305', /./);
    refuses(() => runtime.compareTraces(new Uint8Array(), whole), 'E0305', /./);
  });
});
