// SPDX-License-Identifier: Apache-2.0
// How models are compiled and programs loaded, and what compiling gives.
import type { FetchOptions } from './fetch.js';
import type { KernelPolicy } from './kernels.js';
import type { ProgressListener } from './progress.js';

export interface CompileOptions {
  /** The model's name in messages. */
  sourceName?: string;
  /** Pass names (or ["all"]) whose text `stages` of the result shows. */
  printAfter?: string[];
  disabledPasses?: string[];
  /**
   * Loop kernels may round a * b + c once, where the engine can; results then differ between
   * processors in the last places. Off by default.
   */
  relaxedMath?: boolean;
  /** No convolution by Winograd's algorithm, which is faster and rounds more. Off by default. */
  exactConvolutions?: boolean;
  /** Extents of symbols, at which the stage "memory_json" also says where everything lies. */
  sizes?: { readonly [symbol: string]: number };
  /**
   * Bytes that what compiling makes (trees, graphs, constants) may take; more is the error E0302.
   * By default what the module's memory has.
   */
  maxBytes?: number;
}

export interface LoadOptions extends CompileOptions {
  /**
   * Where the constants of the program are. 'copied' (the default): all of them in the module's
   * memory, from the start. 'on-demand': the executable stays in the array that was given, which
   * must not be changed from then on, and each constant is copied when a function that can reach it
   * is called for the first time.
   */
  constants?: 'copied' | 'on-demand';
  /** How loop kernels are to run; 'auto' by default. For a runtime that has the loop compiler. */
  kernels?: KernelPolicy;
}

/** How a program is loaded from an address, a response or a blob. */
export interface RemoteLoadOptions extends LoadOptions, FetchOptions {
  /** Hears of the model, of the compiler where it is fetched for it, and of what both take. */
  onProgress?: ProgressListener;
}

/** The program after a pass. */
export interface CompiledStage {
  name: string;
  text: string;
  /** Lines, counted from 1, and the node or "file:line:column" that each came from. */
  origins: [line: number, origin: string][];
}

export interface CompiledModel {
  bytes: Uint8Array<ArrayBuffer>;
  stages: CompiledStage[];
}
