// SPDX-License-Identifier: Apache-2.0
// The tour: tasks count in their order and stay counted, answers are held against figures, and
// what was kept is read with care.
import { describe, expect, it } from 'vitest';
import type { LaneRun } from '../../../web/src/engine/loops-protocol.js';
import { kGallery } from '../../../web/src/model/gallery.js';
import { kPresets, panesOf } from '../../../web/src/model/presets.js';
import {
  advance, kLessons, kNoProgress, readProgress, type TourFacts, wordsOf,
} from '../../../web/src/model/tour.js';

const kNothing: TourFacts = {
  program: '', codeLength: 0, step: 0, end: 0, hasReturned: false, depth: 0, addedTo: undefined,
  tensor: undefined, loop: '', n: 0, vscale: 1, hasCell: false, runs: {},
};

const run = (vectors: number, scalars: number, arith: number): LaneRun => ({
  vector_iterations: vectors, scalar_iterations: scalars, last_active: 2,
  instructions: { load: 0, store: 0, arith, predicate: 0, control: 0 },
}) as LaneRun;

const lessonOf = (id: string) => kLessons.find((lesson) => lesson.id === id)!;
const right = (id: string, facts: TourFacts): number[] =>
  lessonOf(id).choices.flatMap(({ holds }, i) => (holds(facts) ? [i] : []));

describe('the tour', () => {
  it('has six lessons, in panes of its preset, over entries of the gallery', () => {
    expect(kLessons.length).toBe(6);
    const panes = panesOf(kPresets.learn);
    for (const { opens, tasks } of kLessons) {
      expect(kGallery.map(({ id }) => id)).toContain(opens);
      for (const { pane } of tasks) expect(panes).toContain(pane);
    }
  });

  it('counts tasks in their order, only of its own program, and keeps them', () => {
    const facts = { ...kNothing, program: 'move_add_mul.tasm', step: 1 };
    expect(advance(kNoProgress, { ...facts, program: 'other.tasm' })).toBe(kNoProgress);
    const one = advance(kNoProgress, facts);
    expect(one.tasks).toEqual({ machine: 1 });
    expect(advance(one, { ...facts, step: 0 })).toBe(one);
    expect(advance(kNoProgress, { ...facts, step: 0, hasReturned: true })).toBe(kNoProgress);
  });

  it('finds no answer right where nothing is shown', () => {
    for (const { id, choices } of kLessons) {
      expect(right(id, kNothing), id).toEqual([]);
      for (const { text, says } of choices) {
        expect(wordsOf(text, kNothing)).not.toBe('');
        expect(wordsOf(says, kNothing)).not.toBe('');
      }
    }
  });

  it('takes the answer that the figures bear out, and another with other figures', () => {
    expect(right('machine', { ...kNothing, addedTo: 2 })).toEqual([1]);
    expect(right('time', { ...kNothing, end: 1200, codeLength: 9 })).toEqual([1]);
    const ofTensor = (shape: number[], bytes: number): number[] =>
      right('tensors', { ...kNothing, tensor: { shape, bytes } });
    expect(ofTensor([24, 24], 2304)).toEqual([1]);
    expect(ofTensor([3], 24)).toEqual([2]);
    const at18 = { ...kNothing, loop: 'vector_add', n: 18, vscale: 8 };
    const all = { fixed: run(4, 2, 42), cleanup: run(0, 18, 108), predicated: run(1, 0, 7) };
    expect(right('loops', { ...at18, runs: all })).toEqual([1]);
    expect(right('loops', { ...at18, n: 20, runs: all })).toEqual([]);
    expect(right('why', { ...at18, runs: all })).toEqual([1]);
    expect(right('why', { ...at18, runs: { ...all, cleanup: run(2, 2, 20) } })).toEqual([]);
    expect(right('vscale', { ...at18, vscale: 4, runs: all })).toEqual([2]);
  });

  it('reads what was kept, and takes anything else for nothing', () => {
    const kept = { lesson: 3, tasks: { machine: 2, none: 5 }, answered: ['machine', 'none'] };
    expect(readProgress(JSON.stringify(kept)))
      .toEqual({ lesson: 3, tasks: { machine: 2 }, answered: ['machine'] });
    for (const text of [null, '', '{', '5', '[]', '{"lesson":"x","tasks":7,"answered":{}}'])
      expect(readProgress(text), String(text)).toEqual(kNoProgress);
    expect(readProgress('{"lesson":99,"tasks":{"machine":99}}'))
      .toEqual({ lesson: 5, tasks: { machine: 3 }, answered: [] });
  });
});
