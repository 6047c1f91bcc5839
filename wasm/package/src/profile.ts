// SPDX-License-Identifier: Apache-2.0
// Profiles: a function run under the profiler of the core, which counts and times each instruction
// and each call (core/vm/debug/profiler.h). It is in the module with the debugger.
import { type Arguments, type Callable, inOrder, withValues } from './calls.js';
import { TernError } from './errors.js';
import type { Pointer } from './exports.js';
import { kVmOptions } from './generated/layouts.js';
import { Handle } from './handle.js';
import type { Memory } from './memory.js';

export interface ProfileOptions {
  /** How often the function is run; counts and times are those of all runs together. */
  repeat?: number;
}

/** All executions of one instruction. Instructions that were not executed have no row. */
export interface ProfileRow {
  pc: number;
  hits: number;
  /** Of a call of a function: without what runs in it. */
  nanoseconds: number;
}

/** All executions of what has one name and one set of argument shapes. */
export interface ProfileOperator {
  name: string;
  /** Of the arguments: "f32[1, 8], f32[8]". */
  shapes: string;
  /** Other calls had other shapes; `shapes` are those of the first. */
  shapesVary: boolean;
  hits: number;
  nanoseconds: number;
  /** Elements read or written, or multiply-adds; 0 where nothing tells them. */
  operations: number;
  /** Of the tensors that went in and came out, each once; 0 of a look at the same memory. */
  bytes: number;
  /** Bytes taken from the machine's allocator, for results and for scratch memory of kernels. */
  allocated: number;
}

/** The beginning or the end of a call on the time line, in order of time. */
export interface ProfileEvent {
  /** Index in `ProfileEvents.names`. */
  name: number;
  opens: boolean;
  /** Since the first run began. */
  nanoseconds: number;
}

export interface ProfileEvents {
  /** Functions begin with @, primitives do not. */
  names: string[];
  events: ProfileEvent[];
}

/** What files of a profile are called: Chrome's trace events, speedscope, a table, JSON. */
export type ProfileFormat = 'chrome' | 'speedscope' | 'table' | 'json';

interface ProfileJson {
  totalNs: number;
  operators: (Omit<ProfileOperator, 'hits' | 'nanoseconds'> &
    { count: number; totalNs: number })[];
  instructions: { pc: number; count: number; totalNs: number }[];
  droppedSpans: number;
}

interface SpeedscopeJson {
  shared: { frames: { name: string }[] };
  profiles: { events: { type: 'O' | 'C'; frame: number; at: number }[] }[];
}

export class Profile extends Handle {
  private json_: ProfileJson | undefined;

  /** @internal */
  constructor(
    memory: Memory, runtime: Pointer, program: Callable, name: string, args: Arguments,
    { repeat = 1 }: ProfileOptions,
  ) {
    super(memory, 'profile');
    if (!memory.has('tern_vm_profile'))
      throw new TernError(
        'E0607',
        'this WebAssembly module has no profiler: make the runtime with ' +
          'createRuntime({ debugger: true })',
      );
    const values = inOrder(program.functionInfo(name), args);
    memory.withStruct(kVmOptions, {}, (struct) =>
      memory.call('tern_vm_create', program.pointer(), struct, memory.scratch),
    );
    const machine = memory.u32(memory.scratch);
    try {
      memory.withText(name, (text) =>
        withValues(memory, runtime, values, (anys, count) =>
          memory.call('tern_vm_profile', machine, text, anys, count, repeat, memory.scratch),
        ),
      );
    } finally {
      memory.raw('tern_vm_free', machine);
    }
    this.adopt(memory.u32(memory.scratch), 'Profile');
  }

  /** Of all runs, wall clock; includes what looking on takes. */
  get nanoseconds(): number {
    return this.json.totalNs;
  }

  get rows(): ProfileRow[] {
    return this.json.instructions.map(({ pc, count, totalNs }) => ({
      pc, hits: count, nanoseconds: totalNs,
    }));
  }

  /** Longest first. */
  get operators(): ProfileOperator[] {
    return this.json.operators.map(({ count, totalNs, ...rest }) => ({
      ...rest, hits: count, nanoseconds: totalNs,
    }));
  }

  /** Calls that are counted but have no events, because there were too many. */
  get droppedCalls(): number {
    return this.json.droppedSpans;
  }

  /** The calls as they began and ended. */
  events(): ProfileEvents {
    const { shared, profiles } = JSON.parse(this.export('speedscope')) as SpeedscopeJson;
    const events = (profiles[0]?.events ?? []).map(({ type, frame, at }) => ({
      name: frame, opens: type === 'O', nanoseconds: at,
    }));
    return { names: shared.frames.map(({ name }) => name), events };
  }

  /** The profile as a file. */
  export(format: ProfileFormat): string {
    const { memory } = this;
    memory.withText(format, (text) =>
      memory.call('tern_profile_export', this.pointer(), text, memory.scratch),
    );
    return memory.takeBuffer(memory.u32(memory.scratch));
  }

  protected override release(handle: Pointer): void {
    this.memory.raw('tern_profile_free', handle);
  }

  private get json(): ProfileJson {
    this.json_ ??= JSON.parse(this.export('json')) as ProfileJson;
    return this.json_;
  }
}
