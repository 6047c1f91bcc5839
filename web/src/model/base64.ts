// SPDX-License-Identifier: Apache-2.0
// Bytes as letters and back.

// Arguments of one call; engines allow not many more.
const kPiece = 0x8000;

export function toBase64(bytes: Uint8Array): string {
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; at += kPiece)
    pieces.push(String.fromCharCode(...bytes.subarray(at, at + kPiece)));
  return btoa(pieces.join(''));
}

/** Throws where the text is none. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}
