// SPDX-License-Identifier: Apache-2.0
// What a source of a program is, as far as can be told before it is loaded.
import { kFileMagic } from './generated/abi.js';

/** Whether the bytes begin as an executable does; only loading tells whether they are one. */
export function looksLikeExecutable(bytes: Uint8Array): boolean {
  // What follows "TERN" shows whether a transfer has changed ends of lines, which loading tells.
  return kFileMagic.slice(0, 5).every((byte, i) => bytes[i] === byte);
}

/** The bytes of a source that is at hand; undefined of one that must be waited for. */
export function bytesAtHand(source: unknown): Uint8Array | undefined {
  if (source instanceof Uint8Array) return source;
  if (source instanceof ArrayBuffer) return new Uint8Array(source);
  return ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
    : undefined;
}
