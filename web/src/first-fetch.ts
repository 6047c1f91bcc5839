// SPDX-License-Identifier: Apache-2.0
// What the page waits for longest, asked for before its own script has come: the engine's module,
// compiled while it arrives and then given to the worker, and the program that it begins with. This
// is a script of its own (vite.config.ts), and short.
import { hasRelaxedSimd } from '../../wasm/package/src/vectors.js';
import { fetchDigits } from './state/digits-file.js';

const kRelaxed = new URL('../../wasm/package/dist/tern.wasm.gz', import.meta.url);
const kSimd = new URL('../../wasm/package/dist/tern-simd.wasm.gz', import.meta.url);

/** As its first bytes have it: a server may have unpacked the file on its way. */
async function unpacked(body: ReadableStream<BufferSource>): Promise<ReadableStream> {
  const [looked, whole] = body.tee();
  const reader = looked.getReader();
  const { value } = await reader.read();
  void reader.cancel();
  const first = ArrayBuffer.isView(value) ? new Uint8Array(value.buffer, value.byteOffset) : [];
  const isPacked = first[0] === 0x1f && first[1] === 0x8b;
  return isPacked ? whole.pipeThrough(new DecompressionStream('gzip')) : whole;
}

async function fetchModule(): Promise<WebAssembly.Module> {
  const response = await fetch(hasRelaxedSimd() ? kRelaxed : kSimd);
  if (!response.ok || !response.body) throw new Error(`status ${response.status}`);
  const headers = { 'content-type': 'application/wasm' };
  const body = await unpacked(response.body);
  return WebAssembly.compileStreaming(new Response(body, { headers }));
}

const isAskedForOther = new URLSearchParams(globalThis.location?.search ?? '').has('src');

/** Undefined where it did not come: the worker asks again, and says what is wrong. */
export const firstModule: Promise<WebAssembly.Module | undefined> =
  fetchModule().catch(() => undefined);

/** Undefined where the page begins with another file. */
export const firstDigits = isAskedForOther ? undefined : fetchDigits();
// Where the engine does not start, nobody waits for it.
firstDigits?.catch(() => undefined);
