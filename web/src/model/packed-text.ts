// SPDX-License-Identifier: Apache-2.0
// A text as letters that an address can hold: compressed by the browser, then base64 for links.
import { fromBase64, toBase64 } from './base64.js';

const kMaxBytes = 64 * 1024;

type Codec = CompressionStream | DecompressionStream;

/** What a codec makes of the bytes; throws where they are none of its, or more than the limit. */
export async function through(
  codec: Codec, bytes: Uint8Array<ArrayBuffer>, limit = kMaxBytes,
): Promise<Uint8Array> {
  const writer = codec.writable.getWriter();
  // Failures come out at the other end too.
  void writer.write(bytes).catch(() => undefined);
  void writer.close().catch(() => undefined);
  const reader = codec.readable.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  const parts: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > limit) throw new RangeError(`more than ${limit} bytes`);
    parts.push(value);
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Undefined for a text that is too long for a link. */
export async function packText(text: string): Promise<string | undefined> {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length > kMaxBytes) return undefined;
  const packed = await through(new CompressionStream('deflate-raw'), bytes);
  return toBase64(packed).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** Undefined for what packText has not made: links are cut off, and written by hand. */
export async function unpackText(packed: string): Promise<string | undefined> {
  try {
    const bytes = fromBase64(packed.replaceAll('-', '+').replaceAll('_', '/'));
    const text = await through(new DecompressionStream('deflate-raw'), bytes);
    return new TextDecoder('utf-8', { fatal: true }).decode(text);
  } catch {
    return undefined;
  }
}
