// SPDX-License-Identifier: Apache-2.0
// What the panes that debug compute from the core's answers.
import { createRuntime, type LifetimesView, type ObjectView, type Runtime, type TimelineView }
  from 'tern-runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  announcement, explainInstruction, explainRegister, type Facts,
} from '../../../web/src/model/explain.js';
import { foldFrames } from '../../../web/src/model/frames.js';
import { barSentence, barsOf, deadShare, rowsOf } from '../../../web/src/model/lifetimes.js';
import { retainingPath } from '../../../web/src/model/objects.js';
import { placeText, timelineRows } from '../../../web/src/model/timeline.js';

const kLifetimes: LifetimesView = {
  function: 'main', depth: 0, enter: 0, leave: 10, count: 3,
  registers: [{ index: 0, name: 'x' }, { index: 1, name: '' }],
  versions: {
    register: [0, 1, 1], number: [1, 1, 2], defined: [0, 1, 4], ended: [10, 4, 9],
    lastUse: [1, 1, 5], uses: [1, 0, 2], definedPc: [-1, 0, 1], endedPc: [-1, 1, 2],
    bytes: [0, 64, 2048], end: ['held', 'overwritten', 'killed'],
    wasThere: [true, false, false], kind: ['int', 'tensor', 'tensor'],
    type: ['int', 'f32[16]', 'f32[512]'],
  },
  cells: { register: [], column: [], count: [], bytes: [] }, stepsPerColumn: 1,
  byteSteps: 200, deadByteSteps: 74,
};

describe('registers over time', () => {
  const bars = barsOf(kLifetimes);
  it('are bars with a sentence each', () => {
    expect(barSentence(bars[0]!)).toBe(
      '%0·1 int was there from the beginning, was read once, by step 1 and is still held.');
    expect(barSentence(bars[1]!)).toBe(
      '%1·1 f32[16] (64 B) was written by step 1, was never read and was overwritten at step 4, ' +
      '3 steps after its last use.');
    expect(barSentence(bars[2]!)).toBe(
      '%1·2 f32[512] (2.0 KiB) was written by step 4, was read 2 times, last by step 5 and was ' +
      'killed at step 9, 4 steps after its last use.');
  });
  it('are sorted by register, first value or byte-steps', () => {
    expect(rowsOf(kLifetimes, bars, 'register')).toEqual([0, 1]);
    expect(rowsOf(kLifetimes, bars, 'first')).toEqual([0, 1]);
    expect(rowsOf(kLifetimes, bars, 'bytes')).toEqual([1, 0]);
  });
  it('have rows also where they are only summed up', () => {
    const summed = {
      ...kLifetimes, cells: { register: [4, 4], column: [0, 1], count: [9, 9], bytes: [0, 0] },
    };
    expect(rowsOf(summed, [], 'register')).toEqual([4]);
  });
  it('say which share is dead, where anything has bytes', () => {
    expect(deadShare(kLifetimes)).toBe('37 % of byte-steps are held but dead');
    expect(deadShare({ ...kLifetimes, byteSteps: 0, deadByteSteps: 0 })).toBeUndefined();
  });
});

const frame = (name: string, pc: number) => ({
  function: name, pc, instruction: '', registers: [],
});

describe('frames', () => {
  it('are lines of their own up to a hundred', () => {
    const frames = Array.from({ length: 100 }, () => frame('f', 3));
    expect(foldFrames({ frames }, undefined)).toHaveLength(100);
  });
  it('of a deep recursion are folded, and none is lost', () => {
    const frames = [frame('leaf', 9), ...Array.from({ length: 500 }, () => frame('f', 3)),
      frame('main', 1)];
    const lines = foldFrames({ frames }, undefined);
    expect(lines.map(({ function: name, index }) => `${name} ${index}`))
      .toEqual(['leaf 0', 'f 1', 'f 2', 'f 3', 'main 501']);
    expect(lines.reduce((sum, { folded }) => sum + 1 + folded, 0)).toBe(frames.length);
  });
});

const object = (id: number, holders: ObjectView['holders'], live = true): ObjectView => ({
  id, kind: 'tuple', type: 'tuple', bytes: 8, created: 0, createdPc: 0, released: null, live,
  leaked: false, references: 1, holders,
});

describe('why an object is alive', () => {
  it('is the way from a register', () => {
    const objects = [
      object(4, [{ text: '@main %3', id: 0 }]),
      object(7, [{ text: 'object 1, field 2', id: 4 }]),
    ];
    expect(retainingPath(objects, 7)).toBe('@main %3 → field 2 of #4 → #7 tuple');
  });
  it('ends where objects hold each other, or one is unknown', () => {
    const ring = [object(1, [{ text: 'object 2, item 0', id: 2 }]),
      object(2, [{ text: 'object 1, item 0', id: 1 }])];
    expect(retainingPath(ring, 1)).toContain('#1');
    expect(retainingPath(ring, 99)).toBeUndefined();
    expect(retainingPath([object(3, [], false)], 3)).toContain('is not alive');
  });
});

describe('the time line', () => {
  const view: TimelineView = {
    first: 10, end: 15, stepsPerBucket: 2, depth: [1, 2, 1], allocated: [0, 8, 0],
    breakpoints: [0, 1, 0], bands: [], notFinite: [13], readAll: true,
    calls: { function: [], depth: [], enter: [], leave: [] },
  };
  it('is a table too, whose last part may be shorter', () => {
    expect(timelineRows(view)).toEqual([
      { first: 10, last: 11, depth: 1, allocated: 0, breakpoints: 0, notFinite: 0 },
      { first: 12, last: 13, depth: 2, allocated: 8, breakpoints: 1, notFinite: 1 },
      { first: 14, last: 14, depth: 1, allocated: 0, breakpoints: 0, notFinite: 0 },
    ]);
  });
});

const kProgram = `
.func @main(x: tensor)
  call  softmax{axis=1} in: %0 dst: %1
  goto  out
out:
  ret   ret %1
`;

describe('explanations', () => {
  let runtime: Runtime;
  let facts: Facts;
  beforeAll(async () => {
    runtime = await createRuntime();
    await runtime.prepareCompiler();
    const program = runtime.load(runtime.assemble(kProgram));
    const { info } = program;
    program.dispose();
    const tensor = { kind: 'tensor', dtype: 'f32', shape: [2, 3] };
    const registers = [
      { index: 0, name: 'x', changed: false, value: tensor },
      { index: 1, changed: false, value: { kind: 'none' } },
    ];
    const state = { frames: [{ function: 'main', pc: 0, instruction: '', registers }] };
    facts = { info, state, frame: 0, bars: barsOf(kLifetimes) };
  });
  afterAll(() => runtime.dispose());

  it('name what an instruction reads, writes and where it goes', () => {
    expect(explainInstruction(0, facts)).toContain(
      'Instruction 0, call softmax, reads %0 (f32[2, 3]); writes %1. Calls a primitive');
    expect(explainInstruction(0, facts)).toContain('Its result: %1·1 f32[16]');
    expect(explainInstruction(1, facts)).toContain('may go to 2');
    expect(explainInstruction(99, facts)).toBe('There is no instruction 99.');
  });
  it('name what a register holds at a step', () => {
    expect(explainRegister(1, 6, facts)).toContain('%1 holds nothing now. %1·2 f32[512]');
    expect(explainRegister(0, 1, facts)).toMatch(/^%0 \(x\) holds f32\[2, 3\]/);
    expect(explainRegister(7, 1, facts)).toBe('The frame has no register %7.');
  });
  it('are announced in three levels', () => {
    expect(announcement('off', 'a', 'b')).toBe('');
    expect(announcement('short', 'a', 'b')).toBe('a');
    expect(announcement('full', 'a', 'b')).toBe('a. b');
  });
  it('begin with the place', () => {
    const at = { steps: 1, end: 5341, frame: { function: 'main', pc: 0 } };
    expect(placeText(at, facts.info)).toBe('step 1 of 5\u202f341, pc 0 in main, call softmax');
    expect(placeText({ ...at, frame: undefined }, facts.info)).toBe(
      'step 1 of 5\u202f341, returned');
  });
});
