// SPDX-License-Identifier: Apache-2.0
// Every message between the page and the worker that owns the loop compiler (tern-loops.wasm). It
// is another worker than the engine's, so that what is typed never waits for a run.
import type { LoopCompiler, LoopStage } from 'tern-runtime';
import type { ReplyOf } from './protocol.js';

export type LaneRun = ReturnType<LoopCompiler['lanes']>[number];
export type LoopTiming = Awaited<ReturnType<LoopCompiler['time']>>;

/** A program as it is looked at. */
export interface LoopView {
  name: string;
  text: string;
  /** The value of every size. */
  n: number;
  vscale: number;
  /** Whose stages are shown. */
  strategy: string;
  /** What of kCodeStages is shown; empty where none is. */
  code: string;
  /** Iterations that are shown one by one. */
  first: number;
  count: number;
}

export interface LoopPicture {
  /** One for each strategy, with iterations. */
  lanes: LaneRun[];
  /** One for each strategy and vscale; none where data decide what runs. */
  sweep: LaneRun[];
  stages: LoopStage[];
  /** LLVM IR, with comments for the vscale, or WebAssembly; or why there is none. */
  code: string;
}

/** The same on its way, without what is as in the answer before: at another vscale that is most. */
export type SentPicture = Pick<LoopPicture, 'lanes'> & Partial<LoopPicture>;

export type LoopRequestBody = { kind: 'show'; view: LoopView } | { kind: 'time'; view: LoopView };
export type LoopRequest = LoopRequestBody & { id: number };

export type LoopAnswer =
  | { kind: 'shown'; picture: SentPicture; milliseconds: number }
  | { kind: 'timed'; timing: LoopTiming };

export type LoopReply = ReplyOf<LoopAnswer>;
