// SPDX-License-Identifier: Apache-2.0
// Whether what a real model says is what ONNX Runtime says of the same, within rounding.
const kAbsolute = 1e-2;
const kRelative = 1e-4;

export const isNear = (said, expected) =>
  said?.length === expected.length &&
  expected.every(
    (value, i) => Math.abs(said[i] - value) <= kAbsolute + kRelative * Math.abs(value),
  );
