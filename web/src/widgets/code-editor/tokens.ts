// SPDX-License-Identifier: Apache-2.0
// Colours from the core's own reading of a text. They move with the text until the next reading.
import { type Range, RangeSet, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView } from '@codemirror/view';
import type { TokenKind } from 'tern-runtime';
import type { Tokens } from '../../model/tokens.js';

export const setTokens = StateEffect.define<Tokens>();

const kMarks = new Map<TokenKind, Decoration>();

function markOf(kind: TokenKind): Decoration {
  const known = kMarks.get(kind) ?? Decoration.mark({ class: `tok-${kind}` });
  kMarks.set(kind, known);
  return known;
}

function marksOf({ kinds, places }: Tokens, length: number): DecorationSet {
  const marks = kinds.map(markOf);
  const ranges: Range<Decoration>[] = [];
  for (let i = 0; i < places.length; i += 3) {
    const [begin, end, kind] = [places[i]!, places[i + 1]!, places[i + 2]!];
    if (begin < end && end <= length) ranges.push(marks[kind]!.range(begin, end));
  }
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
