// SPDX-License-Identifier: Apache-2.0
// What the words of a text are, as the core reads them.
import type { TokenKind } from 'tern-runtime';

/**
 * Of each three numbers: a word's begin and end, in units of JavaScript strings, and the index of
 * its kind. A text has so many words that an object for each would hold a key up.
 */
export interface Tokens {
  kinds: TokenKind[];
  places: Uint32Array<ArrayBuffer>;
}

export const kNoTokens: Tokens = { kinds: [], places: new Uint32Array() };
