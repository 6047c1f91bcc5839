// SPDX-License-Identifier: Apache-2.0
// The runtime as something that is asked and answers later: the same whether the work is done in a
// worker or on the caller's thread.
import { type Arguments, type FunctionInfo, inOrder } from './calls.js';
import { errorWithHelp, TernError } from './errors.js';
import type { Threads } from './exports.js';
import { type FetchOptions, fetchBytes, type RemoteSource } from './fetch.js';
import { toAddress } from './files.js';
import { LeakWatch } from './leaks.js';
import type { CompiledModel, CompileOptions, RemoteLoadOptions } from './load_options.js';
import type { MachineOptions } from './program.js';
import { ProgressMeter, type ProgressListener } from './progress.js';
import {
  buffersOf,
  type LoadedAnswer,
  type MemoryUse,
  pack,
  type SentLoadOptions,
  type SentSource,
  type StatusAnswer,
  unpack,
} from './protocol.js';
import { kLoadWeights, type RuntimeInfo } from './runtime.js';
import { bytesAtHand } from './sources.js';
import type { Value } from './values.js';
import type { Port } from './worker_port.js';

/** Where the work of an AsyncRuntime is done, and why there. */
export interface Placement {
  worker: boolean;
  why: string;
}

export interface AsyncLoadOptions extends RemoteLoadOptions {
  /** Hands the given bytes over instead of copying them: the array is empty afterwards. */
  transfer?: boolean;
}

export interface RunOptions extends MachineOptions {
  /**
   * Ends the run: the promise is rejected at once, and the work stops after the instruction that
   * is under way. The program stays usable.
   */
  signal?: AbortSignal;
  /**
   * Hands the arrays of the arguments over to the worker instead of copying them: all of them, or
   * these buffers of them. They are empty afterwards. Results are always handed over.
   */
  transfer?: boolean | readonly ArrayBuffer[];
}

const kLimits = ['maxInstructions', 'maxBytes', 'maxDepth', 'maxTimeMs'] as const;

function limitsOf(options: RunOptions): MachineOptions {
  const given = kLimits.filter((name) => options[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, options[name]]));
}

/** A program in an AsyncRuntime. Runs of it are queued. */
export class AsyncProgram implements Disposable, AsyncDisposable {
  private disposed = false;

  /** @internal */
  constructor(
    private readonly port: Port,
    private readonly loaded: LoadedAnswer,
    private readonly leaks: LeakWatch | undefined,
  ) {
    leaks?.made(this, 'AsyncProgram');
  }

  get functions(): readonly FunctionInfo[] {
    return this.loaded.functions;
  }

  /** Of the executable. */
  get byteLength(): number {
    return this.loaded.bytes;
  }

  functionInfo(name: string): FunctionInfo {
    const found = this.functions.find((each) => each.name === name);
    if (found) return found;
    const names = this.functions.map((each) => each.name).join(', ');
    throw new TernError('E0206', `the program has no function '${name}'; it has ${names}`);
  }

  /** Runs a function: its results, by output name. */
  async run(
    name: string,
    args: Arguments,
    options: RunOptions = {},
  ): Promise<Record<string, Value>> {
    if (this.disposed) throw new TernError('E0702', 'this program has been disposed of');
    const packed = inOrder(this.functionInfo(name), args).map(pack);
    const { transfer = false, signal } = options;
    const all = buffersOf(packed);
    const handed = [...all].filter(
      (each) => transfer === true || (transfer !== false && transfer.includes(each)),
    );
    const program = this.loaded.program;
    const body = { kind: 'run', program, name, args: packed, limits: limitsOf(options) } as const;
    const results = await this.port.request(body, { signal, transfer: handed });
    return unpackFields(results as Record<string, unknown>);
  }

  dispose(): void {
    if (this.disposed) return;
    this.disposed = true;
    this.leaks?.disposed(this);
    const { program } = this.loaded;
    void this.port.request({ kind: 'free', program }).catch(() => undefined);
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.dispose();
  }
}

function unpackFields(results: Record<string, unknown>): Record<string, Value> {
  return Object.fromEntries(Object.entries(results).map(([name, each]) => [name, unpack(each)]));
}

/** What `createRuntime({ worker })` gives. */
export class AsyncRuntime implements Disposable, AsyncDisposable {
  /** @internal */
  constructor(
    private readonly port: Port,
    private readonly started: StatusAnswer,
    readonly placement: Placement,
    private readonly leaks: LeakWatch | undefined,
  ) {
    leaks?.made(this, 'AsyncRuntime');
  }

  get info(): RuntimeInfo {
    return this.started.info;
  }

  get capabilities(): {
    relaxedSimd: boolean;
    threads: boolean;
    worker: boolean;
    why: { threads: string; worker: string };
  } {
    const { worker, why } = this.placement;
    const { relaxedSimd, threads } = this.started;
    return {
      relaxedSimd,
      threads: threads.count > 1,
      worker,
      why: { threads: threads.reason, worker: why },
    };
  }

  /** How many threads run kernels, and why so many: more than one with tern-runtime/threads. */
  get threads(): Threads {
    return this.started.threads;
  }

  /**
   * Loads an executable or an ONNX model, which is compiled first, from bytes, an address, a
   * response or a blob.
   */
  async load(
    source: Uint8Array | ArrayBuffer | RemoteSource,
    options: AsyncLoadOptions = {},
  ): Promise<AsyncProgram> {
    const { signal, onProgress, transfer, ...rest } = options;
    signal?.throwIfAborted();
    const bytes = bytesAtHand(source);
    const handed = transfer && bytes ? [...buffersOf(bytes)] : [];
    const sent = bytes ?? (await this.sendable(source as RemoteSource, options));
    const sentOptions: SentLoadOptions = rest;
    const body = { kind: 'load', source: sent, options: sentOptions } as const;
    const loaded = await this.port.request(body, { signal, onProgress, transfer: handed });
    return new AsyncProgram(this.port, loaded, this.leaks);
  }

  /** ONNX bytes to executable bytes. */
  async compile(
    model: Uint8Array | ArrayBuffer,
    options: CompileOptions & { signal?: AbortSignal } = {},
  ): Promise<CompiledModel> {
    const { signal, ...rest } = options;
    const source = bytesAtHand(model);
    if (!source) throw notBytes();
    return this.port.request({ kind: 'compile', source, options: rest }, { signal });
  }

  /** Fetches what compiles models, so that the first `load` of one need not. */
  async prepareCompiler(
    options: { signal?: AbortSignal; onProgress?: ProgressListener } = {},
  ): Promise<void> {
    await this.port.request({ kind: 'prepareCompiler' }, options);
  }

  /** Counts what the module holds, as Runtime.memory does. */
  async memory(): Promise<MemoryUse> {
    return (await this.port.request({ kind: 'status' })).memory;
  }

  /** The long text of an error code, or undefined. */
  async explain(code: string): Promise<string | undefined> {
    return (await this.port.request({ kind: 'explain', code })) ?? undefined;
  }

  /** Ends the worker, whatever it is doing; what is waited for is rejected with E0702. */
  dispose(): void {
    this.leaks?.disposed(this);
    this.port.dispose();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.dispose();
  }

  // Addresses are fetched by the worker; a response belongs to this thread, so it is read here.
  private async sendable(
    source: RemoteSource,
    options: FetchOptions & AsyncLoadOptions,
  ): Promise<SentSource> {
    if (typeof source === 'string' || source instanceof URL) return toAddress(source).href;
    if (source instanceof Blob) return source;
    const { onProgress, integrity: _, ...rest } = options;
    // The worker's report goes on from what this one has reached.
    const meter = new ProgressMeter(onProgress, kLoadWeights);
    return fetchBytes(source, rest, meter.part('fetch'));
  }
}

function notBytes(): TernError {
  return errorWithHelp(
    'E0205',
    'a model to compile is a Uint8Array or an ArrayBuffer',
    'for an address: new Uint8Array(await (await fetch(url)).arrayBuffer())',
  );
}
