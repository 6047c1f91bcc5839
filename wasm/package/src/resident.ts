// SPDX-License-Identifier: Apache-2.0
// Tensors that stay in the module's memory: filled and read in place, given to runs and taken from
// them without a copy.
import { kTypedArrays, type TypedArray } from './dtypes.js';
import { TernError } from './errors.js';
import type { Pointer } from './exports.js';
import { AnyHandle } from './handle.js';
import type { Memory } from './memory.js';

/** Where the elements of a tensor are, and what they are. */
export interface TensorPlace {
  dtype: string;
  shape: number[];
  data: Pointer;
  bytes: number;
}

/** @internal */
export function placeOf(memory: Memory, any: Pointer): TensorPlace {
  const out = memory.scratch + 64;
  memory.call('tern_tensor_view', any, out, out + 4, out + 8, out + 12, out + 16);
  const [data, bytes, rank, shape, dtype] = [0, 4, 8, 12, 16].map((offset) =>
    memory.u32(out + offset),
  ) as [number, number, number, number, number];
  const view = memory.view();
  const extents = Array.from({ length: rank }, (_, axis) =>
    Number(view.getBigInt64(shape + 8 * axis, true)),
  );
  return { dtype: memory.text(dtype), shape: extents, data, bytes };
}

/**
 * A tensor in the module's memory. Holds it until it is disposed of; a run may be given it as an
 * argument, and `runResident` gives its results as such.
 *
 * `data` is a view of that memory, made anew whenever it is read, because a call into the runtime
 * may let the memory grow, which empties all views made before. So a view is good until the next
 * call; keep the tensor, not the view, and `copy()` what is to stay. What a run gave is not to be
 * written: it may be a constant of the program.
 */
export class ResidentTensor<Data extends TypedArray = TypedArray> extends AnyHandle {
  readonly dtype: string;
  readonly shape: readonly number[];

  /** @internal Shares the tensor at `any`. */
  constructor(memory: Memory, any: Pointer) {
    super(memory, 'tensor');
    const { dtype, shape } = placeOf(memory, any);
    if (!kTypedArrays[dtype])
      throw new TernError('E0205', `a tensor of ${dtype} has no typed array in JavaScript`);
    this.dtype = dtype;
    this.shape = shape;
    this.share(any, 'ResidentTensor');
  }

  get data(): Data {
    const { data, bytes } = placeOf(this.memory, this.pointer());
    const array = kTypedArrays[this.dtype]!;
    const make = array as unknown as new (buffer: ArrayBuffer, at: number, length: number) => Data;
    const { buffer } = this.memory.linear;
    return new make(buffer as ArrayBuffer, data, bytes / array.BYTES_PER_ELEMENT);
  }

  /** The same as a tensor of JavaScript, which stays. */
  copy(): { dtype: string; shape: number[]; data: Data } {
    return { dtype: this.dtype, shape: [...this.shape], data: this.data.slice() as Data };
  }
}
