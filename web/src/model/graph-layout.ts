// SPDX-License-Identifier: Apache-2.0
// Where the boxes of a graph lie. A large graph is cut across into bands, which are laid out one
// after the other: what lays one out needs far more than linear time, and a stack as deep as its
// longest path; and a reader sees the beginning at once.

export interface LayoutRequest {
  readonly widths: readonly number[];
  readonly height: number;
  readonly lines: readonly (readonly [from: number, to: number])[];
}

/** A part that has been laid out; `paths` are of lines within it: x, y, x, y … */
export interface PlacedBand {
  readonly boxes: readonly number[];
  readonly x: readonly number[];
  readonly y: readonly number[];
  readonly paths: readonly { readonly line: number; readonly points: readonly number[] }[];
}

/** Lays out few boxes; everything is counted within them. */
export type LayoutOfBand = (
  widths: readonly number[], height: number, lines: readonly (readonly [number, number])[],
) => { x: number[]; y: number[]; points: number[][]; bottom: number };

/** A graph of so many boxes is one band. */
const kMostAtOnce = 300;
export const kMostInBand = 120;
const kGap = 46;

/** The longest way to each box; boxes that nothing leads to stand right before their readers. */
export function ranksOf(count: number, lines: LayoutRequest['lines']): number[] {
  const ranks = new Array<number>(count).fill(0);
  const waiting = new Array<number>(count).fill(0);
  const next = Array.from({ length: count }, (): number[] => []);
  for (const [from, to] of lines) {
    next[from]!.push(to);
    waiting[to]!++;
  }
  const isSource = waiting.map((left) => left === 0);
  const ready = [...waiting.keys()].filter((i) => isSource[i]);
  for (let at = ready.pop(); at !== undefined; at = ready.pop()) {
    for (const to of next[at]!) {
      ranks[to] = Math.max(ranks[to]!, ranks[at]! + 1);
      if (--waiting[to]! === 0) ready.push(to);
    }
  }
  for (let i = 0; i < count; i++) {
    if (!isSource[i] || next[i]!.length === 0) continue;
    const first = next[i]!.reduce((least, to) => Math.min(least, ranks[to]!), Infinity);
    ranks[i] = Math.max(first - 1, 0);
  }
  return ranks;
}

/** Boxes by their ranks, cut where a band is full. */
export function bandsOf(ranks: readonly number[], most = kMostInBand): number[][] {
  const layers: number[][] = [];
  ranks.forEach((rank, i) => (layers[rank] ??= []).push(i));
  const bands: number[][] = [];
  for (const layer of layers) {
    if (!layer) continue;
    const last = bands.at(-1);
    if (last && last.length + layer.length <= most) last.push(...layer);
    else bands.push([...layer]);
  }
  return bands;
}

/** How far a band goes to the side, so that what leads into it leads down. */
function shiftOf(
  crossing: readonly (readonly [from: number, to: number])[],
  placed: ReadonlyMap<number, number>, mine: ReadonlyMap<number, number>,
): number {
  const apart = crossing.flatMap(([from, to]) => {
    const [a, b] = [placed.get(from), mine.get(to)];
    return a === undefined || b === undefined ? [] : [a - b];
  });
  return apart.length === 0 ? 0 : apart.reduce((sum, each) => sum + each, 0) / apart.length;
}

export function layOut(
  { widths, height, lines }: LayoutRequest, layOutBand: LayoutOfBand,
  onBand: (band: PlacedBand) => void,
): void {
  const placed = new Map<number, number>();
  const most = widths.length <= kMostAtOnce ? kMostAtOnce : kMostInBand;
  const bands = bandsOf(ranksOf(widths.length, lines), most);
  const bandOf = new Map(bands.flatMap((boxes, band) => boxes.map((box) => [box, band] as const)));
  let top = 0;
  bands.forEach((boxes, band) => {
    const place = new Map(boxes.map((box, i) => [box, i]));
    const inner: number[] = [];
    const crossing: (readonly [number, number])[] = [];
    lines.forEach(([from, to], line) => {
      if (bandOf.get(to) !== band) return;
      if (bandOf.get(from) === band) inner.push(line);
      else crossing.push([from, to]);
    });
    const made = layOutBand(boxes.map((box) => widths[box]!), height,
      inner.map((line) => [place.get(lines[line]![0])!, place.get(lines[line]![1])!]));
    const mine = new Map(boxes.map((box, i) => [box, made.x[i]!]));
    const shift = shiftOf(crossing, placed, mine);
    for (const [box, x] of mine) placed.set(box, x + shift);
    const moved = (points: readonly number[]): number[] =>
      points.map((value, i) => value + (i % 2 === 0 ? shift : top));
    onBand({
      boxes, x: made.x.map((x) => x + shift), y: made.y.map((y) => y + top),
      paths: inner.map((line, i) => ({ line, points: moved(made.points[i]!) })),
    });
    top += made.bottom + kGap;
  });
}
