// SPDX-License-Identifier: Apache-2.0
// Where the module is, in the form that bundlers recognise.
export const debugWasm = new URL('./tern-debug.wasm', import.meta.url);
