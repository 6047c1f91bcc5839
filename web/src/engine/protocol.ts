// SPDX-License-Identifier: Apache-2.0
// Every message between the page and the worker that owns the WebAssembly module.
import type {
  DebugState, Diagnostic, ProgramInfo, RuntimeInfo, StopReason, Value,
} from 'tern-runtime';
import type { ProgramKind } from '../model/file-kind.js';
import type {
  ComparisonAnswer, ComparisonAnswerKinds, ComparisonRequest,
} from './comparison-protocol.js';
import type {
  DebugAnswer, DebugAnswerKinds, DebugRequestBody, Watch,
} from './debug-protocol.js';
import type {
  InspectionAnswer, InspectionAnswerKinds, InspectionRequest,
} from './inspection-protocol.js';

/** What is asked for. `load`, `begin` and `reset` end a run that is under way. */
export type RequestBody =
  | { kind: 'start'; module?: WebAssembly.Module | undefined }
  | { kind: 'load'; name: string; bytes: Uint8Array }
  | DebugRequestBody
  | {
    kind: 'begin'; function: string; args: Value[]; breakpoints: number[];
    watches: readonly Watch[];
  }
  | { kind: 'breakpoint'; pc: number; on: boolean }
  | { kind: 'step'; count: number }
  | { kind: 'run'; back: boolean }
  | { kind: 'seek'; step: number }
  | { kind: 'call'; function: string; args: Value[] }
  | { kind: 'register'; index: number; frame: number }
  | { kind: 'reset' }
  | ComparisonRequest
  | InspectionRequest;

/** Every request is answered by one reply of the same id; `run` by progress before it. */
export type Request = RequestBody & { id: number };

/** Requests that run: a stop ends them, and those that wait behind them go on. */
export const kRuns: ReadonlySet<RequestBody['kind']> = new Set(['run', 'step', 'walk']);

/** Sent at any time; makes a run that is under way end with stop reason `cancelled`. */
export interface StopRequest {
  kind: 'stop';
}

/** Parts that are fetched with the first request that needs them. */
export type LatePart = 'compiler' | 'recorder';

/** Sent at any time, without an answer: the part will be needed soon. */
export interface PrepareRequest {
  kind: 'prepare';
  part: LatePart;
}

export interface LoadedProgram {
  name: string;
  fileKind: ProgramKind;
  /** Of the file; the executable made from it is `executable`. */
  fileBytes: number;
  executable: Uint8Array<ArrayBuffer>;
  /** From the file's bytes to a program that is ready to run. */
  milliseconds: number;
  info: ProgramInfo;
}

/** The same on its way: of a long program, objects would take longer than their text. */
export type SentProgram = Omit<LoadedProgram, 'info'> & { infoJson: string };

/** One step of the recorded run: what is looked at, which may be in the past. */
export interface CursorState extends DebugState {
  state: 'paused' | 'returned' | 'failed';
  /** Instructions before it, since the run began. */
  steps: number;
}

/** The steps that are recorded: those from `first` to `end` can be gone to. */
export interface TraceRange {
  first: number;
  end: number;
}

/** A run at rest, as the page shows it. */
export interface MachineView {
  stop: StopReason | 'ready';
  state: CursorState;
  trace: TraceRange;
  /** Of a run that has returned, whose frames are gone: the last step that had some. */
  before?: CursorState;
  milliseconds: number;
  outputs?: Record<string, Value>;
}

export interface Failure {
  code: string;
  message: string;
  /** The full text, as the command line prints it. */
  text: string;
  diagnostics: readonly Diagnostic[];
  /** What the code means, as `tern explain` tells it. */
  explanation?: string;
  /** Frames as the failed run left them, and what is recorded of it. */
  state?: CursorState;
  trace?: TraceRange;
  /** Which limit the run met: it rests there, and goes on with the next command. */
  limit?: string;
  /** The module can no longer be trusted: the worker is to be replaced. */
  fatal: boolean;
}

export type Answer =
  | DebugAnswer
  | { kind: 'started'; runtime: RuntimeInfo; wasmBytes: number }
  | { kind: 'loaded'; program: SentProgram }
  | { kind: 'machine'; machine: MachineView }
  | { kind: 'called'; outputs: Record<string, Value>; milliseconds: number }
  | { kind: 'value'; value: Value | LargeTensor }
  | { kind: 'done' }
  | ComparisonAnswer
  | InspectionAnswer;

/** Stands for a tensor of which no pane needs all elements: the inspector shows it in parts. */
export interface LargeTensor {
  large: true;
  dtype: string;
  shape: readonly number[];
  bytes: number;
}

export const isLarge = (value: Value | LargeTensor): value is LargeTensor =>
  typeof value === 'object' && value !== null && 'large' in value;

/** The kind of answer that each kind of request gets. */
export interface AnswerKinds
  extends ComparisonAnswerKinds, DebugAnswerKinds, InspectionAnswerKinds {
  start: 'started';
  load: 'loaded';
  begin: 'machine';
  breakpoint: 'done';
  step: 'machine';
  run: 'machine';
  seek: 'machine';
  call: 'called';
  register: 'value';
  reset: 'done';
}

export interface Progress {
  steps: number;
  milliseconds: number;
}

/** The end of a request to any of the workers. */
export type ReplyOf<Answered> =
  | { id: number; ok: true; answer: Answered }
  | { id: number; ok: false; failure: Failure };

export type Reply = ReplyOf<Answer> | { id: number; progress: Progress };
