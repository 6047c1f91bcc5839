// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import type { ModelGraph } from 'tern-runtime';
import {
  bandsOf, kMostInBand, layOut, type LayoutOfBand, type PlacedBand, ranksOf,
} from '../../../web/src/model/graph-layout.js';
import { drawnGraph, neighbour, searchBoxes } from '../../../web/src/model/model-graph.js';

const node = (name: string, operator: string, inputs: string[], outputs: string[]) => ({
  name, operator, domain: '', inputs, attributes: [],
  outputs: outputs.map((each) => ({ name: each, type: 'f32[4]' })),
});

// x and a constant are added; both results of a split come together again.
const kGraph: ModelGraph = {
  name: 'small',
  inputs: [{ name: 'x', type: 'f32[8]' }, { name: 'w', type: 'f32[8]' }],
  outputs: [{ name: 'y', type: 'f32[4]' }],
  constants: [{ name: 'w', type: 'f32[8]' }],
  nodes: [
    node('first/Add', 'Add', ['x', 'w'], ['sum']),
    node('parts/Split', 'Split', ['sum', ''], ['low', 'high']),
    node('last/Mul', 'Mul', ['low', 'high'], ['y']),
  ],
};

describe('a model as boxes and lines', () => {
  const drawn = drawnGraph(kGraph);
  it('has boxes for inputs that are no constants, nodes and outputs', () => {
    expect(drawn.boxes.map(({ kind, title }) => `${kind} ${title}`)).toEqual(
      ['input x', 'node Add', 'node Split', 'node Mul', 'output y']);
    expect(drawn.constants.get('w')).toBe('f32[8]');
    expect(drawn.byName.get('parts/Split')).toBe(2);
  });
  it('has one line between two boxes, whatever goes along it', () => {
    expect(drawn.lines.map(({ from, to, values }) => [from, to, values.length])).toEqual(
      [[0, 1, 1], [1, 2, 1], [2, 3, 2], [3, 4, 1]]);
    expect(drawn.into[3]).toEqual([2]);
    expect(drawn.outOf[4]).toEqual([]);
  });
  it('is searched by operators, names and values', () => {
    expect(searchBoxes(drawn.boxes, 'split')).toEqual([2]);
    expect(searchBoxes(drawn.boxes, 'high')).toEqual([2, 3]);
    expect(searchBoxes(drawn.boxes, 'mul last')).toEqual([3]);
    expect(searchBoxes(drawn.boxes, ' ')).toEqual([]);
    expect(searchBoxes(drawn.boxes, '<img>')).toEqual([]);
  });
  it('is walked along lines and to the sides', () => {
    const place = { x: [0, 0, 90, 0, 0], y: [0, 50, 50, 100, 150] };
    expect(neighbour(drawn, 1, 'down', place)).toBe(2);
    expect(neighbour(drawn, 1, 'up', place)).toBe(0);
    expect(neighbour(drawn, 0, 'up', place)).toBe(0);
    expect(neighbour(drawn, 1, 'right', place)).toBe(2);
    expect(neighbour(drawn, 1, 'left', place)).toBe(1);
  });
  it('may be empty', () => {
    const empty = drawnGraph({ name: '', inputs: [], outputs: [], constants: [], nodes: [] });
    expect(empty.boxes).toEqual([]);
  });
});

describe('places of boxes', () => {
  /** Boxes of a band in a row. */
  const inRow: LayoutOfBand = (widths, height, lines) => ({
    x: widths.map((width, i) => i * width), y: widths.map(() => height / 2),
    points: lines.map(() => [1, 2, 3, 4]), bottom: height,
  });
  const placesOf = (count: number, lines: [number, number][]): PlacedBand[] => {
    const bands: PlacedBand[] = [];
    layOut({ widths: new Array<number>(count).fill(100), height: 40, lines }, inRow,
      (band) => bands.push(band));
    return bands;
  };

  it('go down with the longest way to a box; sources stand before their readers', () => {
    expect(ranksOf(5, [[0, 1], [1, 2], [0, 2], [3, 2], [4, 0]])).toEqual([1, 2, 3, 2, 0]);
    expect(ranksOf(2, [])).toEqual([0, 0]);
  });
  it('are told of boxes that lead to each other in a circle', () => {
    expect(ranksOf(3, [[0, 1], [1, 2], [2, 1]])).toHaveLength(3);
    expect(placesOf(2, [[0, 1], [1, 0]]).flatMap(({ boxes }) => boxes).sort()).toEqual([0, 1]);
  });
  it('come in bands of few boxes, each box once', () => {
    const ranks = Array.from({ length: 1000 }, (_, i) => i);
    const bands = bandsOf(ranks);
    expect(bands.length).toBe(Math.ceil(1000 / kMostInBand));
    expect(bands.flat()).toEqual(ranks);
    // A layer is not cut, however wide it is.
    expect(bandsOf(new Array<number>(500).fill(0))).toHaveLength(1);
    expect(bandsOf([])).toEqual([]);
  });
  it('of 5 000 boxes lie band under band, below what leads to them', () => {
    const lines = Array.from({ length: 4999 }, (_, i): [number, number] => [i, i + 1]);
    const bands = placesOf(5000, lines);
    expect(bands.reduce((sum, { boxes }) => sum + boxes.length, 0)).toBe(5000);
    const tops = bands.map(({ y }) => Math.min(...y));
    expect(tops).toEqual([...tops].sort((a, b) => a - b));
    // The line into the second band goes straight down.
    expect(bands[1]!.x[0]).toBe(bands[0]!.x.at(-1));
    expect(bands[1]!.paths[0]!.points[1]).toBe(2 + tops[1]! - 20);
  });
});
