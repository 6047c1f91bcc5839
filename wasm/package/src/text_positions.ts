// SPDX-License-Identifier: Apache-2.0
// Positions in a text as JavaScript counts them, in units of its strings, and as the module does,
// in bytes of UTF-8.

/** A part of the text, from `begin` up to `end`, in units of JavaScript strings. */
export interface TextRange {
  begin: number;
  end: number;
}

const isContinuation = (byte: number): boolean => (byte & 0xc0) === 0x80;

/** Positions in a text, as JavaScript and as the module count them. */
export class Positions {
  private readonly bytes: Uint8Array;
  private readonly ascii: boolean;

  constructor(private readonly text: string) {
    this.bytes = new TextEncoder().encode(text);
    this.ascii = this.bytes.length === text.length;
  }

  toBytes(position: number): number {
    const within = Math.max(0, Math.min(Math.trunc(position) || 0, this.text.length));
    return this.ascii ? within : new TextEncoder().encode(this.text.slice(0, within)).length;
  }

  /** One pass over the text for all of them. */
  fromBytes(ranges: TextRange[]): void {
    if (this.ascii) return;
    const units = new Uint32Array(this.bytes.length + 1);
    let unit = 0;
    this.bytes.forEach((byte, i) => {
      units[i] = unit;
      // A character of four bytes is two units.
      if (!isContinuation(byte)) unit += byte >= 0xf0 ? 2 : 1;
    });
    units[this.bytes.length] = unit;
    for (const range of ranges) {
      range.begin = units[range.begin] ?? unit;
      range.end = units[range.end] ?? unit;
    }
  }
}
