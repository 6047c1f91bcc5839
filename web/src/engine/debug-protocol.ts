// SPDX-License-Identifier: Apache-2.0
// What the panes that debug ask of the worker, beside stepping (protocol.ts).
import type {
  HeapDifference, LifetimesView, ObjectKind, ObjectsView, ProfileOperator, ProfileRow,
  ShapeHeapView, TensorPicture, TimelineView, Value,
} from 'tern-runtime';

/** Commands that go over calls, out of them, or to an instruction of the whole code. */
export type WalkCommand = 'next' | 'nextBack' | 'finish' | 'finishBack' | 'runTo';

/** A breakpoint as text: "nan", "alloc 64 KiB", "@main:3 if %0 > 2", "if EXPRESSION". */
export interface Watch {
  readonly id: number;
  readonly text: string;
  readonly enabled: boolean;
}

/** A watch as the core has it. */
export interface WatchState {
  readonly id: number;
  /** As the core spells it; empty where it does not understand it. */
  readonly text: string;
  readonly hits: number;
  /** How often its condition could not be evaluated, and why the last time. */
  readonly failures: number;
  readonly failure: string;
  /** What is wrong with the text. */
  readonly error: string;
}

/**
 * What a run may take until it rests: instructions and time of each command, and bytes that live at
 * once. 0: no limit.
 */
export interface RunLimits {
  readonly steps: number;
  readonly milliseconds: number;
  readonly bytes: number;
}

export const kDefaultLimits: RunLimits = {
  steps: 1e9, milliseconds: 60_000, bytes: 512 * 2 ** 20,
};

/** A small picture of the tensor in a register. */
export interface Thumbnail {
  readonly register: number;
  readonly picture: TensorPicture;
}

/** What is asked about a recorded run, and what comes back. */
export interface RunViews {
  timeline: { query: { buckets: number }; view: TimelineView };
  hits: { query: object; view: number[] };
  lifetimes: { query: { frame: number }; view: LifetimesView };
  objects: { query: { list: ObjectKind; parts: number }; view: ObjectsView };
  difference: { query: { from: number; to: number }; view: HeapDifference };
  shapes: { query: { frame: number }; view: ShapeHeapView };
  encoding: { query: object; view: string[] };
  /** Of a frame of the state that is looked at; only of tensors that are read soon. */
  thumbnails: { query: { registers: readonly number[]; frame: number }; view: Thumbnail[] };
}
export type RunViewName = keyof RunViews;
export type RunQuery = {
  [K in RunViewName]: { view: K } & RunViews[K]['query'];
}[RunViewName];
export type ViewOf<Q extends RunQuery> = RunViews[Q['view']]['view'];

export interface Times {
  rows: ProfileRow[];
  operators: ProfileOperator[];
  nanoseconds: number;
}

export type DebugRequestBody =
  | { kind: 'walk'; command: WalkCommand; argument: number }
  | { kind: 'view'; query: RunQuery }
  | { kind: 'watches'; watches: readonly Watch[] }
  | { kind: 'limits'; limits: RunLimits }
  | { kind: 'times'; function: string; args: Value[] };

export type DebugAnswer =
  | { kind: 'viewed'; view: RunViews[RunViewName]['view'] }
  | { kind: 'watched'; watches: WatchState[] }
  | { kind: 'timed'; times: Times };

export interface DebugAnswerKinds {
  walk: 'machine';
  view: 'viewed';
  watches: 'watched';
  limits: 'done';
  times: 'timed';
}
