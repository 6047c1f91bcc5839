// SPDX-License-Identifier: Apache-2.0
// The gallery's table: it and the files of web/examples name each other, and words find entries.
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  findInGallery, galleryEntry, kGallery, kGalleryGroups,
} from '../../../web/src/model/gallery.js';
import { exampleText } from '../../../web/src/model/program-texts.js';
import { kSourceKinds } from '../../../web/src/model/source-kind.js';

const kFolder = new URL('../../../web/examples/', import.meta.url);

describe('the gallery', () => {
  it('has each file of web/examples once, and nothing else', () => {
    const named = kGallery.flatMap(({ id, kind, isGenerated }) =>
      (kind === 'model' || isGenerated ? [] : [`${id}${kSourceKinds[kind].ending}`]));
    expect(named.sort()).toEqual(readdirSync(kFolder).sort());
    expect(new Set(kGallery.map(({ id }) => id)).size).toBe(kGallery.length);
  });

  it('has two entries or more in every group, 24 in all, and words for each', () => {
    expect(kGallery.length).toBeGreaterThanOrEqual(24);
    for (const group of Object.keys(kGalleryGroups)) {
      expect(kGallery.filter((entry) => entry.group === group).length).toBeGreaterThanOrEqual(2);
    }
    for (const { id, about, look, tags } of kGallery) {
      expect(about, id).toMatch(/^[A-Z0-9].*[.?]$/);
      expect(look, id).toMatch(/[.?]$/);
      expect(tags.length, id).toBeGreaterThan(0);
    }
  });

  it('writes ten thousand instructions when they are asked for', () => {
    const entries = kGallery.filter(({ isGenerated }) => isGenerated);
    expect(entries.map(({ id }) => id)).toEqual(['ten_thousand']);
    const text = exampleText('ten_thousand.tasm')!;
    expect(text.match(/^ {2}\w+ /gm)).toHaveLength(10_000);
    expect(text.match(/^\.func /gm)).toHaveLength(100);
    expect(exampleText('no_such.tasm')).toBeUndefined();
  });

  it('is searched by all words, in any order and case', () => {
    expect(findInGallery('').length).toBe(kGallery.length);
    expect(findInGallery('Sampling TEXT').map(({ id }) => id)).toEqual(['text_model']);
    expect(findInGallery('convolution image')).toEqual(findInGallery('image  convolution'));
    expect(findInGallery('no such words')).toEqual([]);
    expect(findInGallery('a.*b')).toEqual([]);
    expect(galleryEntry('none')).toBeUndefined();
  });

  it('gives texts without the licence line, and none for names that are no files', () => {
    expect(exampleText('life.tn')).toMatch(/^\/\/ Conway/);
    expect(exampleText('branches.tasm')).toMatch(/^; The register/);
    expect(exampleText('../life.tn')).toBeUndefined();
  });
});
