// SPDX-License-Identifier: Apache-2.0
// What the editor colours at once, before the core has read the text: comments, texts, numbers and
// names. Which names are words of a language is the core's knowledge: instructions come from the
// generated table, and the tokens of the language from the worker (tokens.ts).
import { StreamLanguage, type StreamParser, type StringStream } from '@codemirror/language';
import { isInstruction } from '../../model/meanings.js';
import { kSourceKinds, type SourceKind } from '../../model/source-kind.js';

const kNumber = /^(?:0x[\da-fA-F_]+|\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)?)/;
const kText = /^"(?:[^"\\]|\\.)*"?/;
const kName = /^[A-Za-z_]\w*/;

/** A token that all three have; undefined where there is none. */
function commonToken(stream: StringStream, comment: string): string | null | undefined {
  if (stream.eatSpace()) return null;
  if (stream.match(comment)) {
    stream.skipToEnd();
    return 'comment';
  }
  if (stream.match(kText)) return 'string';
  return stream.match(kNumber) ? 'number' : undefined;
}

type WordToken = (word: string, stream: StringStream) => string | null;

function parserOf(kind: SourceKind, tokenOf: WordToken, sigils?: RegExp): StreamParser<unknown> {
  const { comment } = kSourceKinds[kind];
  return {
    name: kind,
    languageData: { commentTokens: { line: comment } },
    token: (stream) => {
      const common = commonToken(stream, comment);
      if (common !== undefined) return common;
      if (sigils && stream.match(sigils)) return tokenOf(stream.current(), stream);
      if (stream.match(kName)) return tokenOf(stream.current(), stream);
      stream.next();
      return 'punctuation';
    },
  };
}

const kSigilTokens: Readonly<Record<string, string>> = {
  '.': 'keyword', '%': 'variableName', '@': 'variableName.function', c: 'variableName.constant',
};

function assemblyToken(word: string): string | null {
  if (isInstruction(word)) return 'operator';
  return kSigilTokens[word[0] === 'c' && !word.includes('[') ? '' : word[0]!] ?? null;
}

const followedByCall: WordToken = (_, stream) =>
  (stream.match(/^\s*\(/, false) ? 'variableName.function' : 'variableName');

const kParsers: Readonly<Record<SourceKind, StreamParser<unknown>>> = {
  language: parserOf('language', () => null),
  assembly: parserOf('assembly', assemblyToken, /^(?:\.\w+|%\w+|@[\w.]+|c\[\d+\])/),
  loops: parserOf('loops', followedByCall),
};

const kTokenTable = new Map<SourceKind, StreamLanguage<unknown>>();

export function grammarOf(kind: SourceKind): StreamLanguage<unknown> {
  const known = kTokenTable.get(kind) ?? StreamLanguage.define(kParsers[kind]);
  kTokenTable.set(kind, known);
  return known;
}
