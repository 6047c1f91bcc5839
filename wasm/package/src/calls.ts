// SPDX-License-Identifier: Apache-2.0
// What machines and debuggers share: the functions of a program, and values as the arguments of a
// call.
import { TernError } from './errors.js';
import type { Pointer } from './exports.js';
import { kAny } from './generated/layouts.js';
import type { Memory } from './memory.js';
import { type Value, writeValue } from './values.js';

/**
 * A parameter or result. Tensors have dtype and shape (of known rank); extents are numbers or
 * texts such as "n" or "2*n".
 */
export interface Parameter {
  name: string;
  /** "f32[n, 10]", "int", "any". */
  type: string;
  dtype?: string;
  shape?: (number | string)[];
}

export interface FunctionInfo {
  name: string;
  params: Parameter[];
  results: Parameter[];
  first: number;
  count: number;
  registers: number;
}

export interface RegisterState {
  index: number;
  name?: string;
  value: Record<string, unknown>;
}

/** A program as far as those who run it need it. */
export interface Callable {
  functionInfo(name: string): FunctionInfo;
  /** @internal */
  pointer(): Pointer;
}

/** Arguments in order, or by parameter name. */
export type Arguments = readonly Value[] | { readonly [name: string]: Value };

/** @internal The arguments in the order of the parameters. */
export function inOrder(info: FunctionInfo, args: Arguments): readonly Value[] {
  if (Array.isArray(args)) return args as readonly Value[];
  const named = args as { readonly [name: string]: Value };
  for (const name of Object.keys(named)) {
    if (!info.params.some((param) => param.name === name)) {
      throw new TernError(
        'E0202',
        `@${info.name} has no parameter '${name}'; it has ` +
          `${info.params.map((p) => p.name).join(', ')}`,
      );
    }
  }
  return info.params.map((param) => {
    const value = named[param.name];
    if (value === undefined) {
      throw new TernError(
        'E0201',
        `no value for parameter '${param.name}' of @${info.name}: ${param.type}`,
      );
    }
    return value;
  });
}

/** @internal Runs f with the values as TernAnys, which are released afterwards. */
export function withValues<T>(
  memory: Memory,
  runtime: Pointer,
  values: readonly Value[],
  f: (anys: Pointer, count: number) => T,
): T {
  return memory.withAnys(values.length, (anys) => {
    values.forEach((value, i) => writeValue(memory, runtime, value, anys + kAny.size * i));
    return f(anys, values.length);
  });
}

/** @internal What a function gave, by output name. */
export function byOutputName(info: FunctionInfo | undefined, value: Value): Record<string, Value> {
  const results = info?.results ?? [];
  const items = Array.isArray(value) && results.length !== 1 ? value : [value];
  return Object.fromEntries(items.map((item, i) => [results[i]?.name || `output${i}`, item]));
}
