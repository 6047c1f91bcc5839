// SPDX-License-Identifier: Apache-2.0
// What a debugger tells of a whole record (core/vm/debug/debugger_views.h). Long lists are columns:
// arrays of the same length, one per member.
import type { Value } from './values.js';

export interface TimelineView {
  first: number;
  end: number;
  stepsPerBucket: number;
  /** Per bucket: frames of the deepest call, bytes allocated, breakpoints' places come to. */
  depth: number[];
  allocated: number[];
  breakpoints: number[];
  /** Per bucket: steps by where in the code their instruction lies, from the first to the last. */
  bands: number[][];
  /** Calls of at least a bucket: states from `enter` to before `leave` have the frame. */
  calls: { function: number[]; depth: number[]; enter: number[]; leave: number[] };
  /** Steps that wrote a NaN or an infinity where none was; the first thousand. */
  notFinite: number[];
  /** False where tensors were too large to look for NaNs in all of them. */
  readAll: boolean;
}

export type VersionEnd = 'held' | 'overwritten' | 'killed' | 'returned';

/** What the registers of one frame held, from the instruction that wrote it to its end. */
export interface LifetimesView {
  function: string;
  /** 0 is the outermost frame. */
  depth: number;
  enter: number;
  leave: number;
  registers: { index: number; name: string }[];
  /** Of versions, also where they are only summed up. */
  count: number;
  versions: {
    register: number[];
    /** Of the register's versions, from 1. */
    number: number[];
    /** The steps that wrote it, took it away and read it last (`defined` where none did). */
    defined: number[];
    ended: number[];
    lastUse: number[];
    uses: number[];
    /** Instructions of those steps; -1 where there is none. */
    definedPc: number[];
    endedPc: number[];
    bytes: number[];
    end: VersionEnd[];
    /** An argument: it was there before the frame's first instruction. */
    wasThere: boolean[];
    kind: string[];
    type: string[];
  };
  /** Where there are too many versions to list: how many begin in a part of the time. */
  cells: { register: number[]; column: number[]; count: number[]; bytes: number[] };
  stepsPerColumn: number;
  /** Bytes times steps for which they were held, and the part of it after the last use. */
  byteSteps: number;
  deadByteSteps: number;
}

export type ObjectKind = 'live' | 'all' | 'leaked';

export interface ObjectView {
  /** The same for as long as it is recorded. */
  id: number;
  kind: string;
  type: string;
  /** Without what it refers to. */
  bytes: number;
  /** The step that first put it into a register; its instruction, null for arguments. */
  created: number;
  createdPc: number | null;
  /** The step after which no register held it any more, null while one does. */
  released: number | null;
  /** Reached from the registers of the state that is looked at. */
  live: boolean;
  leaked: boolean;
  /** Its count; 0 in the past, which has no counts. */
  references: number;
  /** id: of the object that holds it, 0 where a register or the like does. */
  holders: { text: string; id: number }[];
  /** By how many registers, at most, in each part of the record; where parts were asked for. */
  held?: number[];
}

export interface ObjectsView {
  count: number;
  bytes: number;
  /** The largest two thousand. */
  objects: ObjectView[];
}

export interface HeapDifference {
  added: ObjectView[];
  removed: ObjectView[];
  bytes: number;
}

export interface ShapeHeapView {
  /** That holds the heap; null where the function has none. */
  register: number | null;
  slots: {
    symbol: string;
    value: number;
    /** That wrote it last. */
    step: number | null;
    pc: number | null;
    /** Instructions. */
    readers: number[];
  }[];
  rules: {
    pc: number;
    code: 'ignore' | 'store' | 'equal-heap' | 'equal-value' | 'load' | 'store-shape';
    slot: number | null;
    state: 'pending' | 'holds' | 'fails';
    /** "axis 1 of y = 16 equals m in slot 1". */
    sentence: string;
  }[];
}

/** What two records differ in at one place (core/vm/debug/trace_diff.h). */
export interface TraceDivergence {
  /**
   * range: there is no step that both have; start: the states in which they begin; place: the runs
   * are at different instructions; change: the instruction changed other registers; value: it gave
   * one another value; end: only one of them goes on.
   */
  kind: 'range' | 'start' | 'place' | 'change' | 'value' | 'end';
  step: number;
  /** "@main:3" of each, empty where one has ended. */
  places: [a: string, b: string];
  /** The same as instructions of the whole code, -1 where one has ended. */
  pcs: [a: number, b: number];
  register?: number;
  name?: string;
  /** Of values: 0 is the outermost. */
  frame?: number;
  /** What each has there. */
  a: string;
  b: string;
}

export interface TraceComparison {
  a: { first: number; end: number };
  b: { first: number; end: number };
  /** Steps that both have. */
  common: number;
  divergences: TraceDivergence[];
  /** Whether there are others. */
  more: boolean;
}

/** What the record of a run is the record of. */
export interface TraceContents {
  /** The steps that it has: first <= step < end. */
  first: number;
  end: number;
  /** Of the program, with the places of their instructions. */
  functions: { name: string; first: number; count: number }[];
  /** What the run began with, where the record says so. */
  call?: { function: string; args: Value[] };
}
