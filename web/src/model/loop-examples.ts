// SPDX-License-Identifier: Apache-2.0
// The loop programs that come with the page: the files of web/examples.
import addBytes from '../../examples/add_bytes.tloop?raw';
import daxpy from '../../examples/daxpy.tloop?raw';
import dot from '../../examples/dot.tloop?raw';
import positive from '../../examples/positive.tloop?raw';
import relu from '../../examples/relu.tloop?raw';
import rows from '../../examples/rows.tloop?raw';
import strided from '../../examples/strided.tloop?raw';
import unrolled from '../../examples/unrolled.tloop?raw';
import vectorAdd from '../../examples/vector_add.tloop?raw';

export interface LoopExample {
  id: string;
  title: string;
  /** What it is looked at with at first. */
  n: number;
  vscale: number;
  text: string;
}

/** The text without the file's licence line, which is no part of the lesson. */
const lesson = (text: string): string => text.replace(/^\/\/ SPDX-[^\n]*\n/, '');

const kFiles: readonly LoopExample[] = [
  { id: 'vector_add', title: 'vector add: 18 float32', n: 18, vscale: 4, text: vectorAdd },
  { id: 'daxpy', title: 'daxpy: two float64 for each 128 bits', n: 18, vscale: 2, text: daxpy },
  { id: 'relu', title: 'relu: long, and nothing left over', n: 1024, vscale: 2, text: relu },
  { id: 'dot', title: 'dot product: a reduction', n: 100, vscale: 2, text: dot },
  { id: 'add_bytes', title: 'bytes: 16 lanes for each 128 bits', n: 60, vscale: 1, text: addBytes },
  { id: 'strided', title: 'every third element: a gather', n: 40, vscale: 2, text: strided },
  { id: 'rows', title: 'three rows: a rest for each', n: 11, vscale: 2, text: rows },
  { id: 'positive', title: 'a condition: data decide', n: 20, vscale: 2, text: positive },
  { id: 'unrolled', title: 'saxpy, two vectors at once', n: 77, vscale: 2, text: unrolled },
];

export const kLoopExamples: readonly LoopExample[] = kFiles.map((example) =>
  ({ ...example, text: lesson(example.text) }));

export function exampleOf(id: string): LoopExample | undefined {
  return kLoopExamples.find((example) => example.id === id);
}
