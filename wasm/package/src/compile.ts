// SPDX-License-Identifier: Apache-2.0
// Calls of the C functions that compile, whose options are a struct.
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

/** Runs f with the struct of these options, which lives as long. */
function withOptions<T>(
  memory: Memory,
  name: string,
  options: CompileOptions,
  f: (struct: Pointer) => T,
): T {
  const { sourceName: named = name, printAfter: print = [] } = options;
  const { relaxedMath = false, exactConvolutions = false, maxBytes = 0 } = options;
  const extents = Object.entries(options.sizes ?? {}).map((size) => size.join('='));
  const disabled = (options.disabledPasses ?? []).join(',');
  const texts = [named, disabled, print.join(','), extents.join(',')];
  return memory.withTexts(texts, ([sourceName, disabledPasses, printAfter, sizes]) => {
    const places = options.sizes ? { sizes } : {};
    const flags = { relaxedMath, exactConvolutions };
    const fields = { sourceName, disabledPasses, printAfter, maxBytes, ...flags, ...places };
    return memory.withStruct(kCompileOptions, fields, f);
  });
}

// What such a function left in the scratch memory.
function takeCompiled(memory: Memory): CompiledModel {
  const stages = memory.u32(memory.scratch + 4);
  const bytes = memory.takeBytes(memory.u32(memory.scratch));
  const text = stages === 0 ? '[]' : memory.takeBuffer(stages);
  return { bytes, stages: JSON.parse(text || '[]') as CompiledModel['stages'] };
}

export function compileBy(
  how: 'tern_compile_onnx' | 'tern_compile_source',
  memory: Memory,
  runtime: Pointer,
  { data, size, name }: CompilerInput,
  options: CompileOptions,
): CompiledModel {
  return withOptions(memory, name, options, (struct) => {
    memory.call(how, runtime, data, size, struct, memory.scratch, memory.scratch + 4);
    return takeCompiled(memory);
  });
}

/**
 * The same of a model, a step at a time: `pause` is awaited between two, with the share of the
 * steps that are done, and ends it where it throws. `runtime` throws once there is none.
 */
export async function compileInSteps(
  memory: Memory,
  runtime: () => Pointer,
  { data, size, name }: CompilerInput,
  options: CompileOptions,
  pause: (done: number) => Promise<void>,
): Promise<CompiledModel> {
  const { scratch } = memory;
  const compilation = withOptions(memory, name, options, (struct) => {
    memory.call('tern_compilation_create', runtime(), data, size, struct, scratch);
    return memory.u32(scratch);
  });
  try {
    for (let done = 1; ; ++done) {
      memory.call('tern_compilation_step', compilation, scratch);
      const left = memory.u32(scratch);
      if (left === 0) break;
      await pause(done / (done + left));
      runtime();
    }
    memory.call('tern_compilation_finish', compilation, scratch, scratch + 4);
    return takeCompiled(memory);
  } finally {
    memory.raw('tern_compilation_free', compilation);
  }
}
