// SPDX-License-Identifier: Apache-2.0
// What an AsyncRuntime and the engine behind it say to each other: the same messages within a
// thread and between two. All of them survive a structured clone.
import type { FunctionInfo } from './calls.js';
import { type Diagnostic, TernError } from './errors.js';
import type { Threads } from './exports.js';
import type { FetchOptions } from './fetch.js';
import type { CompiledStage, CompileOptions, LoadOptions } from './load_options.js';
import type { ModuleOptions } from './module.js';
import type { MachineOptions } from './program.js';
import type { Progress } from './progress.js';
import { ResidentTensor } from './resident.js';
import type { RuntimeInfo } from './runtime.js';
import { isTensor, makeTensor, TernFunction, Tuple, type Value } from './values.js';

/** What a program can be loaded from on the other side. */
export type SentSource = string | Blob | Uint8Array;

export type SentLoadOptions = LoadOptions & Omit<FetchOptions, 'signal'>;

/** An address for each file of the package, or bytes. */
export type StartOptions = Omit<
  ModuleOptions,
  'signal' | 'onProgress' | 'assets' | 'inline' | 'threading'
> & {
  files: { [file: string]: string | Uint8Array };
  threads?: 'auto' | number;
  kernelWorker?: string;
};

export type RequestBody =
  | { kind: 'start'; options: StartOptions }
  | { kind: 'load'; source: SentSource; options: SentLoadOptions }
  | { kind: 'compile'; source: Uint8Array; options: CompileOptions }
  | { kind: 'prepareCompiler' }
  | { kind: 'run'; program: number; name: string; args: unknown[]; limits: MachineOptions }
  | { kind: 'status' }
  | { kind: 'explain'; code: string }
  | { kind: 'free'; program: number };

export interface LoadedAnswer {
  program: number;
  functions: FunctionInfo[];
  /** Of the executable. */
  bytes: number;
}

export interface StatusAnswer {
  info: RuntimeInfo;
  relaxedSimd: boolean;
  threads: Threads;
  memory: MemoryUse;
}

/** What the runtime holds; see Runtime.memory. */
export interface MemoryUse {
  wasmBytes: number;
  liveObjects: number;
  hostFunctions: number;
  outsideBytes: number;
  kernels: number;
}

/** The answer to each kind of request. */
export interface Answers {
  start: StatusAnswer;
  load: LoadedAnswer;
  compile: { bytes: Uint8Array<ArrayBuffer>; stages: CompiledStage[] };
  prepareCompiler: null;
  run: unknown;
  status: StatusAnswer;
  explain: string | null;
  free: null;
}

export type Request = RequestBody & { id: number };
export type Message = Request | { kind: 'abort'; id: number };

/** An error as it crosses. `name` is of errors that are not TernErrors. */
export interface Failure {
  name: string;
  code: string;
  message: string;
  text: string;
  diagnostics: readonly Diagnostic[];
}

export type Reply =
  | { kind: 'hello' }
  | { kind: 'progress'; id: number; progress: Progress }
  | { kind: 'done'; id: number; answer: unknown }
  | { kind: 'failed'; id: number; failure: Failure };

// Told by the name, because a second script of a worker has a class of its own.
const isTernError = (error: unknown): error is TernError =>
  error instanceof Error && error.name === 'TernError';

export function toFailure(error: unknown): Failure {
  if (isTernError(error)) {
    const { name, code, message, text, diagnostics } = error;
    return { name, code, message, text, diagnostics };
  }
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  return { name, code: '', message, text: message, diagnostics: [] };
}

export function fromFailure({ name, code, message, text, diagnostics }: Failure): Error {
  if (code !== '') return new TernError(code, message, text, diagnostics);
  if (name === 'AbortError' || name === 'TimeoutError') return new DOMException(message, name);
  // Not one of the package's own: a trap of the module, or of the engine that runs it.
  return new TernError('E0901', `internal error: ${name}: ${message}`);
}

const kTuple = 'tern-tuple';

/** A value with Tuples as plain objects, because a clone would make them that anyway. */
export function pack(value: Value): unknown {
  if (typeof value === 'function' || value instanceof TernFunction) {
    throw new TernError(
      'E0205',
      'a function does not cross to the worker: use createRuntime() without `worker`, in a ' +
        'worker of your own',
    );
  }
  if (value instanceof ResidentTensor)
    throw new TernError('E0701', 'this tensor belongs to another runtime');
  if (value instanceof Tuple) return { [kTuple]: value.fields.map(pack) };
  if (Array.isArray(value)) return value.map(pack);
  if (value instanceof Map)
    return new Map([...value].map(([key, each]) => [pack(key), pack(each)]));
  // An array that was handed over before has no elements left, which the shape tells.
  if (isTensor(value)) return makeTensor(value.dtype, value.shape, value.data);
  if (value instanceof Uint8Array && value.length === 0) return new Uint8Array();
  return value;
}

export function unpack(value: unknown): Value {
  if (Array.isArray(value)) return value.map(unpack);
  if (value instanceof Map)
    return new Map([...value].map(([key, each]) => [unpack(key), unpack(each)]));
  if (typeof value === 'object' && value !== null && kTuple in value)
    return new Tuple(...(value[kTuple] as unknown[]).map(unpack));
  return value as Value;
}

/** The buffers of all tensors and bytes in a value, each once. */
export function buffersOf(value: unknown, found = new Set<ArrayBuffer>()): Set<ArrayBuffer> {
  const data = isTensor(value) ? value.data : value;
  if (ArrayBuffer.isView(data)) {
    // What is shared between threads is not handed over, and of what is empty nothing is left.
    if (data.buffer instanceof ArrayBuffer && data.buffer.byteLength > 0) found.add(data.buffer);
  } else if (Array.isArray(value) || value instanceof Map) {
    for (const each of value.values()) buffersOf(each, found);
  } else if (typeof value === 'object' && value !== null) {
    for (const each of Object.values(value)) buffersOf(each, found);
  }
  return found;
}
