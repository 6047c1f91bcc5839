// SPDX-License-Identifier: Apache-2.0
// A loaded executable and the machines that run it, whole or step by step.
import { TernError } from './errors.js';
import type { Memory, Pointer } from './memory.js';
import { kAnyBytes, readValue, type Value, writeValue } from './values.js';

/**
 * A parameter or result. Tensors have dtype and shape (of known rank); extents are numbers or
 * texts such as "n" or "2*n".
 */
export interface Parameter {
  name: string;
  /** "f32[n, 10]", "int", "any". */
  type: string;
  dtype?: string;
  shape?: (number | string)[];
}

export interface FunctionInfo {
  name: string;
  params: Parameter[];
  results: Parameter[];
  first: number;
  count: number;
  registers: number;
}

export interface Instruction {
  pc: number;
  text: string;
  source?: string;
  [key: string]: unknown;
}

/** What `tern inspect --format json` prints. */
export interface ProgramInfo {
  functions: FunctionInfo[];
  constants: Record<string, unknown>[];
  primitives: string[];
  instructions: Instruction[];
  sections: Record<string, unknown>[];
  metadata: Record<string, string>;
}

export interface RegisterState {
  index: number;
  name?: string;
  value: Record<string, unknown>;
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

/** Arguments in order, or by parameter name. */
export type Arguments = readonly Value[] | { readonly [name: string]: Value };

/** Frames and registers of one run at a time. */
export class Machine implements Disposable {
  private handle: Pointer;
  private current: FunctionInfo | undefined;

  /** @internal */
  constructor(
    private readonly memory: Memory,
    private readonly runtime: Pointer,
    private readonly program: Program,
    options: MachineOptions,
  ) {
    const struct = memory.alloc(32);
    try {
      memory.bytes(struct, 32).fill(0);
      const view = memory.view();
      view.setUint32(struct, 32, true);
      view.setBigUint64(struct + 8, BigInt(options.maxInstructions ?? 0), true);
      view.setBigUint64(struct + 16, BigInt(options.maxBytes ?? 0), true);
      view.setUint32(struct + 24, options.maxDepth ?? 0, true);
      memory.call('tern_vm_create', program.pointer(), struct, memory.scratch);
    } finally {
      memory.free(struct);
    }
    this.handle = memory.u32(memory.scratch);
  }

  /** Starts a run without executing anything yet. */
  begin(name: string, args: Arguments): void {
    const info = this.program.functionInfo(name);
    this.withArguments(info, args, (pointer, count) =>
      this.memory.withText(name, (text) =>
        this.memory.call('tern_vm_begin', this.live(), text, pointer, count),
      ),
    );
    this.current = info;
  }

  /** Executes at most `maxInstructions` (all that are left by default) and says why it stopped. */
  resume(maxInstructions = 0): StopReason {
    this.memory.call('tern_vm_resume', this.live(), BigInt(maxInstructions), this.memory.scratch);
    return kStops[this.memory.u32(this.memory.scratch)] ?? 'paused';
  }

  /** The result of a run that has returned, by output name. */
  takeResult(): Record<string, Value> {
    return this.memory.withAnys(1, (any) => {
      this.memory.call('tern_vm_take_result', this.live(), any);
      return this.nameResults(any);
    });
  }

  /** begin, resume and takeResult in one. */
  run(name: string, args: Arguments): Record<string, Value> {
    this.begin(name, args);
    this.resume();
    return this.takeResult();
  }

  /** A run stops before the instruction and says 'breakpoint'; resuming goes on from there. */
  setBreakpoint(pc: number, on: boolean): void {
    this.memory.raw('tern_vm_set_breakpoint', this.live(), pc, on ? 1 : 0);
  }

  state(): MachineState {
    this.memory.call('tern_vm_state', this.live(), this.memory.scratch);
    return JSON.parse(this.memory.takeBuffer(this.memory.u32(this.memory.scratch))) as MachineState;
  }

  /** A copy of a register; frame 0 is the innermost. */
  register(index: number, frame = 0): Value {
    return this.memory.withAnys(1, (any) => {
      this.memory.call('tern_vm_register', this.live(), frame, index, any);
      return readValue(this.memory, any);
    });
  }

  dispose(): void {
    if (this.handle !== 0) this.memory.raw('tern_vm_free', this.handle);
    this.handle = 0;
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  private live(): Pointer {
    if (this.handle === 0) throw new TernError('E0702', 'this machine has been disposed of');
    return this.handle;
  }

  private ordered(info: FunctionInfo, args: Arguments): readonly Value[] {
    if (Array.isArray(args)) return args as readonly Value[];
    const named = args as { readonly [name: string]: Value };
    for (const name of Object.keys(named)) {
      if (!info.params.some((param) => param.name === name)) {
        throw new TernError(
          'E0202',
          `@${info.name} has no parameter '${name}'; it has ` +
            `${info.params.map((p) => p.name).join(', ')}`,
        );
      }
    }
    return info.params.map((param) => {
      const value = named[param.name];
      if (value === undefined) {
        throw new TernError(
          'E0201',
          `no value for parameter '${param.name}' of @${info.name}: ${param.type}`,
        );
      }
      return value;
    });
  }

  private withArguments(
    info: FunctionInfo,
    args: Arguments,
    f: (pointer: Pointer, count: number) => void,
  ): void {
    const values = this.ordered(info, args);
    this.memory.withAnys(values.length, (anys) => {
      values.forEach((value, i) =>
        writeValue(this.memory, this.runtime, value, anys + kAnyBytes * i),
      );
      f(anys, values.length);
    });
  }

  private nameResults(any: Pointer): Record<string, Value> {
    const value = readValue(this.memory, any);
    const results = this.current?.results ?? [];
    const items = Array.isArray(value) && results.length !== 1 ? value : [value];
    return Object.fromEntries(items.map((item, i) => [results[i]?.name || `output${i}`, item]));
  }
}

/** A verified executable, immutable; machines run it. */
export class Program implements Disposable {
  private handle: Pointer;
  private info_: ProgramInfo | undefined;

  /** @internal */
  constructor(
    private readonly memory: Memory,
    private readonly runtime: Pointer,
    handle: Pointer,
    /** The executable's bytes, as they could be saved. */
    readonly bytes: Uint8Array<ArrayBuffer>,
  ) {
    this.handle = handle;
  }

  get info(): ProgramInfo {
    this.info_ ??= JSON.parse(this.inspect('json')) as ProgramInfo;
    return this.info_;
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

  machine(options: MachineOptions = {}): Machine {
    return new Machine(this.memory, this.runtime, this, options);
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

  dispose(): void {
    if (this.handle !== 0) this.memory.raw('tern_program_free', this.handle);
    this.handle = 0;
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  private inspect(format: string): string {
    this.memory.withText(format, (text) =>
      this.memory.call('tern_program_inspect', this.pointer(), text, this.memory.scratch),
    );
    return this.memory.takeBuffer(this.memory.u32(this.memory.scratch));
  }

  /** @internal */
  pointer(): Pointer {
    if (this.handle === 0) throw new TernError('E0702', 'this program has been disposed of');
    return this.handle;
  }
}
