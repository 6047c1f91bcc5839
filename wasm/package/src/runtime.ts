// SPDX-License-Identifier: Apache-2.0
// A runtime is one instance of the WebAssembly module, on the thread that makes it.
import { breathe, unlessAborted } from './abort.js';
import { ExecBuilder } from './builder.js';
import { compileBy, compileInSteps } from './compile.js';
import type { TraceComparison, TraceContents } from './debugger_views.js';
import type { TypedArrays } from './dtypes.js';
import { type Diagnostic, errorWithHelp, TernError, withHelp } from './errors.js';
import type { Pointer, ThreadUse } from './exports.js';
import {
  fetchBytes,
  forget,
  helpForDamaged,
  MadeOfFile,
  type RemoteSource,
} from './fetch.js';
import { kAny, kRuntimeOptions } from './generated/layouts.js';
import { InspectedTensor } from './inspect.js';
import { checkPolicy, KernelBackends, type KernelInfo, type KernelPolicy } from './kernels.js';
import { type FixedSource, Language, type SourceAnswers } from './language.js';
import type {
  CompiledModel,
  CompileOptions,
  LoadOptions,
  RemoteLoadOptions,
} from './load_options.js';
import { LoopsOnDemand } from './loops_on_demand.js';
import type { Memory } from './memory.js';
import type { MemoryPlan, ModelGraph } from './model_report.js';
import type { ModuleOptions } from './module.js';
import { type Listing, Program } from './program.js';
import { ProgressMeter, type ProgressListener } from './progress.js';
import { ResidentTensor } from './resident.js';
import { bytesAtHand, looksLikeExecutable } from './sources.js';
import {
  type HostFunction,
  newTensor,
  readValue,
  type Tensor,
  TernFunction,
  type Value,
  writeValue,
} from './values.js';
import { hasRelaxedSimd } from './vectors.js';

export interface RuntimeInfo {
  version: string;
  target: string;
  targets: string[];
  /** Those that are here: further ones come when a program needs one, or `prepareOperators`. */
  operators: string[];
}

/** As tern_trace_json writes it. */
interface TraceSummary {
  first: number;
  end: number;
  code: TraceContents['functions'];
  function?: string;
}

const kProgramName = 'program.tn';

const kOneThread: ThreadUse = {
  count: 1,
  reason: "'tern-runtime/threads' was not asked for",
  tasks: [],
};

// Of compiling, before a page hears of its events again; a single pass may take longer.
const kCompileSliceMs = 8;

// What the parts of loading count in the progress of the whole.
export const kLoadWeights = { fetch: 5, compiler: 3, compile: 2, load: 1 };
const kRemoteOnly: readonly (keyof RemoteLoadOptions)[] = [
  'signal',
  'onProgress',
  'integrity',
  'cache',
];

// No model and no whole executable: what a download can have become on its way.
const kDamaged: ReadonlySet<string> = new Set(['E0401', 'E0105']);

export class Runtime implements Disposable {
  private readonly memory_: Memory;
  /** @internal */
  readonly loops: LoopsOnDemand;
  private handle: Pointer;

  /** @internal */
  constructor(
    memory: Memory,
    private readonly options: ModuleOptions = {},
    platform = memory.raw('tern_wasm_platform'),
  ) {
    this.memory_ = memory;
    this.loops = new LoopsOnDemand(options);
    memory.withStruct(kRuntimeOptions, { platform }, (struct) =>
      memory.call('tern_wasm_runtime_create', struct, memory.scratch),
    );
    this.handle = memory.u32(memory.scratch);
    memory.host.runtime = this.handle;
    memory.leaks?.made(this, 'Runtime');
  }

  get info(): RuntimeInfo {
    this.memory_.call('tern_runtime_info', this.live(), this.memory_.scratch);
    return JSON.parse(
      this.memory_.takeBuffer(this.memory_.u32(this.memory_.scratch)),
    ) as RuntimeInfo;
  }

  get capabilities(): { relaxedSimd: boolean; threads: boolean; why: { threads: string } } {
    const { count, reason } = this.threads;
    return {
      relaxedSimd: hasRelaxedSimd() && this.info.target === 'relaxed',
      threads: count > 1,
      why: { threads: reason },
    };
  }

  /** How many threads run kernels, and why so many: more than one with tern-runtime/threads. */
  get threads(): ThreadUse {
    return this.options.threading?.threads ?? kOneThread;
  }

  /** Counts what the module holds: `liveObjects` is back where it was when all is disposed of. */
  memory(): {
    wasmBytes: number;
    liveObjects: number;
    hostFunctions: number;
    /** Of executables that were loaded with `constants: 'on-demand'`, outside of wasmBytes. */
    outsideBytes: number;
    /** Loop kernels that have code, emitted or interpreted. */
    kernels: number;
  } {
    return {
      wasmBytes: this.memory_.byteLength,
      liveObjects: Number(this.memory_.raw('tern_live_objects')),
      hostFunctions: this.memory_.host.size,
      outsideBytes: this.memory_.host.sourceBytes,
      kernels: this.memory_.host.kernelCount,
    };
  }

  /**
   * A packed function by name: an operator ("add", "conv2d{strides=2,2}") or what was registered.
   * The handle must be disposed of.
   */
  function(name: string): TernFunction {
    const memory = this.memory_;
    this.live();
    return memory.withAnys(1, (any) => {
      memory.withText(name, (text) => memory.call('tern_function_find', text, any));
      return new TernFunction(memory, any);
    });
  }

  /** Puts a function under a name, for programs and for `function`. */
  register(name: string, f: HostFunction, options: { replace?: boolean } = {}): void {
    const memory = this.memory_;
    this.live();
    memory.withAnys(1, (any) => {
      memory.host.write(name, f, any);
      memory.call('tern_function_register', any, options.replace ? 1 : 0);
    });
  }

  unregister(name: string): void {
    this.live();
    this.memory_.withText(name, (text) => this.memory_.call('tern_function_remove', text));
  }

  /** The names of all functions, sorted. */
  functionNames(): string[] {
    this.memory_.call('tern_function_names', this.memory_.scratch);
    return JSON.parse(this.memory_.takeBuffer(this.memory_.u32(this.memory_.scratch))) as string[];
  }

  /** A copy of a tensor in the module, to be looked into; in the module with the debugger. */
  inspect(tensor: Tensor): InspectedTensor {
    const memory = this.memory_;
    return memory.withAnys(1, (any) => {
      writeValue(memory, this.live(), tensor, any);
      return InspectedTensor.of(memory, any)!;
    });
  }

  /** A value to the module and back: what arrives there. */
  echo(value: Value): Value {
    const memory = this.memory_;
    return memory.withAnys(1, (any) => {
      writeValue(memory, this.live(), value, any);
      return readValue(memory, any);
    });
  }

  /** A value and all that it holds as JSON that reads back to an equal value. */
  toJson(value: Value): string {
    return new TextDecoder().decode(this.serialize('tern_graph_to_json', value));
  }

  fromJson(json: string): Value {
    const memory = this.memory_;
    this.live();
    return memory.withAnys(1, (any) => {
      memory.withText(json, (text, size) => memory.call('tern_graph_from_json', text, size, any));
      return readValue(memory, any);
    });
  }

  /** The same as bytes. */
  toBytes(value: Value): Uint8Array<ArrayBuffer> {
    return this.serialize('tern_graph_to_bytes', value);
  }

  fromBytes(bytes: Uint8Array): Value {
    const memory = this.memory_;
    this.live();
    const data = this.copyIn(bytes);
    try {
      return memory.withAnys(1, (any) => {
        memory.call('tern_graph_from_bytes', data, bytes.length, any);
        return readValue(memory, any);
      });
    } finally {
      memory.free(data);
    }
  }

  /** Where two values first differ, as "path: what"; undefined where they are equal. */
  difference(a: Value, b: Value): string | undefined {
    const memory = this.memory_;
    return memory.withAnys(2, (anys) => {
      writeValue(memory, this.live(), a, anys);
      writeValue(memory, this.live(), b, anys + kAny.size);
      memory.call('tern_any_equal', anys, anys + kAny.size, memory.scratch, memory.scratch + 4);
      if (memory.u32(memory.scratch) !== 0) return undefined;
      return memory.takeBuffer(memory.u32(memory.scratch + 4));
    });
  }

  /** The text of any value as listings show it. */
  print(value: Value): string {
    const memory = this.memory_;
    return memory.withAnys(1, (any) => {
      writeValue(memory, this.live(), value, any);
      memory.call('tern_any_text', any, memory.scratch);
      return memory.takeBuffer(memory.u32(memory.scratch));
    });
  }

  /**
   * Fetches the operators that few programs call, once. `load` of an address does it by itself for
   * a program that has one; before `load` of such a program's bytes and `function` of such an
   * operator, pages had better await this, or the page stands still while it is fetched.
   */
  async prepareOperators(
    options: { signal?: AbortSignal; onProgress?: ProgressListener } = {},
  ): Promise<void> {
    this.live();
    const meter = new ProgressMeter(options.onProgress, { operators: 1 });
    await this.memory_.onDemand?.before?.fetch(options.signal, meter.part('operators'));
    meter.finish();
  }

  /**
   * Fetches what compiles, assembles and lists programs, once: the calls that need it then need not
   * wait for it themselves.
   */
  async prepareCompiler(
    options: { signal?: AbortSignal; onProgress?: ProgressListener } = {},
  ): Promise<void> {
    this.live();
    const meter = new ProgressMeter(options.onProgress, { compiler: 1 });
    await this.memory_.onDemand?.fetch(options.signal, meter.part('compiler'));
    meter.finish();
  }

  /** ONNX bytes to executable bytes. */
  compile(model: Uint8Array, options: CompileOptions = {}): CompiledModel {
    const data = this.copyIn(model);
    try {
      const input = { data, size: model.length, name: 'model' };
      return compileBy('tern_compile_onnx', this.memory_, this.live(), input, options);
    } finally {
      this.memory_.free(data);
    }
  }

  /**
   * Where the tensors of a model's functions lie, at these extents of its symbols: the stage
   * "memory_json" of compiling it.
   */
  memoryPlan(model: Uint8Array, sizes: CompileOptions['sizes'] = {}): MemoryPlan {
    const { stages } = this.compile(model, { printAfter: ['memory_json'], sizes });
    return JSON.parse(stages[0]!.text) as MemoryPlan;
  }

  /** The graph of an ONNX file; in the module with the debugger. */
  modelGraph(model: Uint8Array): ModelGraph {
    const memory = this.memory_;
    const data = this.copyIn(model);
    try {
      memory.call('tern_model_graph', this.live(), data, model.length, memory.scratch);
      return JSON.parse(memory.takeBuffer(memory.u32(memory.scratch))) as ModelGraph;
    } finally {
      memory.free(data);
    }
  }

  /** What a record of a run (`Debugger.saveTrace`) has, and what the run began with. */
  readTrace(bytes: Uint8Array): TraceContents {
    const memory = this.memory_;
    this.live();
    const data = this.copyIn(bytes);
    try {
      memory.withText('summary', (what) =>
        memory.call('tern_trace_json', data, bytes.length, what, 0n, 0n, memory.scratch));
      const { first, end, code, function: name } =
        JSON.parse(memory.takeBuffer(memory.u32(memory.scratch))) as TraceSummary;
      const read = { first, end, functions: code };
      if (name === undefined) return read;
      return memory.withAnys(1, (args) => {
        memory.call('tern_trace_arguments', data, bytes.length, args);
        return { ...read, call: { function: name, args: readValue(memory, args) as Value[] } };
      });
    } finally {
      memory.free(data);
    }
  }

  /**
   * Where two records of runs (`Debugger.saveTrace`) differ: the first `most` differences, as if
   * each value that differs had been equal.
   */
  compareTraces(a: Uint8Array, b: Uint8Array, most = 200): TraceComparison {
    const memory = this.memory_;
    this.live();
    const [first, second] = [this.copyIn(a), this.copyIn(b)];
    try {
      memory.call('tern_trace_compare', first, a.length, second, b.length, BigInt(most),
        memory.scratch);
      return JSON.parse(memory.takeBuffer(memory.u32(memory.scratch))) as TraceComparison;
    } finally {
      memory.free(second);
      memory.free(first);
    }
  }

  /**
   * The text of a program (docs/language.md) to executable bytes. Needs
   * createRuntime({ language: true }), as the three below.
   */
  compileSource(text: string, options: CompileOptions = {}): CompiledModel {
    this.language();
    const name = kProgramName;
    return this.memory_.withText(text, (data, size) =>
      compileBy('tern_compile_source', this.memory_, this.live(), { data, size, name }, options),
    );
  }

  /** What is wrong with a program, warnings included. */
  checkSource(text: string, sourceName = kProgramName): Diagnostic[] {
    return this.language().check(text, sourceName);
  }

  /** The same of assembly text. */
  checkAssembly(text: string, sourceName = 'program.tasm'): Diagnostic[] {
    return this.language().checkAssembly(text, sourceName);
  }

  /** Applies the fixes of a program's diagnostics; the text is as it was where there is none. */
  fixSource(text: string, sourceName = kProgramName): FixedSource {
    return this.language().fix(text, sourceName);
  }

  /** The program in its one layout; throws where it cannot be read. */
  formatSource(text: string, sourceName = kProgramName): string {
    return this.language().format(text, sourceName);
  }

  /** What an editor asks about a program, also of one with mistakes. */
  querySource<Q extends keyof SourceAnswers>(
    text: string,
    question: Q,
    position = 0,
  ): SourceAnswers[Q] {
    return this.language().query(text, question, position) as SourceAnswers[Q];
  }

  /** Assembly text to executable bytes. */
  assemble(text: string, sourceName = 'program.tasm'): Uint8Array<ArrayBuffer> {
    const memory = this.memory_;
    memory.withText(text, (data, size) =>
      memory.withText(sourceName, (name) =>
        memory.call('tern_assemble', this.live(), data, size, name, memory.scratch),
      ),
    );
    return memory.takeBytes(memory.u32(memory.scratch));
  }

  /** A new executable, instruction by instruction. */
  builder(): ExecBuilder {
    return new ExecBuilder(this.memory_, this.live());
  }

  /** An executable as text, also where it imports what this runtime does not have. */
  text(executable: Uint8Array, listing: Listing): string {
    const memory = this.memory_;
    const data = this.copyIn(executable);
    try {
      memory.withText(listing, (format) =>
        memory.call(
          'tern_inspect_executable',
          this.live(),
          data,
          executable.length,
          format,
          memory.scratch,
        ),
      );
      return memory.takeBuffer(memory.u32(memory.scratch));
    } finally {
      memory.free(data);
    }
  }

  /**
   * Loads an executable; an ONNX model is compiled first. The kind is told by the first bytes.
   * Bytes are loaded at once. An address, a response or a blob is fetched, with progress, integrity
   * and cache, and gives a promise; wrap bytes in `new Response(bytes)` for the same.
   */
  load(bytes: Uint8Array | ArrayBuffer, options?: LoadOptions): Program;
  load(source: RemoteSource, options?: RemoteLoadOptions): Promise<Program>;
  load(
    source: Uint8Array | ArrayBuffer | RemoteSource,
    options: RemoteLoadOptions = {},
  ): Program | Promise<Program> {
    const bytes = bytesAtHand(source);
    if (!bytes) return this.loadRemote(source as RemoteSource, options);
    const [asked] = kRemoteOnly.filter((name) => options[name] !== undefined);
    if (asked === undefined) return this.loadBytes(bytes, options);
    throw errorWithHelp(
      'E0003',
      `'${asked}' is an option for what is fetched, and these are bytes`,
      'pass new Response(bytes), which gives a promise, or leave the option out',
    );
  }

  /** @internal The same of what must be fetched, or was compiled and kept before. */
  async loadFrom(
    source: RemoteSource,
    options: RemoteLoadOptions,
    meter: ProgressMeter,
  ): Promise<Program> {
    const made = options.cache
      ? await MadeOfFile.find(source, options, this.compilation(options))
      : undefined;
    const kept = made && (await this.loadMade(made, options, meter));
    if (kept) return kept;
    const bytes = await fetchBytes(source, options, meter.part('fetch'));
    meter.skip('fetch');
    const program = await this.loadSlowly(bytes, options, meter).catch(async (error: unknown) => {
      if (!(error instanceof TernError)) throw error;
      // It may be half of a file, of which a server said that it is all.
      await forget(source, options);
      throw kDamaged.has(error.code) ? withHelp(error, helpForDamaged(source, bytes)) : error;
    });
    if (made && !looksLikeExecutable(bytes)) await made.keep(program.bytes);
    return program;
  }

  /** @internal The same of bytes, giving way before what takes long. */
  async loadSlowly(
    bytes: Uint8Array,
    options: RemoteLoadOptions,
    meter: ProgressMeter,
  ): Promise<Program> {
    const { signal } = options;
    let executable = bytes;
    const told = { phase: 'compile', loaded: bytes.length, total: bytes.length } as const;
    if (!looksLikeExecutable(bytes)) {
      await this.memory_.onDemand?.fetch(signal, meter.part('compiler'));
      meter.skip('compiler');
      const compiling = meter.part('compile');
      executable = await this.compileSlowly(bytes, options, async (fraction) => {
        compiling?.({ ...told, fraction });
        await unlessAborted(breathe(), signal);
      });
    }
    meter.skip('compiler');
    meter.skip('compile');
    meter.part('load')?.({ ...told, phase: 'load', fraction: 0 });
    await unlessAborted(breathe(), signal);
    const load = (): Program => this.loadBytes(executable, options);
    const operators = this.memory_.onDemand?.before;
    return operators ? operators.patiently(load, signal) : load();
  }

  /**
   * Gives the loop kernels of a program the backends of a policy, for machines made from then on;
   * the loop compiler is fetched where the program has kernels and the policy wants it. What comes
   * of each is in the result, as in `Program.kernels`.
   */
  async prepareKernels(
    program: Program,
    options: { policy?: KernelPolicy } = {},
  ): Promise<KernelInfo[]> {
    const policy = options.policy ?? 'auto';
    checkPolicy(policy);
    this.live();
    const backends = new KernelBackends(this.memory_, program.pointer(), policy);
    if (policy === 'operators') backends.leaveAll('asked for');
    else if (backends.wanted().length > 0) {
      const compiler = await this.loops.fetch();
      program.pointer(); // throws where it has been disposed of meanwhile
      if (compiler) await backends.prepare(compiler, () => program.pointer());
      else backends.leaveAll(this.loops.why);
    }
    return program.kernels();
  }

  /** The long text of an error code, or undefined. The texts are with the compiler. */
  explain(code: string): string | undefined {
    try {
      const text = this.memory_.withText(code, (pointer) =>
        this.memory_.raw('tern_explain', pointer),
      );
      return text === 0 ? undefined : this.memory_.text(text);
    } catch (error) {
      if (error instanceof TernError) return undefined; // they are not to be had
      throw error;
    }
  }

  /**
   * A tensor in the module's memory, for `data.set(…)` and runs without a copy. Its elements are
   * zero.
   */
  tensor<D extends keyof TypedArrays>(
    dtype: D,
    shape: readonly number[],
  ): ResidentTensor<TypedArrays[D]> {
    const memory = this.memory_;
    const runtime = this.live();
    return memory.withAnys(1, (any) => {
      newTensor(memory, runtime, dtype, shape, any);
      const tensor = new ResidentTensor<TypedArrays[D]>(memory, any);
      const { data } = tensor;
      new Uint8Array(data.buffer, data.byteOffset, data.byteLength).fill(0);
      return tensor;
    });
  }

  dispose(): void {
    if (this.handle === 0) return;
    this.memory_.leaks?.disposed(this);
    this.memory_.raw('tern_runtime_free', this.handle);
    this.handle = 0;
    this.options.threading?.stop?.();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  private async loadRemote(source: RemoteSource, options: RemoteLoadOptions): Promise<Program> {
    this.live();
    const meter = new ProgressMeter(options.onProgress, kLoadWeights);
    const program = await this.loadFrom(source, options, meter);
    meter.finish();
    return program;
  }

  /** What of an executable depends on the compiler: its version and what it was asked for. */
  private compilation(options: CompileOptions): string {
    const { relaxedMath = false, exactConvolutions = false, disabledPasses = [] } = options;
    return JSON.stringify([this.info.version, relaxedMath, exactConvolutions, disabledPasses]);
  }

  // What the compiler made of the same file before; undefined where it cannot be used.
  private async loadMade(
    made: MadeOfFile,
    options: RemoteLoadOptions,
    meter: ProgressMeter,
  ): Promise<Program | undefined> {
    const bytes = await unlessAborted(made.take(meter.part('fetch')), options.signal);
    if (!bytes) return undefined;
    try {
      if (looksLikeExecutable(bytes)) return await this.loadSlowly(bytes, options, meter);
    } catch (error) {
      if (!(error instanceof TernError)) throw error; // an abort
    }
    await made.forget();
    return undefined;
  }

  // Gives way before it starts and wherever a slice of time has passed.
  private async compileSlowly(
    model: Uint8Array,
    options: CompileOptions,
    giveWay: (fraction: number) => Promise<void>,
  ): Promise<Uint8Array> {
    await giveWay(0);
    const memory = this.memory_;
    const input = { data: this.copyIn(model), size: model.length, name: 'model' };
    let since = performance.now();
    try {
      const live = (): Pointer => this.live();
      const compiled = await compileInSteps(memory, live, input, options, async (fraction) => {
        if (performance.now() - since < kCompileSliceMs) return;
        await giveWay(fraction);
        since = performance.now();
      });
      return compiled.bytes;
    } finally {
      memory.free(input.data);
    }
  }

  private loadBytes(given: Uint8Array, options: LoadOptions): Program {
    const bytes = looksLikeExecutable(given) ? given : this.compile(given, options).bytes;
    const policy = options.kernels ?? 'auto';
    checkPolicy(policy);
    const program =
      options.constants === 'on-demand' ? this.loadOnDemand(bytes) : this.loadCopied(bytes);
    const backends = new KernelBackends(this.memory_, program.pointer(), policy);
    if (policy === 'operators') backends.leaveAll('asked for');
    else if (this.options.loops !== undefined) {
      const { compiler } = this.loops;
      if (compiler) backends.prepareNow(compiler);
      else backends.leaveAll(this.loops.why);
    }
    return program;
  }

  private language(): Language {
    return new Language(this.memory_, this.live());
  }

  private serialize(how: string, value: Value): Uint8Array<ArrayBuffer> {
    const memory = this.memory_;
    return memory.withAnys(1, (any) => {
      writeValue(memory, this.live(), value, any);
      memory.call(how, any, memory.scratch);
      return memory.takeBytes(memory.u32(memory.scratch));
    });
  }

  private loadCopied(bytes: Uint8Array): Program {
    const memory = this.memory_;
    const data = this.copyIn(bytes);
    // From here on the module frees the bytes, also when loading fails.
    memory.call(
      'tern_program_load',
      this.live(),
      data,
      bytes.length,
      memory.raw('tern_wasm_free_hook'),
      data,
      memory.scratch,
    );
    return new Program(
      memory,
      this.handle,
      memory.u32(memory.scratch),
      bytes.slice() as Uint8Array<ArrayBuffer>,
    );
  }

  private loadOnDemand(bytes: Uint8Array): Program {
    const memory = this.memory_;
    // The module releases the number, also when loading fails.
    memory.call(
      'tern_wasm_load_on_demand',
      this.live(),
      memory.host.keep(bytes),
      bytes.length,
      memory.scratch,
    );
    return new Program(
      memory,
      this.handle,
      memory.u32(memory.scratch),
      bytes as Uint8Array<ArrayBuffer>,
    );
  }

  private copyIn(bytes: Uint8Array): Pointer {
    const data = this.memory_.alloc(bytes.length, true);
    this.memory_.bytes(data, bytes.length).set(bytes);
    return data;
  }

  private live(): Pointer {
    if (this.handle === 0) throw new TernError('E0702', 'this runtime has been disposed of');
    return this.handle;
  }
}
