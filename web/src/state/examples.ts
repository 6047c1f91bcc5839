// SPDX-License-Identifier: Apache-2.0
// Opens what comes with the page.
import { type GalleryEntry, galleryEntry } from '../model/gallery.js';
import { kSourceKinds } from '../model/source-kind.js';
import { loadDigits } from './programs.js';
import { guarded } from './store.js';
import { showView } from './view.js';

export { galleryEntry };

async function openProgram({ id, kind }: GalleryEntry): Promise<void> {
  const [{ exampleText }, { openProgramText }] =
    await Promise.all([import('../model/program-texts.js'), import('./editing.js')]);
  const textKind = kind === 'assembly' ? 'assembly' : 'language';
  const name = `${id}${kSourceKinds[textKind].ending}`;
  const bytes = new TextEncoder().encode(exampleText(name) ?? '');
  await openProgramText({ kind: textKind, name, bytes }, id);
}

/** A program for the machine; loop programs and names that are none are left alone. */
export function openProgramExample(id: string): Promise<void> {
  return guarded(async () => {
    const entry = galleryEntry(id);
    if (entry?.kind === 'language' || entry?.kind === 'assembly') await openProgram(entry);
  });
}

/** Any entry of the gallery, in the arrangement that shows it. */
export async function openFromGallery(entry: GalleryEntry): Promise<void> {
  if (entry.kind === 'loops') {
    showView('lanes');
    const { openExample } = await import('./lanes.js');
    return openExample(entry.id);
  }
  showView('machine');
  return entry.kind === 'model' ? loadDigits() : openProgramExample(entry.id);
}
