// SPDX-License-Identifier: Apache-2.0
// Machines through the package: state, saved and replaced functions, limits (C32, C33, B29), and
// the debugger in its module (docs/debugging.md). Run by `node --test` after tools/build_web.sh.
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';

import { createRuntime, TernError } from '../../wasm/package/dist/index.js';

const kProgram = `
.func @main(a: int, b: int) -> (int, int)
  add   %0, %1 dst: %2
  invoke @twice in: %2 dst: %3
  alloc_adt tag: 0 in: %2, %3 dst: %3
  ret   ret %3
.func @twice(x: int)
  add   %0, %0 dst: %1
  ret   ret %1
.func @forever()
again:
  load_const int 0 dst: %0
  goto  again
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
  const now = runtime.memory();
  assert.equal(now.liveObjects, atStart.liveObjects, 'objects were leaked');
  assert.equal(now.hostFunctions, atStart.hostFunctions, 'functions were leaked');
});
after(() => runtime.dispose());

function refuses(f, code, words) {
  assert.throws(f, (error) => {
    assert.ok(error instanceof TernError, String(error));
    if (code) assert.equal(error.code, code);
    assert.match(error.message, words);
    return true;
  });
}

function withProgram(text, f) {
  const program = runtime.load(runtime.assemble(text));
  try {
    f(program);
  } finally {
    program.dispose();
  }
}

function withMachine(f, options) {
  withProgram(kProgram, (program) => {
    const machine = program.machine(options);
    try {
      f(machine);
    } finally {
      machine.dispose();
    }
  });
}

function withDebugger(text, f, options) {
  withProgram(text, (program) => {
    const debug = program.debugger(options);
    try {
      f(debug);
    } finally {
      debug.dispose();
    }
  });
}

describe('machines with state', () => {
  it('C32 inputs are set once, outputs fetched afterwards', () =>
    withMachine((machine) => {
      machine.setInput('main', { a: 3, b: 4 });
      machine.invokeStateful('main');
      assert.deepEqual(machine.getOutput('main'), [7, 14]);
      assert.equal(machine.getOutput('main', 1), 14);
      assert.equal(machine.outputArity('main'), 2);
      assert.equal(machine.outputArity('main', 0), undefined);
    }));
  it('C32 what comes too early or twice is refused', () =>
    withMachine((machine) => {
      refuses(() => machine.invokeStateful('main'), '', /inputs of @main are not set/);
      refuses(() => machine.getOutput('main'), '', /has no output yet/);
      machine.setInput('main', [1, 2]);
      refuses(() => machine.call('main', [1, 2]), '', /inputs of @main were set/);
      refuses(() => machine.begin('main', [1, 2]), '', /inputs of @main were set/);
      refuses(() => machine.setInput('main', [1, 'x']), 'E0205', /parameter/);
      machine.clearInput('main');
      assert.deepEqual(machine.call('main', [1, 2]), [3, 6]);
    }));
  it('C32 functions are saved with their arguments', () =>
    withMachine((machine) => {
      machine.saveFunction('twice', 'ten', [5]);
      assert.equal(machine.call('ten'), 10);
      refuses(() => machine.call('ten', [1]), '', /takes no arguments/);
      refuses(() => machine.saveFunction('twice', 'ten', [5]), '', /already/);
    }));
  it('C33 arity and parameter names', () =>
    withMachine((machine) => {
      assert.equal(machine.functionArity('main'), 2);
      assert.equal(machine.parameterName('main', 1), 'b');
      refuses(() => machine.parameterName('main', 2), '', /takes 2/);
      refuses(() => machine.functionArity('nobody'), 'E0206', /no function @nobody/);
    }));
  it('C32 calls are timed', () =>
    withMachine((machine) => {
      const timing = machine.timeEvaluator('twice', [5], 100, 3);
      assert.equal(timing.repeats.length, 3);
      assert.ok(timing.best >= 0 && timing.best <= timing.mean);
      refuses(() => machine.timeEvaluator('twice', [5], 0, 3), '', /0 calls/);
    }));
  it('B29 a function of JavaScript takes the place of bytecode, and gives it back', () =>
    withMachine((machine) => {
      let calls = 0;
      machine.replaceFunction('twice', (x) => {
        ++calls;
        return x * 2;
      });
      assert.deepEqual(machine.call('main', [3, 4]), [7, 14]);
      assert.equal(calls, 1);
      machine.replaceFunction('twice', null);
      assert.deepEqual(machine.call('main', [3, 4]), [7, 14]);
      assert.equal(calls, 1);
      refuses(() => machine.replaceFunction('nobody', () => 1), 'E0206', /nobody/);
    }));
  it('a time limit ends a run, and the machine goes on', () =>
    withMachine(
      (machine) => {
        refuses(() => machine.call('forever'), 'S0303', /time limit reached \(20 ms\)/);
        assert.equal(machine.call('twice', [2]), 4);
      },
      { maxTimeMs: 20 },
    ));
});

// The program of docs/debugging.md.
const kQuotients = `
.func @main()
  load_const int 12 dst: %0
  invoke @quotients in: %0, 3 dst: %1
  ret   ret %1
.func @quotients(n: int, k: int)
  load_const int 0 dst: %2
again:
  div   %0, %1 dst: %3
  add   %2, %3 dst: %2
  sub   %1, 1 dst: %1
  ge    %1, 0 dst: %4
  if    %4 true: again false: done
done:
  ret   ret %2
`;

describe('the debugger', () => {
  it('runs into a failure, goes back, mends and goes on', () =>
    withDebugger(kQuotients, (debug) => {
      assert.equal(debug.begin('main').reason, 'begun');
      assert.equal(debug.state().lastPc, undefined);
      const stop = debug.continue();
      assert.equal(stop.reason, 'trap(E0301)');
      assert.match(stop.text, /division of 12 by zero/);
      assert.equal(stop.step, 18);
      assert.equal(debug.state().lastPc, 8, 'the jump back to the division');
      const [frame] = debug.state().frames;
      assert.equal(frame.function, 'quotients');
      assert.equal(frame.registers[1].name, 'k');
      assert.equal(frame.registers[1].value.value, 0);
      const back = debug.stepBack(4);
      assert.equal(back.step, 14);
      assert.equal(back.past, true);
      assert.equal(debug.evaluate('%n / %k + 1000 * depth'), 2012);
      assert.equal(debug.run('seek', 17).step, 17);
      debug.setRegister(4, false);
      assert.equal(debug.continue().reason, 'returned');
      assert.equal(debug.result(), 22);
      assert.deepEqual(debug.results(), { output0: 22 });
    }));
  it('stops at breakpoints in both directions', () =>
    withDebugger(kQuotients, (debug) => {
      debug.begin('main');
      const id = debug.addBreakpoint('@quotients:1 if %k < 2');
      assert.equal(debug.continue().breakpoint, id);
      assert.equal(debug.register(1), 1);
      assert.equal(debug.breakpoints()[0].hits, 1);
      debug.enableBreakpoint(id, false);
      assert.equal(debug.continue().reason, 'trap(E0301)');
      debug.enableBreakpoint(id, true);
      assert.equal(debug.continueBack().reason, 'breakpoint');
      debug.removeBreakpoint(id);
      assert.equal(debug.continueBack().reason, 'start');
      assert.equal(debug.breakpoints().length, 0);
    }));
  it('gives a page time: slices, and budgets that can be raised', () =>
    withDebugger(
      kProgram,
      (debug) => {
        debug.begin('forever');
        assert.equal(debug.continue(1000).reason, 'slice');
        assert.equal(debug.run('resume', 0, 1000).step, 2000);
        assert.equal(debug.run('resume').reason, 'step-limit');
        assert.equal(debug.stop().step, 5000);
        debug.setBudgets({ maxSteps: 6000 });
        assert.equal(debug.continue().step, 6000);
      },
      { maxSteps: 5000 },
    ));
  it('keeps a record that is a file', () =>
    withDebugger(kQuotients, (debug) => {
      debug.begin('main');
      debug.continue();
      assert.equal(debug.trace().end, 18);
      const bytes = debug.saveTrace();
      assert.equal(new TextDecoder().decode(bytes.slice(0, 8)), 'TERNTRC1');
      assert.ok(Array.isArray(debug.heap().objects));
    }));
  it('refuses what makes no sense, and changes nothing', () =>
    withDebugger(kQuotients, (debug) => {
      refuses(() => debug.state(), 'E0304', /no run was begun/);
      refuses(() => debug.begin('nobody'), 'E0206', /nobody/);
      debug.begin('main');
      refuses(() => debug.addBreakpoint('@quotient'), '', /no function @quotient/);
      refuses(() => debug.evaluate('1 +'), 'E0304', /expected a register/);
      refuses(() => debug.register(99), '', /99/);
      refuses(() => debug.removeBreakpoint(7), '', /7/);
      assert.equal(debug.stop().step, 0);
      debug.dispose();
      refuses(() => debug.stop(), 'E0702', /disposed/);
    }));
  it('is missing from the module that only runs', async () => {
    const plain = await createRuntime();
    const program = plain.load(plain.assemble(kQuotients));
    refuses(() => program.debugger(), 'E0607', /createRuntime\(\{ debugger: true \}\)/);
    program.dispose();
    plain.dispose();
  });
});
