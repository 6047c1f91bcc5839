// SPDX-License-Identifier: Apache-2.0
/** The option of createRuntime: `{ debugger: debugWasm }` or `{ language: debugWasm }`. */
export declare const debugWasm: URL;
