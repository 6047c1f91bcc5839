// SPDX-License-Identifier: Apache-2.0
// The elements of a tensor as numbers, whatever its dtype.
import type { Tensor } from 'tern-runtime';

function fromBits16(bits: number, exponentBits: number, fractionBits: number): number {
  const sign = bits >> 15 ? -1 : 1;
  const exponent = (bits >> fractionBits) & ((1 << exponentBits) - 1);
  const fraction = (bits & ((1 << fractionBits) - 1)) / (1 << fractionBits);
  const bias = (1 << (exponentBits - 1)) - 1;
  if (exponent === (1 << exponentBits) - 1) return fraction ? NaN : sign * Infinity;
  if (exponent === 0) return sign * fraction * 2 ** (1 - bias);
  return sign * (1 + fraction) * 2 ** (exponent - bias);
}

/** One element as a number; f16 and bf16 come as their bits. */
export function elementAt({ dtype, data }: Tensor, index: number): number {
  const raw = Number(data[index]);
  if (dtype === 'f16') return fromBits16(raw, 5, 10);
  if (dtype === 'bf16') return fromBits16(raw, 8, 7);
  return raw;
}
