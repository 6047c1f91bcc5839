// SPDX-License-Identifier: Apache-2.0
// The side module tern-loops.wasm: the compiler of loop programs, in memory of its own. Text goes
// in, text, WebAssembly or results on copies come out; it knows nothing of programs and machines.
import type { Pointer } from './exports.js';
import { HostFunctions } from './functions.js';
import { kLoopLanesOptions, kLoopRequest } from './generated/layouts.js';
import { Memory } from './memory.js';
import { type LoopTiming, timeLoops } from './loop_timing.js';
import { assetSource, instantiate, type ModuleOptions } from './module.js';
import { tune, type TuneCandidate, type TuneOptions, type TuneResult } from './tune.js';

/** How the core wants a kernel's code to be called (tern_kernel_spec in core/api/c_api.h). */
export interface KernelCallSpec {
  /** The function's parameters; its result lists the results, then workspaces. */
  signature: string;
  results: number;
  slots: string[];
  /** Whether results must be cleared, because the code is not known to write all of them. */
  zeroed: boolean;
  /** Empty where every access is proven to stay inside its buffer: only then may it be emitted. */
  unproven: string;
}

export interface EmittedKernel {
  bytes: Uint8Array<ArrayBuffer>;
  /** Of the block at env.scratch, 16-byte aligned; 0: none is imported. */
  scratchBytes: number;
}

export interface LoopStage {
  strategy: string;
  stage: string;
  text: string;
}

/** How often each kind of instruction ran, for one strategy and vscale. */
export interface LoopCounts {
  strategy: string;
  n: number;
  vscale: number;
  vector_iterations: number;
  scalar_iterations: number;
  last_active: number;
  utilisation: number;
  instructions: { load: number; store: number; arith: number; predicate: number; control: number };
  bytes_loaded: number;
  bytes_stored: number;
}

/** A load or store of one iteration. */
export interface LaneAccess {
  /** Its place in `buffers`. */
  buffer: number;
  op: 'load' | 'store';
  /** The element of lane 0, and how many further each lane's is. */
  index?: number;
  step?: number;
  /** By lane, where no step says it. */
  indices?: number[];
  /** The predicate's bits, lane 0 first; null: there is none, and every lane is on. */
  mask: string | null;
  bytes: number;
  /** Of lanes that are off. */
  masked_bytes: number;
  /** Cache lines of 64 bytes, where buffers begin at one. */
  lines: number[];
}

/** One iteration, or several whose lanes are alike. */
export interface LaneIteration {
  /** Its number over the whole run; of several, the first one's. */
  k: number;
  /** How many it stands for; those of more than one have no accesses. */
  folded: number;
  part: 'plain' | 'vector' | 'epilogue';
  vector: boolean;
  lanes: number;
  active: number;
  accesses: LaneAccess[];
}

export interface LaneBuffer {
  name: string;
  dtype: string;
  access: string;
  element_bytes: number;
  /** null: of memory that the function has for itself. */
  elements: number | null;
  bytes_touched: number;
  /** Cache lines that the whole run touches; null: not known. */
  lines: number | null;
}

/** What every lane does under one strategy at one vscale (core/loop/report/lane_report.h). */
export interface LoopLanes extends LoopCounts {
  function: string;
  sizes: { [name: string]: number };
  active_lanes: number;
  issued_lanes: number;
  /** "control": counted without computing data; "run": by a full run, as data decide what runs. */
  method: 'control' | 'run';
  /** Whether a full run counted the same; null: there was none. */
  checked: boolean | null;
  /** These where iterations are asked for. */
  buffers?: LaneBuffer[];
  iterations?: LaneIteration[];
  /** Iterations beyond the rows that are kept. */
  left_out?: number;
}

export interface LoopOptions {
  /** The program's name in messages. */
  sourceName?: string;
  /** Of docs/loop-ir.md; "schedule" by default. */
  strategies?: readonly string[];
  /** "reference" by default, which takes everything. */
  target?: string;
}

export interface StageOptions extends LoopOptions {
  /** Names of stages, or ["all"]; the last by default. */
  stages?: readonly string[];
  /** Writes VL for the vector length. */
  vlForm?: boolean;
}

export interface CountOptions extends LoopOptions {
  /** The file's first function by default. */
  function?: string;
  /** 1 to 16; [1] by default. */
  vscales?: readonly number[];
  sizes?: { readonly [name: string]: number };
  /** Operations of the interpreter after which a run is given up; 2^28 by default. */
  maxSteps?: number;
}

export interface LaneOptions extends CountOptions {
  /** Of every size that `sizes` does not name; without it those are errors. */
  n?: number;
  /** Of iterations whose lanes are alike, so many of the first and of the last; 3 and 2. */
  head?: number;
  tail?: number;
  /** These iterations too, by number. */
  first?: number;
  count?: number;
  /** Up to so many lanes in all, a full run checks the counters; 0, never, by default. */
  checkLanes?: number;
}

/** One kernel in the side module. */
export class LoopKernel implements Disposable {
  readonly spec: KernelCallSpec;

  /** @internal */
  constructor(
    private readonly memory: Memory,
    private handle: Pointer,
  ) {
    memory.call('tern_loop_kernel_describe', handle, memory.scratch);
    const json = memory.takeBuffer(memory.u32(memory.scratch));
    this.spec = JSON.parse(json) as KernelCallSpec;
  }

  emitWasm(relaxedSimd: boolean): EmittedKernel {
    const { memory } = this;
    const out = memory.scratch;
    memory.call('tern_loop_kernel_emit_wasm', this.handle, relaxedSimd ? 1 : 0, out, out + 4);
    const scratchBytes = memory.u32(out + 4);
    return { bytes: memory.takeBytes(memory.u32(out)), scratchBytes };
  }

  /**
   * Runs the reference interpreter on copies: `copyIn` fills the buffers before, `copyOut` takes
   * them afterwards. Throws what the interpreter finds wrong.
   */
  interpret(slots: BigInt64Array, copyIn: Copy, copyOut: Copy): void {
    const { memory } = this;
    const count = Math.max(slots.length, 1);
    const pointer = memory.alloc(8 * count);
    try {
      memory.bytes(pointer, 8 * slots.length).set(
        new Uint8Array(slots.buffer, slots.byteOffset, slots.byteLength),
      );
      memory.call('tern_loop_kernel_begin', this.handle, pointer, slots.length, memory.scratch);
      const buffers = memory.u32(memory.scratch);
      this.copy(buffers, copyIn);
      memory.call('tern_loop_kernel_run', this.handle);
      this.copy(buffers, copyOut);
    } finally {
      memory.raw('tern_loop_kernel_end', this.handle);
      memory.free(pointer);
    }
  }

  dispose(): void {
    if (this.handle !== 0) this.memory.raw('tern_loop_kernel_free', this.handle);
    this.handle = 0;
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  private copy(buffers: number, f: Copy): void {
    const { memory } = this;
    for (let i = 0; i < buffers; ++i) {
      const size = memory.scratch + 8;
      const data = memory.raw('tern_loop_kernel_buffer', this.handle, i, size) >>> 0;
      f(i, memory.bytes(data, memory.u32(size)));
    }
  }
}

type Copy = (buffer: number, bytes: Uint8Array) => void;


/** The loop compiler alone: what becomes of loop programs (.tloop text, docs/loop-ir.md). */
export class LoopCompiler {
  /** @internal */
  constructor(private readonly memory: Memory) {}

  /** Of the module's memory. */
  get byteLength(): number {
    return this.memory.byteLength;
  }

  /** The program after each stage of lowering that was asked for, by strategy. */
  stages(text: string, options: StageOptions = {}): LoopStage[] {
    const stages = (options.stages ?? []).join(',');
    const json = this.report('tern_loop_stages', text, { ...options, stages });
    return (JSON.parse(json) as { stages: LoopStage[] }).stages;
  }

  /** Runs it in the reference interpreter on made-up data, once per strategy and vscale. */
  counts(text: string, options: CountOptions = {}): LoopCounts[] {
    const json = this.report('tern_loop_counts', text, sizesAsText(options));
    return (JSON.parse(json) as { counts: LoopCounts[] }).counts;
  }

  /**
   * What every lane does in every iteration, per strategy and vscale. Where iterations are alike,
   * the time does not grow with their number.
   */
  lanes(text: string, options: LaneOptions = {}): LoopLanes[] {
    const { memory } = this;
    const { head = 3, tail = 2, first = 0, count = 0, n = -1, checkLanes = 0 } = options;
    const shown = { head, tail, first, count, n, checkLanes };
    const json = memory.withStruct(kLoopLanesOptions, shown, (struct) =>
      this.report('tern_loop_lanes', text, sizesAsText(options), struct),
    );
    return (JSON.parse(json) as { lanes: LoopLanes[] }).lanes;
  }

  /**
   * LLVM IR for a target, the text that a native build compiles; with a vscale, comments in it say
   * what its scalable vectors are there.
   */
  llvm(text: string, options: LoopOptions & { vscale?: number } = {}): string {
    const { vscale, ...rest } = options;
    const request: Request = vscale === undefined ? rest : { ...rest, vscales: String(vscale) };
    return this.memory.withText('llvm', (form) =>
      this.report('tern_loop_emit', text, { vscales: '', ...request }, form),
    );
  }

  /** The WebAssembly module that the program becomes, in the text format of its standard. */
  wat(text: string, options: LoopOptions = {}): string {
    return this.memory.withText('wat', (form) =>
      this.report('tern_loop_emit', text, { target: 'wasm32', ...options }, form),
    );
  }

  /**
   * Runs the program as WebAssembly code on made-up data, compares its results with the reference
   * interpreter's, and measures both.
   */
  time(source: string, options: CountOptions = {}): Promise<LoopTiming> {
    const interpret = (sizes: { [name: string]: number }, runs: number): void => {
      this.counts(source, { ...options, sizes, vscales: Array.from({ length: runs }, () => 1) });
    };
    return timeLoops(this.memory, source, options, interpret);
  }

  /**
   * Searches for the schedule with which one function of the program runs fastest in this engine;
   * gives every candidate as soon as something came of it, and the best at the end. The loop over
   * it may be left at any time; `line` of each candidate, put together, is the log to go on from.
   * Each candidate takes about a tenth of a second, in which the thread does nothing else.
   */
  tune(source: string, options: TuneOptions = {}): AsyncGenerator<TuneCandidate, TuneResult, void> {
    return tune(this.memory, source, options);
  }

  /** @internal Reads a kernel and proves what it can of it. Throws where it does not fit. */
  kernel(name: string, text: Uint8Array, signature: string): LoopKernel {
    const { memory } = this;
    const data = memory.alloc(text.length);
    try {
      memory.bytes(data, text.length).set(text);
      memory.withText(name, (namePointer) =>
        memory.withText(signature, (signaturePointer) =>
          memory.call(
            'tern_loop_kernel_create',
            namePointer,
            data,
            text.length,
            signaturePointer,
            memory.scratch,
          ),
        ),
      );
    } finally {
      memory.free(data);
    }
    return new LoopKernel(memory, memory.u32(memory.scratch));
  }

  // `form` is an argument of some calls, before the result.
  private report(call: string, text: string, request: Request, ...form: Pointer[]): string {
    const { memory } = this;
    const { sourceName = 'program.tloop', strategies = ['schedule'], stages = '' } = request;
    const { target = 'reference', vscales = '1', sizes = '' } = request;
    const named = { sourceName, strategies: strategies.join(','), stages, target };
    const texts = { ...named, function: request.function ?? '', vscales, sizes };
    const { vlForm, maxSteps } = request;
    memory.withText(text, (data, size) =>
      memory.withTexts(Object.values(texts), (pointers) => {
        const entries = Object.keys(texts).map((name, i) => [name, pointers[i]]);
        const fields = Object.fromEntries(entries) as Record<keyof typeof texts, Pointer>;
        memory.withStruct(kLoopRequest, { ...fields, vlForm, maxSteps }, (struct) =>
          memory.call(call, data, size, struct, ...form, memory.scratch),
        );
      }),
    );
    return memory.takeBuffer(memory.u32(memory.scratch));
  }
}

function sizesAsText(options: CountOptions): Request {
  const sizes = Object.entries(options.sizes ?? {}).map(([name, size]) => `${name}=${size}`);
  return { ...options, vscales: (options.vscales ?? [1]).join(','), sizes: sizes.join(',') };
}

interface Request extends LoopOptions {
  stages?: string;
  vlForm?: boolean;
  function?: string;
  vscales?: string;
  sizes?: string;
  maxSteps?: number;
}

/** Fetches and starts the loop compiler, by default from the file beside this package. */
export async function createLoopCompiler(
  options: Pick<ModuleOptions, 'wasm' | 'assets' | 'inline' | 'signal' | 'onProgress'> = {},
): Promise<LoopCompiler> {
  const host = new HostFunctions();
  const wasm = options.wasm ?? assetSource('tern-loops.wasm.gz', options);
  const { exports } = await instantiate({ ...options, wasm }, host);
  const memory = new Memory(exports, host);
  host.attach(memory);
  return new LoopCompiler(memory);
}

export interface TuneLoopsOptions extends TuneOptions, Pick<ModuleOptions, 'wasm' | 'assets'> {
  /** Called with every candidate as soon as something came of it. */
  onProgress?: (candidate: TuneCandidate) => void;
}

/** `LoopCompiler.tune` from its beginning to its end, with a compiler of its own. */
export async function tuneLoops(
  source: string,
  options: TuneLoopsOptions = {},
): Promise<TuneResult> {
  const { wasm, assets, signal, onProgress, ...rest } = options;
  const from = { ...(wasm ? { wasm } : {}), ...(assets ? { assets } : {}) };
  const fetching = { ...from, ...(signal ? { signal } : {}) };
  const compiler = await createLoopCompiler(fetching);
  const search = compiler.tune(source, signal ? { ...rest, signal } : rest);
  for (;;) {
    const { done, value } = await search.next();
    if (done) return value;
    onProgress?.(value);
  }
}
