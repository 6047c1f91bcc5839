// SPDX-License-Identifier: Apache-2.0
// A record of a run as a file (.terntrace, core/vm/debug/trace_file.h): what it is the record of,
// and what the run began with, so that the page can run it again.
import { kTypedArrays, type Tensor, type TypedArray, type Value } from 'tern-runtime';
import { InputError } from './inputs.js';

export interface SavedTrace {
  readonly steps: number;
  readonly functions: readonly { readonly name: string; readonly first: number; count: number }[];
  readonly function: string;
  readonly args: readonly Value[];
}

/** The mark, the first step, and seven numbers; core/vm/debug/trace_file.h lists them. */
const kHeaderBytes = 40;
const kMaxSteps = 1_000_000;
const kMaxParts = 1_000_000;

const refuse = (name: string, why: string, help: string): InputError =>
  new InputError('E0604', `'${name}' ${why}`, help);

const damaged = (name: string): InputError =>
  refuse(name, 'is damaged: it is no whole record of a run',
    'tern run --trace writes it again');

interface Json {
  functions: SavedTrace['functions'];
  call?: { function: string; arguments: string };
}

/** The JSON at the end of the file, whose length the header tells. */
function jsonOf(name: string, bytes: Uint8Array): { json: Json; first: number; steps: number } {
  if (bytes.length < kHeaderBytes) throw damaged(name);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const first = Number(view.getBigUint64(8, true));
  const steps = view.getUint32(16, true);
  const length = view.getUint32(36, true);
  if (length > bytes.length - kHeaderBytes) throw damaged(name);
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(-length));
    const json = JSON.parse(text) as Json;
    if (!Array.isArray(json.functions)) throw damaged(name);
    return { json, first, steps };
  } catch {
    throw damaged(name);
  }
}

type Part = number | string | boolean | null | { ref?: number; float?: number | string };
interface Node {
  kind: string;
  tag?: number;
  dtype?: string;
  dims?: number[];
  data?: string;
  values?: Part[];
}

function floatOf(float: number | string): number {
  const named: Record<string, number> = { nan: NaN, inf: Infinity, '-inf': -Infinity };
  return typeof float === 'number' ? float : (named[float] ?? NaN);
}

function tensorOf({ dtype = '', dims = [], data = '' }: Node): Tensor {
  const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
  const array = (kTypedArrays as Record<string, new (buffer: ArrayBuffer) => TypedArray>)[dtype];
  if (!array) throw new RangeError(dtype);
  return { dtype, shape: dims, data: new array(bytes.buffer) };
}

/**
 * Makes values of a graph (core/object/graph/serialize_json.h): numbers, texts, tensors, lists.
 * What is shared in the graph is made anew for each who has it, so there is a limit to all of them.
 */
function makerOf(nodes: readonly Node[]): (part: Part) => Value {
  let left = kMaxParts;
  const make = (part: Part): Value => {
    if (left-- <= 0) throw new RangeError('too many parts');
    if (part === null || typeof part !== 'object') return part as Value;
    if (part.float !== undefined) return floatOf(part.float);
    const node = nodes[part.ref ?? -1];
    if (node?.kind === 'tensor') return tensorOf(node);
    // What an item refers to stands before it, so that this ends.
    const isBefore = (item: Part): boolean =>
      item === null || typeof item !== 'object' || (item.ref ?? 0) < part.ref!;
    if (node?.kind !== 'list' || !node.values?.every(isBefore)) throw new RangeError(node?.kind);
    return node.values.map(make) as Value;
  };
  return make;
}

function argumentsOf(name: string, text: string): Value[] {
  try {
    const graph = JSON.parse(text) as { nodes: Node[]; value: Part };
    const root = graph.nodes[(graph.value as { ref: number }).ref]!;
    return root.values!.map(makerOf(graph.nodes));
  } catch {
    throw refuse(name, 'begins with arguments that the page cannot make',
      'tern replay shows such a record');
  }
}

export function readTrace(name: string, bytes: Uint8Array): SavedTrace {
  const { json, first, steps } = jsonOf(name, bytes);
  const { call, functions } = json;
  if (first !== 0 || !call) {
    throw refuse(name, 'does not have the beginning of its run',
      'tern trace shows what is in it; a shorter run is recorded from its beginning');
  }
  if (steps > kMaxSteps) {
    throw refuse(name, `has ${steps} steps, and the page keeps ${kMaxSteps}`,
      'tern replay --until STEP shows a part of it');
  }
  return { steps, functions, function: call.function, args: argumentsOf(name, call.arguments) };
}

/** Whether it is a record of this code: the same functions at the same places. */
export function isOf(
  trace: SavedTrace, functions: readonly { name: string; first: number; count: number }[],
): boolean {
  const words = (all: readonly { name: string; first: number; count: number }[]): string =>
    all.map(({ name, first, count }) => `${name} ${first} ${count}`).sort().join('\n');
  return words(trace.functions) === words(functions);
}
