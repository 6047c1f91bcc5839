// SPDX-License-Identifier: Apache-2.0
// The debugger: a run that can be stopped anywhere and gone through in both directions
// (docs/debugging.md). What it shows is the state that is looked at, which may be in the past.
import { TernError } from './errors.js';
import type { Memory, Pointer } from './memory.js';
import {
  type Arguments,
  inOrder,
  type Program,
  type RegisterState,
  withValues,
} from './program.js';
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

const kOptionBytes = 56;

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
  /** Innermost first. */
  frames: {
    function: string;
    pc: number;
    instruction: string;
    source?: string;
    registers: (RegisterState & { changed: boolean })[];
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

export class Debugger implements Disposable {
  private handle: Pointer;

  /** @internal */
  constructor(
    private readonly memory: Memory,
    private readonly runtime: Pointer,
    private readonly program: Program,
    options: DebuggerOptions,
  ) {
    if (!memory.has('tern_debugger_create'))
      throw new TernError(
        'E0607',
        'this WebAssembly module has no debugger: make the runtime with ' +
          'createRuntime({ debugger: true })',
      );
    this.withOptions(options, (struct) =>
      memory.call('tern_debugger_create', program.pointer(), struct, memory.scratch),
    );
    this.handle = memory.u32(memory.scratch);
    memory.leaks?.made(this, 'Debugger');
  }

  /** Starts a run, ending the one before; nothing is executed yet. */
  begin(name: string, args: Arguments = []): DebugStop {
    const { memory } = this;
    const values = inOrder(this.program.functionInfo(name), args);
    memory.withText(name, (text) =>
      withValues(memory, this.runtime, values, (anys, count) =>
        memory.call('tern_debugger_begin', this.live(), text, anys, count),
      ),
    );
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
    memory.call('tern_debugger_run', this.live(), number, ...sizes, memory.scratch);
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
      memory.call('tern_debugger_break', this.live(), pointer, memory.scratch),
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
    this.withOptions(options, (struct) =>
      this.memory.call('tern_debugger_set_budgets', this.live(), struct),
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

  /** A register in the state that is looked at; frame 0 is the innermost. */
  register(index: number, frame = 0): Value {
    const { memory } = this;
    return memory.withAnys(1, (any) => {
      memory.call('tern_debugger_register', this.live(), frame, index, any);
      return readValue(memory, any);
    });
  }

  /** Gives a register another value; the run goes on from the state that is looked at. */
  setRegister(index: number, value: Value, frame = 0): void {
    const { memory } = this;
    memory.withAnys(1, (any) => {
      writeValue(memory, this.runtime, value, any);
      memory.call('tern_debugger_set_register', this.live(), frame, index, any);
    });
  }

  /** Forgets what came after the state that is looked at; the run goes on from there. */
  rewind(): void {
    this.memory.call('tern_debugger_rewind', this.live());
  }

  evaluate(expression: string, frame = 0): Value {
    const { memory } = this;
    return memory.withAnys(1, (any) => {
      memory.withText(expression, (text) =>
        memory.call('tern_debugger_evaluate', this.live(), text, frame, any),
      );
      return readValue(memory, any);
    });
  }

  /** What the run returned; throws what it failed with. */
  result(): Value {
    const { memory } = this;
    return memory.withAnys(1, (any) => {
      memory.call('tern_debugger_result', this.live(), any);
      return readValue(memory, any);
    });
  }

  /** The record of the run as a .terntrace file. */
  saveTrace(): Uint8Array<ArrayBuffer> {
    const { memory } = this;
    memory.withText('binary', (format) =>
      memory.call('tern_debugger_trace', this.live(), format, memory.scratch),
    );
    return memory.takeBytes(memory.u32(memory.scratch));
  }

  dispose(): void {
    if (this.handle === 0) return;
    this.memory.leaks?.disposed(this);
    this.memory.raw('tern_debugger_free', this.handle);
    this.handle = 0;
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  private change(id: number, action: (typeof kActions)[number], times = 0): void {
    const number = kActions.indexOf(action);
    this.memory.call('tern_debugger_breakpoint', this.live(), id, number, BigInt(times));
  }

  private json(what: string): unknown {
    const { memory } = this;
    memory.withText(what, (text) =>
      memory.call('tern_debugger_state', this.live(), text, memory.scratch),
    );
    return JSON.parse(memory.takeBuffer(memory.u32(memory.scratch)));
  }

  // tern_debug_options.
  private withOptions(options: DebuggerOptions, f: (struct: Pointer) => void): void {
    const struct = this.memory.alloc(kOptionBytes);
    try {
      this.memory.bytes(struct, kOptionBytes).fill(0);
      const view = this.memory.view();
      view.setUint32(struct, kOptionBytes, true);
      const set = (offset: number, value = 0): void =>
        view.setBigUint64(struct + offset, BigInt(value), true);
      set(8, options.maxSteps);
      set(16, options.maxBytes);
      set(24, options.maxTimeMs);
      view.setUint32(struct + 32, options.maxDepth ?? 0, true);
      set(40, options.traceBytes);
      set(48, options.traceSteps);
      f(struct);
    } finally {
      this.memory.free(struct);
    }
  }

  private live(): Pointer {
    if (this.handle === 0) throw new TernError('E0702', 'this debugger has been disposed of');
    return this.handle;
  }
}
