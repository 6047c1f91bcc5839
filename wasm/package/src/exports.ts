// SPDX-License-Identifier: Apache-2.0
// What an instance of the module is to the code around it: its functions, and what of JavaScript
// it may call. These are the types that everything else is built on, so this file imports nothing
// of the package but its errors and the listener of progress.
import type { TernError } from './errors.js';
import type { PartListener } from './progress.js';

/** A pointer into the module's memory; 0 is NULL. */
export type Pointer = number;

/** The functions of core/api/c_api.h, pointers as numbers; and the linear memory. */
export interface Exports {
  readonly memory: WebAssembly.Memory;
  [name: string]: unknown;
}

/** A module that runs. */
export interface Instance {
  readonly module: WebAssembly.Module;
  readonly exports: Exports;
}

/** Modules on one memory that threads share. */
export interface Sharing {
  /** The same module on that memory. */
  shaped(bytes: Uint8Array): Uint8Array<ArrayBuffer>;
  /** Once the first module was shaped. */
  readonly memory: WebAssembly.Memory | undefined;
}

/** How many threads run the kernels of a runtime, and why so many. */
export interface Threads {
  readonly count: number;
  readonly reason: string;
}

/** The same on the thread that runs programs. */
export interface ThreadUse extends Threads {
  /** How many parts of kernels each thread has run; the first is the one that runs programs. */
  readonly tasks: readonly number[];
}

/** What the entry tern-runtime/threads adds to a runtime. */
export interface Threading {
  readonly sharing?: Sharing;
  readonly threads: ThreadUse;
  /** Starts the workers: the platform that lends them, for tern_runtime_create. */
  start?(
    first: Instance,
    operators: WebAssembly.Module | undefined,
    memory: MemoryCalls,
  ): Promise<Pointer>;
  stop?(): void;
}

/** What of Memory (memory.ts) those need that are below it. */
export interface MemoryCalls {
  readonly table: { add(f: CallableFunction): number };
  readonly host: Host;
  alloc(size: number, align64?: boolean): Pointer;
  free(pointer: Pointer): void;
  bytes(pointer: Pointer, size: number): Uint8Array;
  raw(name: string, ...args: (number | bigint)[]): number;
}

/** Functions that a module lacks at first, in a file that is fetched when one is called. */
export interface OnDemandExports {
  /** Fetches them and those before them, once, whoever asks. */
  fetch(signal?: AbortSignal, tell?: PartListener): Promise<void>;
  /** They and those before them, read here and now where they have not been fetched. */
  now(): Exports;
  /** The part that this one works with. */
  readonly before?: OnDemandExports | undefined;
  /**
   * What f gives. Where it fails because the part is not here, the part is fetched and f called
   * again.
   */
  patiently<T>(f: () => T, signal?: AbortSignal): Promise<T>;
  /** The error, with why the part could not be read where the call that failed wanted it. */
  explained(error: TernError): TernError;
}

/** Code of a kernel. `call` returns 0, or a number for what went wrong, and throws nothing. */
export interface HostKernel {
  call?: (buffers: Pointer, slots: Pointer) => number;
  release: () => void;
}

/** What of JavaScript the module holds, by number (functions.ts), as far as others give it some. */
export interface Host {
  /** tern_runtime*, for the values that are made in calls. */
  runtime: Pointer;
  /** Keeps a kernel until the module releases the number. */
  keepKernel(kernel: HostKernel): number;
  /** Keeps bytes that the module reads, until it releases the number. */
  keep(bytes: Uint8Array): number;
  /** Writes an owned TernAny that holds the function at `any`. */
  write(name: string, f: CallableFunction, any: Pointer): void;
  /** How many functions the module holds now. */
  readonly size: number;
  /** Bytes outside of the module that it may still read. */
  readonly sourceBytes: number;
  /** Kernels that functions of the module hold. */
  readonly kernelCount: number;
}
