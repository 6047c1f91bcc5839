// SPDX-License-Identifier: Apache-2.0
// Which vectors the engine has. Imports nothing, so that a page can ask before the package has
// come.

// (func (param v128) (result v128) local.get 0 local.get 0 local.get 0 f32x4.relaxed_madd)
const kRelaxedProbe = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 6, 1, 96, 1, 123, 1, 123, 3, 2, 1, 0, 10, 13, 1, 11, 0, 32, 0, 32,
  0, 32, 0, 253, 133, 2, 11,
]);
// (func (result v128) v128.const 0)
const kSimdProbe = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 22, 1, 20, 0, 253, 12, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 11,
]);

export const hasSimd = (): boolean => WebAssembly.validate(kSimdProbe);
export const hasRelaxedSimd = (): boolean => WebAssembly.validate(kRelaxedProbe);
