// SPDX-License-Identifier: Apache-2.0
// Every message between the page and the worker that owns the WebAssembly module.
import type {
  Diagnostic, MachineState, ProgramInfo, RuntimeInfo, StopReason, Value,
} from 'tern-runtime';
import type { ProgramKind } from '../model/file-kind.js';

/** What is asked for. `load`, `begin` and `reset` end a run that is under way. */
export type RequestBody =
  | { kind: 'start' }
  | { kind: 'load'; name: string; bytes: Uint8Array }
  | { kind: 'begin'; function: string; args: Value[]; breakpoints: number[] }
  | { kind: 'breakpoint'; pc: number; on: boolean }
  | { kind: 'step'; count: number }
  | { kind: 'run' }
  | { kind: 'call'; function: string; args: Value[] }
  | { kind: 'register'; index: number }
  | { kind: 'reset' };

/** Every request is answered by one reply of the same id; `run` by progress before it. */
export type Request = RequestBody & { id: number };

/** Sent at any time; makes a run that is under way end with stop reason `cancelled`. */
export interface StopRequest {
  kind: 'stop';
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

/** A machine at rest, as the page shows it. */
export interface MachineView {
  stop: StopReason | 'ready';
  state: MachineState;
  /** Before the last instruction; what has changed since is marked. */
  previous?: MachineState;
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
  /** Frames as the failed run left them. */
  state?: MachineState;
  /** The module can no longer be trusted: the worker is to be replaced. */
  fatal: boolean;
}

export type Answer =
  | { kind: 'started'; runtime: RuntimeInfo; wasmBytes: number }
  | { kind: 'loaded'; program: LoadedProgram }
  | { kind: 'machine'; machine: MachineView }
  | { kind: 'called'; outputs: Record<string, Value>; milliseconds: number }
  | { kind: 'value'; value: Value }
  | { kind: 'done' };

/** The kind of answer that each kind of request gets. */
export interface AnswerKinds {
  start: 'started';
  load: 'loaded';
  begin: 'machine';
  breakpoint: 'done';
  step: 'machine';
  run: 'machine';
  call: 'called';
  register: 'value';
  reset: 'done';
}

export interface Progress {
  steps: number;
  milliseconds: number;
}

export type Reply =
  | { id: number; ok: true; answer: Answer }
  | { id: number; ok: false; failure: Failure }
  | { id: number; progress: Progress };
