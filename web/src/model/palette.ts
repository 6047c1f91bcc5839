// SPDX-License-Identifier: Apache-2.0
// What the palette finds: entries whose words begin as the visitor types, then those that have the
// letters at all, best first.

export interface PaletteEntry {
  readonly id: string;
  readonly title: string;
  readonly group: string;
  readonly key?: string | undefined;
}

/** Smaller is better; nothing where a letter is missing. */
export function matchCost(title: string, query: string): number | undefined {
  const text = title.toLowerCase();
  let cost = 0;
  for (const word of query.toLowerCase().split(/\s+/).filter(Boolean)) {
    const at = text.indexOf(word);
    if (at === 0) continue;
    if (at > 0) {
      cost += /\w/.test(text[at - 1]!) ? 3 : 1;
      continue;
    }
    const spread = spreadOf(text, word);
    if (spread === undefined) return undefined;
    cost += 6 + spread;
  }
  return cost;
}

/** Letters between those of the word, where all of them come in its order. */
function spreadOf(text: string, word: string): number | undefined {
  let at = -1;
  let first = -1;
  for (const letter of word) {
    at = text.indexOf(letter, at + 1);
    if (at < 0) return undefined;
    if (first < 0) first = at;
  }
  return at - first + 1 - word.length;
}

export function findEntries<T extends PaletteEntry>(
  entries: readonly T[], query: string, most = 100,
): T[] {
  return entries
    .map((entry, order) => ({ entry, order, cost: matchCost(entry.title, query) }))
    .filter(({ cost }) => cost !== undefined)
    .sort((a, b) => a.cost! - b.cost! || a.order - b.order)
    .slice(0, most)
    .map(({ entry }) => entry);
}

export type Place = { readonly kind: 'step' | 'pc'; readonly at: number };

/** "120", "step 120" or "pc 37": places that are gone to, without a list of all of them. */
export function placesIn(query: string): Place[] {
  const found = /^\s*(?:(?:go to\s+)?(step|pc)\s*:?\s*)?([\d\s,]{1,16})$/i.exec(query);
  const digits = found?.[2]?.replace(/\D/g, '');
  if (!found || !digits) return [];
  const at = Number(digits);
  const kind = found[1]?.toLowerCase();
  if (kind === 'step' || kind === 'pc') return [{ kind, at }];
  return [{ kind: 'step', at }, { kind: 'pc', at }];
}
