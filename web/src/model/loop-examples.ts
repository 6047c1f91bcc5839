// SPDX-License-Identifier: Apache-2.0
// The loop programs of the gallery with their texts: the files of web/examples.
import { kGallery } from './gallery.js';
import { withoutLicence } from './listings.js';

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

function lesson(id: string): string {
  return withoutLicence(kFiles[`../../examples/${id}.tloop`] ?? '');
}

export const kLoopExamples: readonly LoopExample[] = kGallery
  .filter(({ kind }) => kind === 'loops')
  .map(({ id, title, n = 18, vscale = 2 }) => ({ id, title, n, vscale, text: lesson(id) }));

export function exampleOf(id: string): LoopExample | undefined {
  return kLoopExamples.find((example) => example.id === id);
}
