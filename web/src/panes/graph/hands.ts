// SPDX-License-Identifier: Apache-2.0
// Where a picture is looked at from, and what dragging and pinching make of that.

/** What lies in the middle of the picture, and how large. */
export interface Sight {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

const kLeastScale = 0.03;
const kMostScale = 3;
/** Pixels that a click may wander. */
const kStill = 4;

/** Zooms about a point that stays where it is, in pixels from the middle. */
export function zoomed({ x, y, scale }: Sight, by: number, at: Point): Sight {
  const next = Math.min(Math.max(scale * by, kLeastScale), kMostScale);
  return { x: x + at.x / scale - at.x / next, y: y + at.y / scale - at.y / next, scale: next };
}

/** The pointers that are down. */
export class Hands {
  private readonly pointers = new Map<number, Point>();
  /** Whether this is more than a click by now. */
  moved = false;

  down({ pointerId, clientX, clientY }: PointerEvent): void {
    if (this.pointers.size === 0) this.moved = false;
    this.pointers.set(pointerId, { x: clientX, y: clientY });
  }

  up({ pointerId }: PointerEvent): void {
    this.pointers.delete(pointerId);
  }

  /** `middle`: of the picture, in pixels of the window. */
  move({ pointerId, clientX, clientY }: PointerEvent, sight: Sight, middle: Point): Sight {
    const before = this.pointers.get(pointerId);
    if (!before) return sight;
    const [dx, dy] = [clientX - before.x, clientY - before.y];
    if (!this.moved && Math.hypot(dx, dy) < kStill) return sight;
    this.moved = true;
    this.pointers.set(pointerId, { x: clientX, y: clientY });
    const other = [...this.pointers].find(([id]) => id !== pointerId)?.[1];
    if (!other) return { ...sight, x: sight.x - dx / sight.scale, y: sight.y - dy / sight.scale };
    const apart = ({ x, y }: Point): number => Math.max(Math.hypot(x - other.x, y - other.y), 1);
    const by = apart({ x: clientX, y: clientY }) / apart(before);
    return zoomed(sight, by, { x: other.x - middle.x, y: other.y - middle.y });
  }
}
