// SPDX-License-Identifier: Apache-2.0
// What the page asks about two runs: A, which is kept, and B, the one that is recorded now.
import type { TensorComparison, TraceComparison, TraceContents } from 'tern-runtime';

/** A register of both runs: behind a step, or where they begin. */
export interface ComparedPlace {
  /** States of the runs count from 0: state n is after n instructions. */
  readonly state: number;
  readonly register: number;
  /** 0 is the outermost. */
  readonly frame: number;
}

export type ComparisonRequest =
  | { kind: 'keepRun' }
  | { kind: 'dropKept' }
  | { kind: 'compareRuns'; most: number }
  /** What the record of a file is the record of. */
  | { kind: 'readSaved'; bytes: Uint8Array }
  /** The run that is shown with the record of a file; the first difference is enough. */
  | { kind: 'compareSaved'; bytes: Uint8Array }
  | { kind: 'compareValues'; place: ComparedPlace };

/** comparison: undefined where one of the two is no tensor. */
export type ComparisonAnswer =
  | { kind: 'savedRun'; contents: TraceContents }
  | { kind: 'comparedRuns'; comparison: TraceComparison }
  | { kind: 'comparedValues'; comparison: TensorComparison | undefined; shape: readonly number[] };

export interface ComparisonAnswerKinds {
  keepRun: 'done';
  dropKept: 'done';
  compareRuns: 'comparedRuns';
  readSaved: 'savedRun';
  compareSaved: 'comparedRuns';
  compareValues: 'comparedValues';
}
