// SPDX-License-Identifier: Apache-2.0
// What scripts/bundle.mjs puts into the entry that needs no files.
declare module 'tern-inline-data' {
  /** tern-simd.wasm, tern-operators.wasm and tern-compiler.wasm, gzipped, in base64. */
  export const runtime: string;
  export const operators: string;
  export const compiler: string;
  /** The script of the worker. */
  export const workerScript: string;
}
