// SPDX-License-Identifier: Apache-2.0
// Texts that can be edited in the page, told by their names and, where those are silent, by how
// they begin.

/** The language (.tn), assembly (.tasm) or loop programs (.tloop). */
export type SourceKind = 'language' | 'assembly' | 'loops';

interface KindFacts {
  readonly ending: string;
  readonly title: string;
  /** What begins a comment that ends with its line. */
  readonly comment: string;
}

export const kSourceKinds: Readonly<Record<SourceKind, KindFacts>> = {
  language: { ending: '.tn', title: 'Tern program', comment: '//' },
  assembly: { ending: '.tasm', title: 'assembly', comment: ';' },
  loops: { ending: '.tloop', title: 'loop program', comment: '//' },
};

// A declaration of the language behind comments; loop programs begin with other words.
const kLanguage = /^\s*(?:\/\/[^\n]*\n\s*)*(?:fn\s+\w+\s*[[(]|type\s+[A-Z]\w*|kernel\s+\w+\s*\()/;

export function looksLikeLanguage(text: string, name: string): boolean {
  return name.toLowerCase().endsWith('.tn') || kLanguage.test(text);
}
