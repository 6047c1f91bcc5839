// SPDX-License-Identifier: Apache-2.0
// The debugger: a run that can be stopped anywhere and gone through in both directions
// (docs/debugging.md). What it shows is the state that is looked at, which may be in the past.
import {
  type Arguments,
  byOutputName,
  type Callable,
  type FunctionInfo,
  inOrder,
  type RegisterState,
  withValues,
} from './calls.js';
import type {
  HeapDifference,
  LifetimesView,
  ObjectKind,
  ObjectsView,
  ShapeHeapView,
  TimelineView,
} from './debugger_views.js';
import { TernError } from './errors.js';
import type { Pointer } from './exports.js';
import { kDebugOptions } from './generated/layouts.js';
import { Handle } from './handle.js';
import { InspectedTensor } from './inspect.js';
import type { Memory } from './memory.js';
import type { FieldValues } from './structs.js';
import { readValue, type Value, writeValue } from './values.js';

/** In the order of tern_debug_command (core/api/c_api.h). */
const kCommands = [
  'step',
  'next',
  'finish',
  'continue',
  'runTo',
  'seek',
  'stepBack',
  'nextBack',
  'finishBack',
  'continueBack',
  'resume',
] as const;
export type DebugCommand = (typeof kCommands)[number];

/** In the order of tern_breakpoint_action. */
const kActions = ['remove', 'enable', 'disable', 'ignore'] as const;

export interface DebuggerOptions {
  /** Budgets: a run that meets one stops, and goes on when it is raised. */
  maxSteps?: number;
  maxBytes?: number;
  maxTimeMs?: number;
  maxDepth?: number;
  /** What the record of a run may take: by default 256 MiB and a million steps. */
  traceBytes?: number;
  traceSteps?: number;
}

/** Why a command ended. */
export interface DebugStop {
  /**
   * begun, returned, step, breakpoint, target, slice, start, cancelled, step-limit, time-limit,
   * memory-limit, depth-limit or trap(CODE).
   */
  reason: string;
  text: string;
  breakpoint: number;
  /** The step that is looked at; those from `first` to `end` are recorded. */
  step: number;
  first: number;
  end: number;
  past: boolean;
  depth: number;
}

export interface DebugState {
  step: number;
  past: boolean;
  /** The instruction before this step, where it is recorded. */
  lastPc?: number;
  /** Innermost first. */
  frames: {
    function: string;
    pc: number;
    instruction: string;
    source?: string;
    /** The first step that has the frame, if it is not long ago. */
    entered?: number;
    registers: (RegisterState & {
      changed: boolean;
      /** The step that wrote the value, and its instruction, if it is not long ago. */
      writtenAt?: number;
      writtenBy?: number;
    })[];
  }[];
  memory: { live: number; peak: number };
}

export interface Breakpoint {
  id: number;
  text: string;
  enabled: boolean;
  hits: number;
  ignore: number;
  /** How often its condition could not be evaluated, and why the last time. */
  failures: number;
  failure: string;
}

export interface HeapState {
  objects: {
    number: number;
    value: Record<string, unknown>;
    bytes: number;
    references: number;
    byTrace: number;
    elsewhere: number;
    holders: { text: string; object: number }[];
  }[];
  bytes: number;
}

export interface TraceState {
  first: number;
  end: number;
  events: number;
  segments: number;
  values: number;
  logBytes: number;
  valueBytes: number;
  dropped: number;
}

function fieldsOf(options: DebuggerOptions): FieldValues<typeof kDebugOptions> {
  const { maxSteps, maxBytes, maxTimeMs, maxDepth, traceBytes, traceSteps } = options;
  return { maxSteps, maxBytes, maxTimeMs, maxDepth, traceBytes, traceSteps };
}

export class Debugger extends Handle {
  private current: FunctionInfo | undefined;

  /** @internal */
  constructor(
    memory: Memory,
    private readonly runtime: Pointer,
    private readonly program: Callable,
    options: DebuggerOptions,
  ) {
    super(memory, 'debugger');
    if (!memory.has('tern_debugger_create'))
      throw new TernError(
        'E0607',
        'this WebAssembly module has no debugger: make the runtime with ' +
          'createRuntime({ debugger: true })',
      );
    memory.withStruct(kDebugOptions, fieldsOf(options), (struct) =>
      memory.call('tern_debugger_create', program.pointer(), struct, memory.scratch),
    );
    this.adopt(memory.u32(memory.scratch), 'Debugger');
  }

  /** Starts a run, ending the one before; nothing is executed yet. */
  begin(name: string, args: Arguments = []): DebugStop {
    const { memory } = this;
    const info = this.program.functionInfo(name);
    const values = inOrder(info, args);
    memory.withText(name, (text) =>
      withValues(memory, this.runtime, values, (anys, count) =>
        memory.call('tern_debugger_begin', this.pointer(), text, anys, count),
      ),
    );
    this.current = info;
    return this.stop();
  }

  /**
   * Runs a command: `argument` is a count of steps, an instruction of the whole code (runTo) or a
   * step (seek). After `slice` instructions it stops for 'slice', so that a page stays alive;
   * 'resume' goes on with it. What goes wrong in the run is a stop, not an exception.
   */
  run(command: DebugCommand, argument = 0, slice = 0): DebugStop {
    const { memory } = this;
    const number = kCommands.indexOf(command);
    const sizes = [BigInt(argument), BigInt(slice)] as const;
    memory.call('tern_debugger_run', this.pointer(), number, ...sizes, memory.scratch);
    return JSON.parse(memory.takeBuffer(memory.u32(memory.scratch))) as DebugStop;
  }

  step(count = 1): DebugStop {
    return this.run('step', count);
  }
  next(count = 1): DebugStop {
    return this.run('next', count);
  }
  stepBack(count = 1): DebugStop {
    return this.run('stepBack', count);
  }
  continue(slice = 0): DebugStop {
    return this.run('continue', 0, slice);
  }
  continueBack(): DebugStop {
    return this.run('continueBack');
  }
  seek(step: number): DebugStop {
    return this.run('seek', step);
  }

  /** "@main:3 if %0 > 2", "nan", "alloc 64 KiB", "if EXPRESSION"; gives its number. */
  addBreakpoint(text: string): number {
    const { memory } = this;
    memory.withText(text, (pointer) =>
      memory.call('tern_debugger_break', this.pointer(), pointer, memory.scratch),
    );
    return memory.u32(memory.scratch);
  }

  removeBreakpoint(id: number): void {
    this.change(id, 'remove');
  }
  enableBreakpoint(id: number, on: boolean): void {
    this.change(id, on ? 'enable' : 'disable');
  }
  /** The next `times` times it is met it does not stop. */
  ignoreBreakpoint(id: number, times: number): void {
    this.change(id, 'ignore', times);
  }

  /** Raises or lowers the budgets of the run. */
  setBudgets(options: DebuggerOptions): void {
    this.memory.withStruct(kDebugOptions, fieldsOf(options), (struct) =>
      this.memory.call('tern_debugger_set_budgets', this.pointer(), struct),
    );
  }

  stop(): DebugStop {
    return this.json('stop') as DebugStop;
  }
  state(): DebugState {
    return this.json('state') as DebugState;
  }
  breakpoints(): Breakpoint[] {
    return this.json('breakpoints') as Breakpoint[];
  }
  /** The objects that registers reach, and who holds them. */
  heap(): HeapState {
    return this.json('heap') as HeapState;
  }
  trace(): TraceState {
    return this.json('trace') as TraceState;
  }

  // --- of the whole record

  /** In at most so many parts, 1 to 4096. */
  timeline(buckets = 512): TimelineView {
    return this.json(`timeline ${buckets}`) as TimelineView;
  }
  /** How many recorded steps executed each instruction. */
  hits(): number[] {
    return this.json('hits') as number[];
  }
  /** Of a frame of the state that is looked at; after a return, of the outermost one. */
  lifetimes(frame = 0): LifetimesView {
    return this.json(`lifetimes ${frame}`) as LifetimesView;
  }
  /** With `parts`, up to 256, also how many registers held each in so many parts of the record. */
  objects(kind: ObjectKind = 'live', parts = 0): ObjectsView {
    return this.json(`objects ${kind} ${parts}`) as ObjectsView;
  }
  /** What registers reach at one of two steps only. */
  heapDifference(from: number, to: number): HeapDifference {
    return this.json(`heapdiff ${from} ${to}`) as HeapDifference;
  }
  shapeHeap(frame = 0): ShapeHeapView {
    return this.json(`shapes ${frame}`) as ShapeHeapView;
  }

  /**
   * Of each instruction, in hexadecimal with blanks between: opcode, number of operands, three
   * short forms, further words (core/vm/encoding.h). Needs no run.
   */
  encoding(): string[] {
    return this.json('encoding') as string[];
  }

  /** A register in the state that is looked at; frame 0 is the innermost. */
  register(index: number, frame = 0): Value {
    const { memory } = this;
    return memory.withAnys(1, (any) => {
      memory.call('tern_debugger_register', this.pointer(), frame, index, any);
      return readValue(memory, any);
    });
  }

  /** The tensor in a register, where it is; undefined where the register holds something else. */
  inspect(index: number, frame = 0): InspectedTensor | undefined {
    const { memory } = this;
    return memory.withAnys(1, (any) => {
      memory.call('tern_debugger_register', this.pointer(), frame, index, any);
      return InspectedTensor.of(memory, any);
    });
  }

  /** Gives a register another value; the run goes on from the state that is looked at. */
  setRegister(index: number, value: Value, frame = 0): void {
    const { memory } = this;
    memory.withAnys(1, (any) => {
      writeValue(memory, this.runtime, value, any);
      memory.call('tern_debugger_set_register', this.pointer(), frame, index, any);
    });
  }

  /** Forgets what came after the state that is looked at; the run goes on from there. */
  rewind(): void {
    this.memory.call('tern_debugger_rewind', this.pointer());
  }

  evaluate(expression: string, frame = 0): Value {
    const { memory } = this;
    return memory.withAnys(1, (any) => {
      memory.withText(expression, (text) =>
        memory.call('tern_debugger_evaluate', this.pointer(), text, frame, any),
      );
      return readValue(memory, any);
    });
  }

  /** What the run returned; throws what it failed with. */
  result(): Value {
    const { memory } = this;
    return memory.withAnys(1, (any) => {
      memory.call('tern_debugger_result', this.pointer(), any);
      return readValue(memory, any);
    });
  }

  /** The same by output name, as `Machine.run` gives it. */
  results(): Record<string, Value> {
    return byOutputName(this.current, this.result());
  }

  /** The record of the run as a .terntrace file. */
  saveTrace(): Uint8Array<ArrayBuffer> {
    const { memory } = this;
    memory.withText('binary', (format) =>
      memory.call('tern_debugger_trace', this.pointer(), format, memory.scratch),
    );
    return memory.takeBytes(memory.u32(memory.scratch));
  }

  protected override release(handle: Pointer): void {
    this.memory.raw('tern_debugger_free', handle);
  }

  private change(id: number, action: (typeof kActions)[number], times = 0): void {
    const number = kActions.indexOf(action);
    this.memory.call('tern_debugger_breakpoint', this.pointer(), id, number, BigInt(times));
  }

  private json(what: string): unknown {
    const { memory } = this;
    memory.withText(what, (text) =>
      memory.call('tern_debugger_state', this.pointer(), text, memory.scratch),
    );
    return JSON.parse(memory.takeBuffer(memory.u32(memory.scratch)));
  }
}
