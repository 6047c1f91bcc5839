// SPDX-License-Identifier: Apache-2.0
// The calls of a profile as boxes: in the order of time, and with equal stacks put together, the
// longest to the left. Times are those that the core measured.
import type { ProfileEvents } from 'tern-runtime';

export interface FlameBox {
  readonly name: string;
  /** 0 is the outermost. */
  readonly depth: number;
  /** Nanoseconds. */
  readonly start: number;
  readonly duration: number;
  /** Calls that were put together. */
  readonly count: number;
  /** Duration without the calls in it. */
  readonly self: number;
}

/** Calls in the order in which they began. */
export function timeOrder({ names, events }: ProfileEvents): FlameBox[] {
  const boxes: { -readonly [K in keyof FlameBox]: FlameBox[K] }[] = [];
  const open: number[] = [];
  for (const { name, opens, nanoseconds } of events) {
    if (opens) {
      const start = nanoseconds;
      const depth = open.length;
      open.push(boxes.length);
      boxes.push({ name: names[name] ?? '', depth, start, duration: 0, count: 1, self: 0 });
      continue;
    }
    const box = boxes[open.pop() ?? -1];
    if (!box) continue;
    box.duration = nanoseconds - box.start;
    box.self += box.duration;
    const parent = boxes[open.at(-1) ?? -1];
    if (parent) parent.self -= box.duration;
  }
  return boxes;
}

interface Merged {
  name: string;
  duration: number;
  self: number;
  count: number;
  children: Map<string, Merged>;
}

const merged = (name: string): Merged =>
  ({ name, duration: 0, self: 0, count: 0, children: new Map() });

function mergedOf(boxes: readonly FlameBox[]): Merged {
  const root = merged('');
  const path: Merged[] = [root];
  for (const box of boxes) {
    path.length = box.depth + 1;
    const parent = path[box.depth] ?? root;
    const node = parent.children.get(box.name) ?? merged(box.name);
    parent.children.set(box.name, node);
    node.duration += box.duration;
    node.self += box.self;
    node.count += box.count;
    path.push(node);
  }
  return root;
}

/** Equal stacks as one box, the longest first. */
export function leftHeavy(boxes: readonly FlameBox[]): FlameBox[] {
  const made: FlameBox[] = [];
  const place = (node: Merged, depth: number, from: number): void => {
    let start = from;
    const children = [...node.children.values()].sort((a, b) => b.duration - a.duration);
    for (const child of children) {
      const { name, duration, self, count } = child;
      made.push({ name, depth, start, duration, self, count });
      place(child, depth + 1, start);
      start += duration;
    }
  };
  place(mergedOf(boxes), 0, 0);
  return made;
}

export interface SandwichRow {
  readonly name: string;
  readonly total: number;
  readonly self: number;
  readonly count: number;
  /** Who calls it and whom it calls, with the time of those calls. */
  readonly callers: readonly (readonly [name: string, duration: number])[];
  readonly callees: readonly (readonly [name: string, duration: number])[];
}

const byTime = (times: Map<string, number>): [string, number][] =>
  [...times].sort((a, b) => b[1] - a[1]);

/** A row for each name. A call within a call of the same name counts once in the total. */
export function sandwich(boxes: readonly FlameBox[]): SandwichRow[] {
  const rows = new Map<string, {
    total: number; self: number; count: number;
    callers: Map<string, number>; callees: Map<string, number>;
  }>();
  const path: string[] = [];
  const rowOf = (name: string) => {
    const known = rows.get(name) ??
      { total: 0, self: 0, count: 0, callers: new Map(), callees: new Map() };
    rows.set(name, known);
    return known;
  };
  const add = (times: Map<string, number>, name: string, time: number): void => {
    times.set(name, (times.get(name) ?? 0) + time);
  };
  for (const { name, depth, duration, self, count } of boxes) {
    path.length = depth;
    const row = rowOf(name);
    if (!path.includes(name)) row.total += duration;
    row.self += self;
    row.count += count;
    const caller = path.at(-1);
    if (caller !== undefined) {
      add(row.callers, caller, duration);
      add(rowOf(caller).callees, name, duration);
    }
    path.push(name);
  }
  return [...rows].map(([name, { callers, callees, ...row }]) =>
    ({ name, ...row, callers: byTime(callers), callees: byTime(callees) }))
    .sort((a, b) => b.self - a.self);
}

/** Which of eight colours a name has, everywhere the same. */
export function colourIndex(name: string): number {
  let hash = 0;
  for (const character of name.split(/[{[]/)[0] ?? '')
    hash = (hash * 31 + character.charCodeAt(0)) >>> 0;
  return hash % 8;
}
