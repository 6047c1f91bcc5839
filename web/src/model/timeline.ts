// SPDX-License-Identifier: Apache-2.0
// The line of a recorded run: the numbers below it, what a place on it is called, its table.
import type { ProgramInfo, TimelineView } from 'tern-runtime';
import { rowAt } from './instructions.js';

export interface TimelineMark {
  /** In percent of the line. */
  at: number;
  text: string;
}

const kMostMarks = 9;

/** 1, 2 or 5 times a power of ten, so that at most so many of it fit. */
export function stepOfMarks(length: number): number {
  let unit = 1;
  for (;;) {
    for (const factor of [1, 2, 5]) {
      if (length / (unit * factor) <= kMostMarks - 1) return unit * factor;
    }
    unit *= 10;
  }
}

/** Round numbers within the record. */
export function timelineMarks({ first, end }: { first: number; end: number }): TimelineMark[] {
  const length = end - first;
  if (!(length > 0) || !Number.isFinite(length)) return [];
  const unit = stepOfMarks(length);
  const marks: TimelineMark[] = [];
  for (let step = Math.ceil(first / unit) * unit; step <= end; step += unit) {
    const digits = String(step).replace(/\B(?=(\d{3})+$)/g, '\u202f');
    marks.push({ at: (100 * (step - first)) / length, text: digits });
  }
  return marks;
}

const digits = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, '\u202f');

/** What of a session says where the cursor is. */
export interface Place {
  steps: number;
  end: number;
  /** The innermost frame; none after the return. */
  frame: { function: string; pc: number } | undefined;
}

/** "step 120 of 5 341, pc 37 in main, call matmul". */
export function placeText({ steps, end, frame }: Place, info: ProgramInfo | undefined): string {
  const step = `step ${digits(steps)} of ${digits(end)}`;
  if (!frame) return `${step}, returned`;
  const row = info && rowAt(info, frame.pc);
  const what = row ? `, ${[row.opcode, row.callee].filter(Boolean).join(' ')}` : '';
  return `${step}, pc ${frame.pc} in ${frame.function}${what}`;
}

export interface TimelineRow {
  first: number;
  last: number;
  depth: number;
  allocated: number;
  breakpoints: number;
  notFinite: number;
}

/** The picture as rows: one for each part of the time. */
export function timelineRows(view: TimelineView): TimelineRow[] {
  const { first, end, stepsPerBucket } = view;
  return view.depth.map((depth, i) => {
    const begin = first + i * stepsPerBucket;
    const after = Math.min(begin + stepsPerBucket, end);
    return {
      first: begin, last: after - 1, depth, allocated: view.allocated[i] ?? 0,
      breakpoints: view.breakpoints[i] ?? 0,
      notFinite: view.notFinite.filter((step) => step >= begin && step < after).length,
    };
  });
}
