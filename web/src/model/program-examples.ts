// SPDX-License-Identifier: Apache-2.0
// The programs that come with the page: the files of web/examples. Their texts are one chunk, which
// is fetched with the first that is opened.
import type { SourceKind } from './source-kind.js';

export interface ProgramExample {
  readonly id: string;
  readonly title: string;
  readonly kind: SourceKind;
}

const kLanguage: readonly (readonly [id: string, title: string])[] = [
  ['hello_add', 'hello: add two tensors'],
  ['collatz', 'a loop with a branch'],
  ['fibonacci', 'recursion'],
  ['closures', 'closures'],
  ['collections', 'lists, maps and texts'],
  ['tree', 'a data type, and match'],
  ['dynamic_shape', 'a shape with an n'],
  ['failing_shape', 'a shape that does not fit'],
  ['softmax', 'softmax'],
  ['mlp', 'two layers: exclusive or'],
  ['kernel', 'a kernel of one’s own'],
  ['newton', 'Newton’s method'],
  ['infinite_loop', 'a loop without an end'],
  ['out_of_memory', 'out of memory'],
];

export const kProgramExamples: readonly ProgramExample[] = [
  ...kLanguage.map(([id, title]) => ({ id, title, kind: 'language' } as const)),
  { id: 'sum', title: 'assembly: a sum in a loop', kind: 'assembly' },
];
