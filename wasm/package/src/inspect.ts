// SPDX-License-Identifier: Apache-2.0
// Tensors looked into where they are: layout, statistics, pictures, windows and comparisons, all
// computed in the module (core/vm/debug/tensor_summary.h), so that a tensor of any size costs what
// is asked of it. It is in the module with the debugger.
import { TernError } from './errors.js';
import type { Pointer } from './exports.js';
import { kTypeTensor } from './generated/abi.js';
import { kAny } from './generated/layouts.js';
import { AnyHandle } from './handle.js';
import type { Memory } from './memory.js';
import { readValue, type Tensor } from './values.js';

/** How a tensor lies in memory. */
export interface TensorLayout {
  dtype: string;
  elementBits: number;
  shape: number[];
  /** In elements. */
  strides: number[];
  /** In bytes, from the storage's first. */
  offset: number;
  bytes: number;
  /** Equal for views of the same memory; 0 where the memory came from outside. */
  storage: number;
  storageBytes: number;
  contiguous: boolean;
  readOnly: boolean;
}

export interface Histogram {
  low: number;
  high: number;
  counts: number[];
  /** Finite elements, and infinities, outside of the range. */
  below: number;
  above: number;
}

/** Positions are flat, in row-major order; -1 where there is none. */
export interface TensorStatistics {
  count: number;
  finite: number;
  nan: number;
  positiveInfinity: number;
  negativeInfinity: number;
  zeros: number;
  negativeZeros: number;
  denormals: number;
  firstNan: number;
  /** These where an element is finite. */
  min?: number;
  max?: number;
  minIndex?: number;
  maxIndex?: number;
  mean?: number;
  std?: number;
  l2?: number;
  /** By value; null where there are more than 32. */
  uniques: { value: number; count: number }[] | null;
  histogram: Histogram;
}

/** Two axes of a tensor, in at most so many cells: a larger slice is divided. */
export interface PictureOptions {
  /** -1: one row. */
  rowAxis: number;
  /** -1: one column. */
  columnAxis: number;
  /** A position for each axis, of which those of the others count. */
  index: readonly number[];
  maxRows?: number;
  maxColumns?: number;
}

export interface TensorPicture {
  rows: number;
  columns: number;
  /** Of the finite elements of each cell, row by row; NaN where there are none. */
  mean: Float32Array<ArrayBuffer>;
  low: Float32Array<ArrayBuffer>;
  high: Float32Array<ArrayBuffer>;
  /** How many elements of the cell are not finite. */
  bad: Float32Array<ArrayBuffer>;
}

export interface WorstElement {
  value: number | 'inf';
  /** Flat. */
  index: number;
  a: number | 'nan' | 'inf' | '-inf';
  b: number | 'nan' | 'inf' | '-inf';
}

export interface TensorComparison {
  count: number;
  /** To the bit, or both NaN. */
  equal: number;
  /** Of the tolerance. */
  outside: number;
  passed: boolean;
  firstOutside: number;
  maxAbsolute: WorstElement | null;
  maxRelative: WorstElement | null;
  maxUlps: WorstElement | null;
}

export interface HistogramOptions {
  bins?: number;
  /** Of the finite elements by default. */
  low?: number;
  high?: number;
}

/** A tensor that stays in the module. Holds it until it is disposed of. */
export class InspectedTensor extends AnyHandle {
  /** @internal Shares the tensor at `any`; undefined where something else is there. */
  static of(memory: Memory, any: Pointer): InspectedTensor | undefined {
    const code = memory.view().getInt32(any + kAny.fields.typeCode.at, true);
    return code === kTypeTensor ? new InspectedTensor(memory, any) : undefined;
  }

  private constructor(memory: Memory, any: Pointer) {
    super(memory, 'tensor');
    if (!memory.has('tern_tensor_layout'))
      throw new TernError(
        'E0607',
        'this WebAssembly module cannot look into tensors: make the runtime with ' +
          'createRuntime({ debugger: true })',
      );
    this.share(any, 'InspectedTensor');
  }

  layout(): TensorLayout {
    return this.json('tern_tensor_layout') as TensorLayout;
  }

  /** 16 hexadecimal digits over type, shape and elements, all of which it reads. */
  hash(): string {
    const { memory } = this;
    memory.call('tern_tensor_hash', this.pointer(), memory.scratch);
    return memory.view().getBigUint64(memory.scratch, true).toString(16).padStart(16, '0');
  }

  statistics({ bins = 64, low = 0, high = 0 }: HistogramOptions = {}): TensorStatistics {
    return this.json('tern_tensor_statistics', bins, low, high) as TensorStatistics;
  }

  picture(options: PictureOptions): TensorPicture {
    const { rowAxis, columnAxis, index, maxRows = 1024, maxColumns = 1024 } = options;
    const { memory } = this;
    const axes = new Int32Array([rowAxis, columnAxis]);
    const most = new Int32Array([maxRows, maxColumns]);
    return this.withCopies([axes, wide(index), most], (pointers) => {
      memory.call('tern_tensor_picture', this.pointer(), ...pointers, memory.scratch);
      return readPicture(memory.takeBytes(memory.u32(memory.scratch)).buffer);
    });
  }

  /** A copy of `counts[i]` elements of each axis from `starts[i]` on. */
  window(starts: readonly number[], counts: readonly number[]): Tensor {
    const { memory } = this;
    return this.withCopies([wide(starts), wide(counts)], (pointers) =>
      memory.withAnys(1, (any) => {
        memory.call('tern_tensor_window', this.pointer(), ...pointers, any);
        return readValue(memory, any) as Tensor;
      }),
    );
  }

  /** How far it is from another of the same type: |a - b| <= atol + rtol * |b|, NaN equals NaN. */
  compare(other: InspectedTensor, tolerance: { atol?: number; rtol?: number }): TensorComparison {
    const { atol = 0, rtol = 0 } = tolerance;
    const b = other.pointerIn(this.memory);
    return this.json('tern_tensor_compare', b, atol, rtol) as TensorComparison;
  }

  private json(name: string, ...args: number[]): unknown {
    const { memory } = this;
    memory.call(name, this.pointer(), ...args, memory.scratch);
    return JSON.parse(memory.takeBuffer(memory.u32(memory.scratch)));
  }

  private withCopies<T>(
    arrays: readonly (Int32Array | BigInt64Array)[],
    f: (pointers: Pointer[]) => T,
  ): T {
    const { memory } = this;
    const pointers = arrays.map((array) => memory.alloc(array.byteLength));
    try {
      arrays.forEach((array, i) => {
        const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
        memory.bytes(pointers[i]!, array.byteLength).set(bytes);
      });
      return f(pointers);
    } finally {
      for (const pointer of pointers) memory.free(pointer);
    }
  }
}

const wide = (numbers: readonly number[]): BigInt64Array =>
  BigInt64Array.from(numbers, (number) => BigInt(Math.trunc(number)));

function readPicture(buffer: ArrayBuffer): TensorPicture {
  const [rows, columns] = new Int32Array(buffer, 0, 2) as unknown as [number, number];
  const cells = rows * columns;
  const plane = (i: number): Float32Array<ArrayBuffer> =>
    new Float32Array(buffer, 8 + 4 * cells * i, cells);
  return { rows, columns, mean: plane(0), low: plane(1), high: plane(2), bad: plane(3) };
}
