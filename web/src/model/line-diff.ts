// SPDX-License-Identifier: Apache-2.0
// The lines in which two texts differ: Myers' algorithm ("An O(ND) Difference Algorithm and Its
// Variations", 1986), on lines.

export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
  /** From 1; of the text that has the line. */
  readonly before?: number;
  readonly after?: number;
}

/** Beyond so many differing lines, the texts are shown one after the other. */
const kMaxDistance = 2000;

/** The furthest x on each diagonal, for each number of differences up to the least there is. */
function furthest(a: readonly string[], b: readonly string[]): Map<number, number>[] | undefined {
  const history: Map<number, number>[] = [];
  let reached = new Map<number, number>([[1, 0]]);
  for (let d = 0; d <= Math.min(a.length + b.length, kMaxDistance); d++) {
    history.push(new Map(reached));
    const next = new Map(reached);
    for (let k = -d; k <= d; k += 2) {
      const left = reached.get(k - 1) ?? -1;
      const right = reached.get(k + 1) ?? -1;
      let x = k === -d || (k !== d && left < right) ? right : left + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      next.set(k, x);
      if (x >= a.length && x - k >= b.length) return history;
    }
    reached = next;
  }
  return undefined;
}

function allLines(a: readonly string[], b: readonly string[]): DiffLine[] {
  return [
    ...a.map((text, i): DiffLine => ({ kind: 'removed', text, before: i + 1 })),
    ...b.map((text, i): DiffLine => ({ kind: 'added', text, after: i + 1 })),
  ];
}

/** The lines of both texts in one order. */
export function diffLines(before: string, after: string): DiffLine[] {
  const a = before.split('\n');
  const b = after.split('\n');
  const history = furthest(a, b);
  if (!history) return allLines(a, b);
  const lines: DiffLine[] = [];
  let x = a.length;
  let y = b.length;
  const same = (): void => {
    lines.push({ kind: 'same', text: a[x - 1]!, before: x--, after: y-- });
  };
  for (let d = history.length - 1; d > 0; d--) {
    const reached = history[d]!;
    const k = x - y;
    const left = reached.get(k - 1) ?? -1;
    const right = reached.get(k + 1) ?? -1;
    const isAdded = k === -d || (k !== d && left < right);
    const fromX = isAdded ? right : left;
    const fromY = fromX - (isAdded ? k + 1 : k - 1);
    while (x > fromX && y > fromY) same();
    if (isAdded) lines.push({ kind: 'added', text: b[y - 1]!, after: y-- });
    else lines.push({ kind: 'removed', text: a[x - 1]!, before: x-- });
  }
  while (x > 0 && y > 0) same();
  return lines.reverse();
}

/** Differing lines with so many around them; `undefined` stands for those left out between. */
export function hunks(lines: readonly DiffLine[], around = 3): (DiffLine | undefined)[] {
  if (lines.every(({ kind }) => kind === 'same')) return [];
  const kept = lines.map(() => false);
  lines.forEach(({ kind }, i) => {
    if (kind !== 'same') kept.fill(true, Math.max(0, i - around), i + around + 1);
  });
  return lines.flatMap((line, i) => {
    if (kept[i]) return [line];
    return i === 0 || kept[i - 1] ? [undefined] : [];
  });
}
