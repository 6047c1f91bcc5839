// SPDX-License-Identifier: Apache-2.0
// A loaded executable and the machines that run it, whole or step by step.
import {
  type Arguments,
  byOutputName,
  type Callable,
  type FunctionInfo,
  inOrder,
  type RegisterState,
  withValues,
} from './calls.js';
import { Debugger, type DebuggerOptions } from './debugger.js';
import { TernError } from './errors.js';
import type { Pointer } from './exports.js';
import { kVmOptions } from './generated/layouts.js';
import { Handle } from './handle.js';
import { type CodeColumns, type Instruction, readInstructions } from './instructions.js';
import { type KernelInfo, listKernels } from './kernels.js';
import type { Memory } from './memory.js';
import { Profile, type ProfileOptions } from './profile.js';
import {
  type HostFunction,
  readResident,
  readValue,
  type TernFunction,
  type Value,
  writeValue,
} from './values.js';

/** What `tern inspect --format json` prints. */
export interface ProgramInfo {
  functions: FunctionInfo[];
  constants: Record<string, unknown>[];
  primitives: string[];
  instructions: Instruction[];
  sections: Record<string, unknown>[];
  metadata: Record<string, string>;
}

export interface MachineState {
  state: string;
  steps: number;
  frames: { function: string; pc: number; registers: RegisterState[] }[];
  memory: { live: number; peak: number };
}

export type StopReason = 'returned' | 'paused' | 'breakpoint' | 'cancelled';
const kStops: StopReason[] = ['returned', 'paused', 'breakpoint', 'cancelled'];

export interface MachineOptions {
  maxInstructions?: number;
  maxBytes?: number;
  maxDepth?: number;
  /** Milliseconds that a run may take while it executes. */
  maxTimeMs?: number;
}

/** Nanoseconds per call. */
export interface Timing {
  /** One entry per repetition. */
  repeats: number[];
  mean: number;
  median: number;
  best: number;
}

/**
 * Texts of a program: the founding document's listing and statistics, assembly in its three forms,
 * source that rebuilds it through the builder, and whether each register is written once ("ssa",
 * which throws where not).
 */
export type Listing =
  | 'listing'
  | 'stats'
  | 'columns'
  | 'instructions'
  | 'assignments'
  | 'cpp'
  | 'javascript'
  | 'ssa';

type Reader = (memory: Memory, any: Pointer) => Value;

/** Frames and registers of one run at a time. */
export class Machine extends Handle {
  private current: FunctionInfo | undefined;

  /** @internal */
  constructor(
    memory: Memory,
    private readonly runtime: Pointer,
    private readonly program: Program,
    options: MachineOptions,
  ) {
    super(memory, 'machine');
    const { maxInstructions, maxBytes, maxDepth, maxTimeMs } = options;
    const budgets = { maxInstructions, maxBytes, maxDepth, maxTimeMs };
    memory.withStruct(kVmOptions, budgets, (struct) =>
      memory.call('tern_vm_create', program.pointer(), struct, memory.scratch),
    );
    this.adopt(memory.u32(memory.scratch), 'Machine');
  }

  /** Starts a run without executing anything yet. */
  begin(name: string, args: Arguments): void {
    const info = this.program.functionInfo(name);
    this.withArguments(info, args, (pointer, count) =>
      this.memory.withText(name, (text) =>
        this.memory.call('tern_vm_begin', this.pointer(), text, pointer, count),
      ),
    );
    this.current = info;
  }

  /** Executes at most `maxInstructions` (all that are left by default) and says why it stopped. */
  resume(maxInstructions = 0): StopReason {
    const { memory } = this;
    memory.call('tern_vm_resume', this.pointer(), BigInt(maxInstructions), memory.scratch);
    return kStops[memory.u32(memory.scratch)] ?? 'paused';
  }

  /** The result of a run that has returned, by output name. */
  takeResult(): Record<string, Value> {
    return this.memory.withAnys(1, (any) => {
      this.memory.call('tern_vm_take_result', this.pointer(), any);
      return this.nameResults(this.current, any);
    });
  }

  /** Runs a function to its end: its results, by output name. */
  run(name: string, args: Arguments): Record<string, Value> {
    return this.runReading(name, args, readValue);
  }

  /**
   * The same without copying the results: tensors are ResidentTensors, which must be disposed of.
   */
  runResident(name: string, args: Arguments): Record<string, Value> {
    return this.runReading(name, args, readResident);
  }

  /**
   * Calls a function, also a saved one, which takes no arguments. What it returns is not taken
   * apart by output names.
   */
  call(name: string, args: Arguments = []): Value {
    const { memory } = this;
    return this.withCall(name, args, (text, pointer, count) =>
      memory.withAnys(1, (any) => {
        memory.call('tern_vm_call', this.pointer(), text, pointer, count, any);
        return readValue(memory, any);
      }),
    );
  }

  /**
   * Keeps the inputs of a function for `invokeStateful`. Calling it with other arguments is refused
   * until `clearInput`.
   */
  setInput(name: string, args: Arguments): void {
    this.withCall(name, args, (text, pointer, count) =>
      this.memory.call('tern_vm_set_input', this.pointer(), text, pointer, count),
    );
  }

  clearInput(name: string): void {
    this.memory.withText(name, (text) =>
      this.memory.raw('tern_vm_clear_input', this.pointer(), text),
    );
  }

  /** Runs a function with the inputs that were set, and keeps what it returns. */
  invokeStateful(name: string): void {
    this.memory.withText(name, (text) =>
      this.memory.call('tern_vm_invoke_stateful', this.pointer(), text),
    );
  }

  /** What `invokeStateful` left; `path` goes into tuples. */
  getOutput(name: string, ...path: number[]): Value {
    const { memory } = this;
    return this.withPath(name, path, (text, pointer) =>
      memory.withAnys(1, (any) => {
        memory.call('tern_vm_get_output', this.pointer(), text, pointer, path.length, any);
        return readValue(memory, any);
      }),
    );
  }

  /** Fields of the tuple there; undefined where it is none. */
  outputArity(name: string, ...path: number[]): number | undefined {
    const { memory } = this;
    return this.withPath(name, path, (text, pointer) => {
      const out = memory.scratch;
      memory.call('tern_vm_output_arity', this.pointer(), text, pointer, path.length, out);
      const arity = Number(memory.view().getBigInt64(out, true));
      return arity < 0 ? undefined : arity;
    });
  }

  /** Keeps a function with its arguments under a name of its own, for `call`. */
  saveFunction(name: string, savedName: string, args: Arguments): void {
    this.withCall(name, args, (text, pointer, count) =>
      this.memory.withText(savedName, (saved) =>
        this.memory.call('tern_vm_save_function', this.pointer(), text, saved, pointer, count),
      ),
    );
  }

  functionArity(name: string): number {
    const { memory } = this;
    memory.withText(name, (text) =>
      memory.call('tern_vm_function_arity', this.pointer(), text, memory.scratch),
    );
    return Number(memory.view().getBigInt64(memory.scratch, true));
  }

  /** Empty for a parameter without a name. */
  parameterName(name: string, index: number): string {
    const { memory } = this;
    memory.withText(name, (text) =>
      memory.call('tern_vm_parameter_name', this.pointer(), text, BigInt(index), memory.scratch),
    );
    return memory.takeBuffer(memory.u32(memory.scratch));
  }

  /**
   * Calls a function `number` times, `repeat` times over, after one call that is not counted. A
   * saved function, or one whose inputs are set, takes no arguments.
   */
  timeEvaluator(name: string, args: Arguments, number: number, repeat: number): Timing {
    const { memory } = this;
    return this.withCall(name, args, (text, pointer, count) => {
      const counts = [BigInt(number), BigInt(repeat)] as const;
      const out = memory.scratch;
      memory.call('tern_vm_time_evaluator', this.pointer(), text, pointer, count, ...counts, out);
      return JSON.parse(memory.takeBuffer(memory.u32(out))) as Timing;
    });
  }

  /**
   * Runs `native` wherever bytecode or `call` would enter the function, of this machine only;
   * null puts the bytecode back. `native` must compute the same.
   */
  replaceFunction(name: string, native: TernFunction | HostFunction | null): void {
    const { memory } = this;
    memory.withText(name, (text) =>
      memory.withAnys(1, (any) => {
        if (native !== null) writeValue(memory, this.runtime, native, any);
        memory.call('tern_vm_replace_function', this.pointer(), text, any);
      }),
    );
  }

  /** A run stops before the instruction and says 'breakpoint'; resuming goes on from there. */
  setBreakpoint(pc: number, on: boolean): void {
    this.memory.raw('tern_vm_set_breakpoint', this.pointer(), pc, on ? 1 : 0);
  }

  state(): MachineState {
    this.memory.call('tern_vm_state', this.pointer(), this.memory.scratch);
    return JSON.parse(this.memory.takeBuffer(this.memory.u32(this.memory.scratch))) as MachineState;
  }

  /** A copy of a register; frame 0 is the innermost. */
  register(index: number, frame = 0): Value {
    return this.memory.withAnys(1, (any) => {
      this.memory.call('tern_vm_register', this.pointer(), frame, index, any);
      return readValue(this.memory, any);
    });
  }

  protected override release(handle: Pointer): void {
    this.memory.raw('tern_vm_free', handle);
  }

  // Of a function of the program, or a saved one: then with arguments in order.
  private withCall<T>(
    name: string,
    args: Arguments,
    f: (text: Pointer, pointer: Pointer, count: number) => T,
  ): T {
    const info = this.program.functions.find((each) => each.name === name);
    const values = info ? inOrder(info, args) : Object.values(args);
    return this.memory.withText(name, (text) =>
      withValues(this.memory, this.runtime, values, (anys, count) => f(text, anys, count)),
    );
  }

  private withPath<T>(name: string, path: number[], f: (text: Pointer, path: Pointer) => T): T {
    const { memory } = this;
    const pointer = memory.alloc(8 * path.length);
    try {
      path.forEach((at, i) => memory.view().setBigInt64(pointer + 8 * i, BigInt(at), true));
      return memory.withText(name, (text) => f(text, pointer));
    } finally {
      memory.free(pointer);
    }
  }

  private withArguments(
    info: FunctionInfo,
    args: Arguments,
    f: (pointer: Pointer, count: number) => void,
  ): void {
    withValues(this.memory, this.runtime, inOrder(info, args), f);
  }

  private runReading(name: string, args: Arguments, read: Reader): Record<string, Value> {
    const { memory } = this;
    const info = this.program.functionInfo(name);
    return memory.withAnys(1, (any) => {
      this.withArguments(info, args, (pointer, count) =>
        memory.withText(name, (text) =>
          memory.call('tern_vm_call', this.pointer(), text, pointer, count, any),
        ),
      );
      return this.nameResults(info, any, read);
    });
  }

  private nameResults(
    info: FunctionInfo | undefined,
    any: Pointer,
    read: Reader = readValue,
  ): Record<string, Value> {
    return byOutputName(info, read(this.memory, any));
  }
}

/** Of `Program.infoJson`, in whatever thread. */
export function readProgramInfo(json: string): ProgramInfo {
  const { code, ...info } = JSON.parse(json) as Omit<ProgramInfo, 'instructions'> & {
    code: CodeColumns;
  };
  return { ...info, instructions: readInstructions(code) };
}

/** A verified executable, immutable; machines run it. */
export class Program extends Handle implements Callable {
  private info_: ProgramInfo | undefined;
  private infoText_: string | undefined;

  /** @internal */
  constructor(
    memory: Memory,
    private readonly runtime: Pointer,
    handle: Pointer,
    /** The executable's bytes, as they could be saved. */
    readonly bytes: Uint8Array<ArrayBuffer>,
  ) {
    super(memory, 'program');
    this.adopt(handle, 'Program');
  }

  get info(): ProgramInfo {
    this.info_ ??= readProgramInfo(this.infoJson());
    return this.info_;
  }

  /**
   * What `info` is read from, for another thread: of a long program a text gets there in a fraction
   * of the time that objects take.
   */
  infoJson(): string {
    this.infoText_ ??= this.infoText();
    return this.infoText_;
  }

  get functions(): FunctionInfo[] {
    return this.info.functions;
  }

  functionInfo(name: string): FunctionInfo {
    const found = this.functions.find((f) => f.name === name);
    if (found) return found;
    throw new TernError(
      'E0206',
      `the program has no function '${name}'; it has ` +
        `${this.functions.map((f) => f.name).join(', ')}`,
    );
  }

  /** Assembly text. */
  disassemble(): string {
    this.memory.call('tern_program_disassemble', this.pointer(), this.memory.scratch);
    return this.memory.takeBuffer(this.memory.u32(this.memory.scratch));
  }

  /** The program as text. */
  text(listing: Listing): string {
    return this.inspect(listing);
  }

  /**
   * The loop kernels that travel with the program, and how machines made now run each. `load` (with
   * a runtime that has the loop compiler) or `Runtime.prepareKernels` gives them backends.
   */
  kernels(): KernelInfo[] {
    return listKernels(this.memory, this.pointer());
  }

  machine(options: MachineOptions = {}): Machine {
    return new Machine(this.memory, this.runtime, this, options);
  }

  /** A machine whose runs can be stopped anywhere and gone through in both directions. */
  debugger(options: DebuggerOptions = {}): Debugger {
    return new Debugger(this.memory, this.runtime, this, options);
  }

  /** Runs a function under the profiler, on a machine of its own. */
  profile(name: string, args: Arguments = [], options: ProfileOptions = {}): Profile {
    return new Profile(this.memory, this.runtime, this, name, args, options);
  }

  /** One run of a function on a machine of its own. */
  run(name: string, args: Arguments, options: MachineOptions = {}): Record<string, Value> {
    const machine = this.machine(options);
    try {
      return machine.run(name, args);
    } finally {
      machine.dispose();
    }
  }

  /**
   * The same without copying the results: tensors are ResidentTensors, views of the module's memory
   * that must be disposed of.
   */
  runResident(name: string, args: Arguments, options: MachineOptions = {}): Record<string, Value> {
    const machine = this.machine(options);
    try {
      return machine.runResident(name, args);
    } finally {
      machine.dispose();
    }
  }

  protected override release(handle: Pointer): void {
    this.memory.raw('tern_program_free', handle);
  }

  private infoText(): string {
    this.memory.call('tern_program_info', this.pointer(), this.memory.scratch);
    return this.memory.takeBuffer(this.memory.u32(this.memory.scratch));
  }

  private inspect(format: string): string {
    this.memory.withText(format, (text) =>
      this.memory.call('tern_program_inspect', this.pointer(), text, this.memory.scratch),
    );
    return this.memory.takeBuffer(this.memory.u32(this.memory.scratch));
  }
}
