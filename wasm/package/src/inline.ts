// SPDX-License-Identifier: Apache-2.0
// The package tern-runtime-inline: the same as tern-runtime in one script that fetches nothing, for
// places where files beside a script are not served. It has the modules without relaxed SIMD, which
// every engine takes.
import './dispose.js';
import { compiler, operators, runtime, workerScript } from 'tern-inline-data';
import type { AsyncRuntime } from './async_runtime.js';
import { createRuntime as create, type RuntimeOptions } from './create.js';
import type { InlineAssets } from './files.js';
import type { Runtime } from './runtime.js';

export * from './index.js';

function decode(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (each) => each.charCodeAt(0));
}

const kInline: InlineAssets = {
  'tern-simd.wasm.gz': () => decode(runtime),
  'tern-operators.wasm.gz': () => decode(operators),
  'tern-compiler.wasm.gz': () => decode(compiler),
};

/** As in tern-runtime; the option `assets` takes served files in place of those that are inside. */
export function createRuntime(
  options: RuntimeOptions & { worker: NonNullable<RuntimeOptions['worker']> },
): Promise<AsyncRuntime>;
export function createRuntime(options?: RuntimeOptions & { worker?: undefined }): Promise<Runtime>;
export function createRuntime(options: RuntimeOptions = {}): Promise<Runtime | AsyncRuntime> {
  return create({ ...options, inline: kInline, workerScript } as never);
}
