// SPDX-License-Identifier: Apache-2.0
// Where the numbers below the line of a recorded run stand.

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
