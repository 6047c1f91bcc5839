// SPDX-License-Identifier: Apache-2.0
// A drawing is strokes, each a list of points on a square of 280; and strokes become ink: how much
// of each cell of a grid a round pen covers. No canvas is needed, so every browser agrees.

export interface Point {
  readonly x: number;
  readonly y: number;
}
export type Stroke = readonly Point[];

export const kCanvasSide = 280;
export const kPenWidth = 22;

function distanceToSegment(px: number, py: number, a: Point, b: Point): number {
  const dx = b.x - a.x,
    dy = b.y - a.y;
  const length = dx * dx + dy * dy;
  const t = length > 0 ? Math.min(Math.max(((px - a.x) * dx + (py - a.y) * dy) / length, 0), 1) : 0;
  return Math.hypot(px - a.x - t * dx, py - a.y - t * dy);
}

/** Adds one segment's ink, looking only at the cells near it. */
function inkSegment(ink: Float32Array, side: number, a: Point, b: Point): void {
  const cell = kCanvasSide / side;
  const reach = kPenWidth / 2 + cell;
  const index = (value: number): number =>
    Math.min(Math.max(Math.floor(value / cell), 0), side - 1);
  const left = index(Math.min(a.x, b.x) - reach),
    right = index(Math.max(a.x, b.x) + reach);
  const top = index(Math.min(a.y, b.y) - reach),
    bottom = index(Math.max(a.y, b.y) + reach);
  for (let y = top; y <= bottom; y++) {
    for (let x = left; x <= right; x++) {
      const distance = distanceToSegment((x + 0.5) * cell, (y + 0.5) * cell, a, b);
      const cover = Math.min(Math.max(0.5 + (kPenWidth / 2 - distance) / cell, 0), 1);
      const at = y * side + x;
      if (cover * 255 > ink[at]!) ink[at] = cover * 255;
    }
  }
}

/** side × side cells of ink, 0…255. */
export function rasterize(strokes: readonly Stroke[], side: number): Float32Array {
  const ink = new Float32Array(side * side);
  for (const stroke of strokes) {
    stroke.forEach((point, i) => inkSegment(ink, side, stroke[Math.max(i - 1, 0)]!, point));
  }
  return ink;
}
