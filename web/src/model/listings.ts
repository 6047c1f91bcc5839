// SPDX-License-Identifier: Apache-2.0
// Listings of AArch64 code. LLVM makes them, which the page does not have: of the page's own loop
// programs when the page is built (scripts/make-listings.mjs), of others by `tern play` when they
// are looked at. A listing belongs to the very text that it was made of.
import type { StrategyName } from './lanes.js';

export interface ListedProgram {
  /** The whole file. */
  text: string;
  /** Assembly as LLVM prints it. */
  listings: Partial<Record<StrategyName, string>>;
}

export type Listings = readonly ListedProgram[];

const kLicence = /^\/\/ SPDX-[^\n]*\n/;

/** A program without its file's licence line, which is no part of the lesson. */
export function withoutLicence(text: string): string {
  return text.replace(kLicence, '');
}

/** Directives that put numbers into the file, as the constants of a loop. */
const kData = /^\s*\.(?:byte|hword|short|word|long|xword|quad|zero|asciz)\b/;
const kDirective = /^\s*\.\w/;
/** But for the one that only says how long a function is. */
const kLabel = /^\s*\.?(?!Lfunc_end)\w+:/;

/** The instructions, labels and constants of assembly, without what is for the assembler alone. */
export function instructionLines(assembly: string): string {
  return assembly.split('\n')
    .filter((line) => line.trim() !== '')
    .filter((line) => !kDirective.test(line) || kData.test(line) || kLabel.test(line))
    .join('\n');
}

function isOf(program: ListedProgram, text: string): boolean {
  return withoutLicence(program.text) === withoutLicence(text);
}

export function hasListing(listings: Listings, text: string): boolean {
  return listings.some((program) => isOf(program, text));
}

/**
 * The listing of a text; or why there is none, and what makes one. In place of listings: why they
 * did not come.
 */
export function listingOf(
  listings: Listings | string, text: string, strategy: StrategyName,
): string {
  if (typeof listings === 'string') return `// ${listings}\n`;
  const program = listings.find((each) => isOf(each, text));
  const found = program?.listings[strategy];
  if (found) return instructionLines(found);
  if (program) return '// Under this strategy there is no code of this program.\n';
  return '// There is no listing of this text. LLVM makes them, which this page does not have:\n' +
    '// it comes with those of its own programs as they were. Save the text and let the\n' +
    '// command line make it:\n//\n' +
    `//   tern lower FILE.tloop --emit asm --target aarch64+sve --strategy ${strategy}\n` +
    '//   tern play FILE.tloop      shows it here, also of what is typed\n';
}
