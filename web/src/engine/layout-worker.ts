// SPDX-License-Identifier: Apache-2.0
// The worker that lays out graphs: layers, few crossings and bent lines are dagre's.
import { Graph, layout } from '@dagrejs/dagre';
import { type LayoutOfBand, layOut } from '../model/graph-layout.js';
import type { LayoutReply, LayoutRequest } from './layout-protocol.js';

const layOutBand: LayoutOfBand = (widths, height, lines) => {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ nodesep: 24, edgesep: 14, ranksep: 34 });
  widths.forEach((width, i) => graph.setNode(String(i), { width, height }));
  lines.forEach(([from, to], i) => graph.setEdge(String(from), String(to), {}, String(i)));
  layout(graph);
  const at = (i: number): { x: number; y: number } => graph.node(String(i));
  return {
    x: widths.map((_, i) => at(i).x), y: widths.map((_, i) => at(i).y),
    points: lines.map(([from, to], i) => {
      const { points } = graph.edge(String(from), String(to), String(i));
      return (points as { x: number; y: number }[]).flatMap(({ x, y }) => [x, y]);
    }),
    bottom: Math.max(...widths.map((_, i) => at(i).y + height / 2)),
  };
};

self.onmessage = (event: MessageEvent<LayoutRequest>) => {
  const post = (reply: LayoutReply): void => self.postMessage(reply);
  try {
    layOut(event.data, layOutBand, (band) => post({ kind: 'band', band }));
    post({ kind: 'done' });
  } catch (error) {
    post({ kind: 'failed', message: String(error) });
  }
};
