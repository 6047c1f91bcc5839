// SPDX-License-Identifier: Apache-2.0
// The session: one immutable snapshot of everything the panes show.
import type { Diagnostic, FunctionInfo, RuntimeInfo, Value } from 'tern-runtime';
import type {
  CursorState, LargeTensor, LoadedProgram, TraceRange,
} from '../engine/protocol.js';
import { type InputChoice, takesDrawing } from '../model/inputs.js';
import type { Stroke } from '../model/strokes.js';

export type RunState = 'loading' | 'idle' | 'running' | 'paused' | 'stopped' | 'error';

/** What the Problems pane shows; the text is laid out as on the command line. */
export interface Problem {
  code: string;
  message: string;
  text: string;
  diagnostics?: readonly Diagnostic[];
  explanation?: string;
}

export interface Classification {
  /** The likeliest. */
  digit: number;
  probabilities: readonly number[];
  milliseconds: number;
}

/** What the arguments of a run are made from. */
export type RunInputs = Pick<Session, 'functionName' | 'inputs' | 'symbols' | 'image'>;

export interface Session {
  readonly run: RunState;
  readonly runtime: RuntimeInfo | undefined;
  readonly wasmBytes: number;
  readonly program: LoadedProgram | undefined;
  /** The file that is being loaded. */
  readonly loading: string | undefined;
  /** The file that could not be loaded: what is shown is still the program before. */
  readonly refused: string | undefined;
  readonly functionName: string;
  readonly inputs: Readonly<Record<string, InputChoice>>;
  readonly symbols: Readonly<Record<string, number>>;
  /** The step of the recorded run that is looked at. */
  readonly machine: CursorState | undefined;
  /** Of a run that has returned: the last step that had frames. */
  readonly before: CursorState | undefined;
  readonly trace: TraceRange | undefined;
  /** Which frame's registers are shown; 0 is the innermost. */
  readonly frame: number;
  /** What the run was begun with. */
  readonly begunWith: RunInputs | undefined;
  readonly steps: number;
  readonly milliseconds: number;
  readonly stopReason: string;
  readonly outputs: Readonly<Record<string, Value>> | undefined;
  readonly breakpoints: ReadonlySet<number>;
  readonly problems: readonly Problem[];
  /** Of a record that was opened: how this run of it compares with the record. */
  readonly replayed: string;
  /** A register whose whole value is shown. */
  readonly inspected: {
    readonly index: number; readonly value: Value | LargeTensor | undefined;
  } | undefined;
  readonly strokes: readonly Stroke[];
  /** 28 × 28, as the classifier reads the strokes; nothing without ink. */
  readonly image: Float32Array | undefined;
  readonly classification: Classification | undefined;
}

export const kNoRun = {
  machine: undefined, before: undefined, trace: undefined, frame: 0, begunWith: undefined,
  steps: 0, milliseconds: 0, stopReason: '', outputs: undefined, inspected: undefined,
  replayed: '',
} as const satisfies Partial<Session>;

export const kEmptySession: Session = {
  ...kNoRun, run: 'loading', runtime: undefined, wasmBytes: 0, program: undefined,
  loading: undefined, refused: undefined,
  functionName: '',
  inputs: {},
  symbols: {},
  breakpoints: new Set(),
  problems: [],
  strokes: [],
  image: undefined, classification: undefined,
};

export function currentFunction({ program, functionName }: Session): FunctionInfo | undefined {
  return program?.info.functions.find((f) => f.name === functionName);
}

/** Where the next instruction is, while there is one; of a failed run, the one that failed. */
export function currentPc({ machine }: Session): number | undefined {
  return machine?.frames[0]?.pc;
}

/** The instruction before the cursor. */
export function lastPc({ machine }: Session): number | undefined {
  return machine?.lastPc;
}

export function runInputs({ functionName, inputs, symbols, image }: Session): RunInputs {
  return { functionName, inputs, symbols, image };
}

/** Whether the record is of other inputs than those that are chosen now. */
export function isStale(session: Session): boolean {
  const { begunWith } = session;
  if (!begunWith) return false;
  const drawn = Object.values(session.inputs).some(({ fill }) => fill === 'drawing');
  const { functionName, inputs, symbols, image } = begunWith;
  return functionName !== session.functionName || inputs !== session.inputs ||
    symbols !== session.symbols || (drawn && image !== session.image);
}

/** Whether a step back leads anywhere. */
export function canGoBack({ trace, steps, run }: Session): boolean {
  return trace !== undefined && steps > trace.first && run !== 'running';
}

/** Whether the current function is a classifier of drawings: ten scores for each image. */
export function canClassify(session: Session): boolean {
  const info = currentFunction(session);
  const scores = info?.results[0]?.shape?.at(-1);
  return info?.params.length === 1 && takesDrawing(info.params[0]!) && scores === 10;
}

/** The state that automation sees: a problem counts until something else is done. */
export function visibleState({ run, problems }: Session): RunState {
  return run !== 'running' && problems.length > 0 ? 'error' : run;
}
