// SPDX-License-Identifier: Apache-2.0
// Colours from the core's own reading of a text. They move with the text until the next reading.
import { type Range, RangeSet, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView } from '@codemirror/view';
import type { SourceToken, TokenKind } from 'tern-runtime';

export const setTokens = StateEffect.define<readonly SourceToken[]>();

const kMarks = new Map<TokenKind, Decoration>();

function markOf(kind: TokenKind): Decoration {
  const known = kMarks.get(kind) ?? Decoration.mark({ class: `tok-${kind}` });
  kMarks.set(kind, known);
  return known;
}

function marksOf(tokens: readonly SourceToken[], length: number): DecorationSet {
  const ranges = tokens.flatMap(({ kind, begin, end }): Range<Decoration>[] =>
    (begin < end && end <= length ? [markOf(kind).range(begin, end)] : []));
  return RangeSet.of(ranges, true);
}

export const tokenField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (marks, transaction) => {
    for (const effect of transaction.effects)
      if (effect.is(setTokens)) return marksOf(effect.value, transaction.newDoc.length);
    return marks.map(transaction.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});
