// SPDX-License-Identifier: Apache-2.0
// The programs of the gallery that are texts of the machine: the files of web/examples. Their texts
// are one chunk, which is fetched with the first that is opened.
import { type GalleryEntry, kGallery } from './gallery.js';

export const kProgramExamples: readonly GalleryEntry[] =
  kGallery.filter(({ kind }) => kind === 'language' || kind === 'assembly');
