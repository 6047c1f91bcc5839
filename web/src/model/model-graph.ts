// SPDX-License-Identifier: Apache-2.0
// A model's graph as boxes and lines: inputs, nodes, outputs. Constants have no boxes; the nodes
// that read them list them.
import type { GraphNode, GraphValue, ModelGraph } from 'tern-runtime';

export interface Box {
  readonly kind: 'input' | 'node' | 'output';
  /** The operator, or the name of a value. */
  readonly title: string;
  /** The node's name, or the value's type. */
  readonly detail: string;
  /** Of nodes. */
  readonly node?: GraphNode;
  readonly width: number;
}

export interface Line {
  readonly from: number;
  readonly to: number;
  /** What goes along it. */
  readonly values: readonly GraphValue[];
}

export interface DrawnGraph {
  readonly boxes: readonly Box[];
  readonly lines: readonly Line[];
  /** Boxes by the name of their node; of equal names the first. */
  readonly byName: ReadonlyMap<string, number>;
  /** Lines that come to a box, and that leave it. */
  readonly into: readonly (readonly number[])[];
  readonly outOf: readonly (readonly number[])[];
  readonly constants: ReadonlyMap<string, string>;
}

export const kBoxHeight = 40;
const kLetterWidth = 7.4;

const widthFor = (title: string, detail: string): number =>
  Math.min(Math.max(28 + kLetterWidth * Math.max(title.length, 0.85 * detail.length), 88), 210);

function boxesOf({ inputs, nodes, outputs }: ModelGraph, constants: ReadonlyMap<string, string>) {
  const box = (kind: Box['kind'], title: string, detail: string, node?: GraphNode): Box =>
    ({ kind, title, detail, width: widthFor(title, detail), ...(node ? { node } : {}) });
  return [
    // Files of old versions list their constants among the inputs.
    ...inputs.filter(({ name }) => !constants.has(name))
      .map(({ name, type }) => box('input', name, type)),
    ...nodes.map((node) => box('node', node.operator, node.name, node)),
    ...outputs.map(({ name, type }) => box('output', name, type)),
  ];
}

/** Names of the values that a box reads. */
function readBy({ kind, title, node }: Box): readonly string[] {
  if (node) return node.inputs;
  return kind === 'output' ? [title] : [];
}

const madeBy = ({ kind, title, detail, node }: Box): readonly GraphValue[] => {
  if (node) return node.outputs;
  return kind === 'input' ? [{ name: title, type: detail }] : [];
};

function linesOf(boxes: readonly Box[]): Line[] {
  const makers = new Map<string, [box: number, value: GraphValue]>();
  boxes.forEach((box, i) => {
    for (const value of madeBy(box)) if (value.name !== '') makers.set(value.name, [i, value]);
  });
  return boxes.flatMap((box, to) => {
    const found = new Map<number, GraphValue[]>();
    for (const name of new Set(readBy(box))) {
      const maker = makers.get(name);
      if (!maker || maker[0] === to) continue;
      found.set(maker[0], [...(found.get(maker[0]) ?? []), maker[1]]);
    }
    return [...found].map(([from, values]): Line => ({ from, to, values }));
  });
}

export function drawnGraph(graph: ModelGraph): DrawnGraph {
  const constants = new Map(graph.constants.map(({ name, type }) => [name, type]));
  const boxes = boxesOf(graph, constants);
  const lines = linesOf(boxes);
  const byName = new Map<string, number>();
  boxes.forEach(({ node }, i) => {
    if (node && !byName.has(node.name)) byName.set(node.name, i);
  });
  const into = boxes.map((): number[] => []);
  const outOf = boxes.map((): number[] => []);
  lines.forEach(({ from, to }, i) => {
    outOf[from]!.push(i);
    into[to]!.push(i);
  });
  return { boxes, lines, byName, into, outOf, constants };
}

/** Boxes that have all words of the query in what they say; none without words. */
export function searchBoxes(boxes: readonly Box[], query: string): readonly number[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  return boxes.flatMap(({ title, detail, node }, i) => {
    const values = node ? [...node.inputs, ...node.outputs.map(({ name }) => name)] : [];
    const text = [title, detail, ...values].join(' ').toLowerCase();
    return words.every((word) => text.includes(word)) ? [i] : [];
  });
}

export type Direction = 'up' | 'down' | 'left' | 'right';

/** Where an arrow leads: along a line, or to the nearest box beside. */
export function neighbour(
  { into, outOf, lines, boxes }: DrawnGraph, at: number, direction: Direction,
  place: { readonly x: ArrayLike<number>; readonly y: ArrayLike<number> },
): number {
  if (direction === 'up') return lines[into[at]?.[0] ?? -1]?.from ?? at;
  if (direction === 'down') return lines[outOf[at]?.[0] ?? -1]?.to ?? at;
  const sign = direction === 'left' ? -1 : 1;
  let best = at;
  let least = Infinity;
  for (let i = 0; i < boxes.length; i++) {
    const away = sign * (place.x[i]! - place.x[at]!);
    if (away <= 0 || Math.abs(place.y[i]! - place.y[at]!) > kBoxHeight || away >= least) continue;
    best = i;
    least = away;
  }
  return best;
}
