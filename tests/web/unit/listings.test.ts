// SPDX-License-Identifier: Apache-2.0
// Listings of AArch64 code: which belongs to a text, and which of its lines are shown.
import { describe, expect, it } from 'vitest';
import {
  instructionLines, listingOf, type Listings, withoutLicence,
} from '../../../web/src/model/listings.js';

const kAssembly = `\t.text
\t.file\t"loops.ll"
\t.section\t.rodata.cst16,"aM",@progbits,16
\t.p2align\t4, 0x0
.LCPI0_0:
\t.xword\t24
\t.xword\t36
\t.text
\t.globl\tadd
\t.type\tadd,@function
add:
\t.cfi_startproc
\tldr\tx8, [x1]
.LBB0_2:
\twhilelt\tp0.s, x9, x8

\tb.lt\t.LBB0_2
\tret
.Lfunc_end0:
\t.size\tadd, .Lfunc_end0-add
\t.ident\t"clang"
`;
const kShown = `.LCPI0_0:
\t.xword\t24
\t.xword\t36
add:
\tldr\tx8, [x1]
.LBB0_2:
\twhilelt\tp0.s, x9, x8
\tb.lt\t.LBB0_2
\tret`;

const kText = 'te add<n>(A: float32[n]) -> (B: float32[n]) { compute B[i] = A[i] + A[i] }\n';
const kListings: Listings = [
  { text: 'te other', listings: { fixed: 'nop' } },
  { text: `// SPDX-License-Identifier: Apache-2.0\n${kText}`, listings: { predicated: kAssembly } },
];

describe('the lines of a listing', () => {
  it('are instructions, labels and constants', () => {
    expect(instructionLines(kAssembly)).toBe(kShown);
    expect(instructionLines('')).toBe('');
    expect(instructionLines('// of LLVM\n\t.word\t1 // one\n'))
      .toBe('// of LLVM\n\t.word\t1 // one');
  });
});

describe('the listing of a text', () => {
  it('is found by the whole text, with its licence line or without', () => {
    expect(listingOf(kListings, kText, 'predicated')).toBe(kShown);
    const own: Listings = [{ text: kText, listings: { predicated: kAssembly } }];
    expect(listingOf(own, `// SPDX-License-Identifier: MIT\n${kText}`, 'predicated')).toBe(kShown);
  });

  it('is none of another text or another strategy, and says what makes one', () => {
    for (const [text, strategy] of [[`${kText} `, 'predicated'], ['', 'fixed'],
      [kText.slice(1), 'predicated']] as const) {
      const said = listingOf(kListings, text, strategy);
      expect(said).toContain('There is no listing of this text');
      expect(said).toContain(`--emit asm --target aarch64+sve --strategy ${strategy}`);
      expect(said).toContain('tern play FILE.tloop');
      expect(said).toMatch(/^(?:\/\/.*\n)+$/);
    }
    expect(listingOf([], kText, 'fixed')).toContain('There is no listing');
    const none: Listings = [{ text: kText, listings: {} }];
    expect(listingOf(none, kText, 'fixed')).toContain('Under this strategy there is no code');
  });

  it('is the reason where none could be fetched', () => {
    expect(listingOf('the server said 404', kText, 'fixed')).toBe('// the server said 404\n');
  });
});

describe('the licence line', () => {
  it('is the first line alone', () => {
    expect(withoutLicence('// SPDX-License-Identifier: Apache-2.0\nte a\n')).toBe('te a\n');
    expect(withoutLicence('te a\n// SPDX-License-Identifier: Apache-2.0\n'))
      .toBe('te a\n// SPDX-License-Identifier: Apache-2.0\n');
    expect(withoutLicence('// SPDX-')).toBe('// SPDX-');
  });
});
