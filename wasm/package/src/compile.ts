// SPDX-License-Identifier: Apache-2.0
// A call of one of the C functions that compile, whose options are a struct.
import type { Pointer } from './exports.js';
import { kCompileOptions } from './generated/layouts.js';
import type { CompiledModel, CompileOptions } from './load_options.js';
import type { Memory } from './memory.js';

/** What is compiled: a model or a text that is in the module's memory. */
export interface CompilerInput {
  data: Pointer;
  size: number;
  /** Its name in messages, where the options have none. */
  name: string;
}

export function compileBy(
  how: 'tern_compile_onnx' | 'tern_compile_source',
  memory: Memory,
  runtime: Pointer,
  { data, size, name }: CompilerInput,
  options: CompileOptions,
): CompiledModel {
  const { sourceName: named = name, printAfter: print = [] } = options;
  const { relaxedMath = false, exactConvolutions = false, maxBytes = 0 } = options;
  const extents = Object.entries(options.sizes ?? {}).map((size) => size.join('='));
  const disabled = (options.disabledPasses ?? []).join(',');
  const texts = [named, disabled, print.join(','), extents.join(',')];
  return memory.withTexts(texts, ([sourceName, disabledPasses, printAfter, sizes]) => {
    const places = options.sizes ? { sizes } : {};
    const flags = { relaxedMath, exactConvolutions };
    const fields = { sourceName, disabledPasses, printAfter, maxBytes, ...flags, ...places };
    return memory.withStruct(kCompileOptions, fields, (struct) => {
      const out = memory.scratch;
      memory.call(how, runtime, data, size, struct, out, out + 4);
      const stages = memory.u32(out + 4);
      const bytes = memory.takeBytes(memory.u32(out));
      const text = stages === 0 ? '[]' : memory.takeBuffer(stages);
      return { bytes, stages: JSON.parse(text || '[]') as CompiledModel['stages'] };
    });
  });
}
