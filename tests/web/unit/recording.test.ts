// SPDX-License-Identifier: Apache-2.0
// The recorded run over a debugger that is made here, with a clock of its own: how long a command
// took, when it is ended, which steps there are, what budgets it may take.
import type { Debugger, DebugStop, Program } from 'tern-runtime';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Between, Recording } from '../../../web/src/engine/recording.js';

let now = 0;
beforeEach(() => {
  now = 1000;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** Each slice takes 3 ms; a command rests after so many. */
class SlicedDebugger {
  readonly budgets: { maxSteps: number; maxTimeMs: number; maxBytes: number }[] = [];
  readonly sought: number[] = [];
  private step = 0;
  private end = 0;
  private left = 0;

  constructor(private readonly slices: number) {}

  breakpoints(): [] {
    return [];
  }

  begin(): void {}

  setBudgets(budgets: SlicedDebugger['budgets'][number]): void {
    this.budgets.push(budgets);
  }

  run(command: string): DebugStop {
    if (command !== 'resume') this.left = this.slices;
    now += 3;
    this.end = this.step += 10;
    return this.stop(--this.left > 0 ? 'slice' : 'step');
  }

  seek(step: number): DebugStop {
    this.sought.push(step);
    now += 2;
    this.step = step;
    return this.stop('target');
  }

  stop(reason = 'step'): DebugStop {
    const { step, end } = this;
    return {
      reason, text: '', breakpoint: 0, step, first: 0, end, past: step < end, depth: 1,
    };
  }

  state(): object {
    return { frames: [], memory: { live: 0, peak: 0 } };
  }
}

function record(slices: number): { debug: SlicedDebugger; recording: Recording } {
  const debug = new SlicedDebugger(slices);
  const program = { debugger: () => debug as unknown as Debugger } as unknown as Program;
  return { debug, recording: new Recording(program, 'main', [], []) };
}

const kLimits = { steps: 500, milliseconds: 60, bytes: 7 };
const on: Between = { goOn: () => Promise.resolve(true), limits: kLimits };

test('a command took as long as all of its slices, with what was heard between them', async () => {
  const { recording } = record(4);
  const between: Between = {
    goOn: () => {
      now += 1;
      return Promise.resolve(true);
    },
    limits: kLimits,
  };
  expect(await recording.step(20, between)).toMatchObject({ milliseconds: 4 * 3 + 3 });
  expect(await record(1).recording.step(1, on)).toMatchObject({ milliseconds: 3 });
});

test('one that is ended took what it had taken, and keeps its steps', async () => {
  const { recording } = record(100);
  let turns = 0;
  const told: number[] = [];
  const view = await recording.run(false, {
    goOn: (steps, milliseconds) => {
      told.push(steps, milliseconds);
      return Promise.resolve(++turns < 3);
    },
    limits: kLimits,
  });
  expect(view).toMatchObject({ stop: 'cancelled', milliseconds: 9, trace: { first: 0, end: 30 } });
  expect(told).toEqual([10, 3, 20, 6, 30, 9]);
});

test('each command may take as much again as the limits say; none is no limit', async () => {
  const { debug, recording } = record(2);
  await recording.step(20, on);
  await recording.step(20, on);
  await recording.step(20, { ...on, limits: { steps: 0, milliseconds: 0, bytes: 0 } });
  expect(debug.budgets).toEqual([
    { maxSteps: 500, maxTimeMs: 60, maxBytes: 7 },
    { maxSteps: 20 + 500, maxTimeMs: 6 + 60, maxBytes: 7 },
    { maxSteps: 0, maxTimeMs: 0, maxBytes: 0 },
  ]);
});

test('steps that there are not become the nearest that there are', async () => {
  const { debug, recording } = record(3);
  await recording.step(30, on);
  for (const step of [-5, 1e9, 12.7, -Infinity, Infinity]) recording.seek(step);
  expect(debug.sought).toEqual([0, 30, 12, 0, 30]);
  expect(recording.seek(4)).toMatchObject({ milliseconds: 2, trace: { first: 0, end: 30 } });
});
