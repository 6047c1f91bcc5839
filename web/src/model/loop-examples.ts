// SPDX-License-Identifier: Apache-2.0
// The loop programs of the gallery with their texts: the files of web/examples.
import { kGallery } from './gallery.js';

export interface LoopExample {
  id: string;
  title: string;
  /** What it is looked at with at first. */
  n: number;
  vscale: number;
  text: string;
}

const kFiles: Record<string, string> =
  import.meta.glob('../../examples/*.tloop', { query: '?raw', import: 'default', eager: true });

/** The text without the file's licence line, which is no part of the lesson. */
function lesson(id: string): string {
  return (kFiles[`../../examples/${id}.tloop`] ?? '').replace(/^\/\/ SPDX-[^\n]*\n/, '');
}

export const kLoopExamples: readonly LoopExample[] = kGallery
  .filter(({ kind }) => kind === 'loops')
  .map(({ id, title, n = 18, vscale = 2 }) => ({ id, title, n, vscale, text: lesson(id) }));

export function exampleOf(id: string): LoopExample | undefined {
  return kLoopExamples.find((example) => example.id === id);
}
