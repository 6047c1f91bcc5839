// SPDX-License-Identifier: Apache-2.0
// The graph of the model that is loaded, as its file says it, and where its boxes lie: a worker
// tells that, part after part.
import { computed, effect, signal, untracked } from '@preact/signals';
import '../engine/trusted-types.js';
import type { LayoutReply } from '../engine/layout-protocol.js';
import type { PlacedBand } from '../model/graph-layout.js';
import { type DrawnGraph, drawnGraph, kBoxHeight } from '../model/model-graph.js';
import { links } from './links.js';
import { hover, pin } from './selection.js';
import { engine, guarded, session } from './store.js';

/** Of boxes; NaN where one has no place yet. */
export interface Places {
  readonly x: Float64Array;
  readonly y: Float64Array;
  /** Of lines within one band: x, y, x, y … */
  readonly paths: ReadonlyMap<number, readonly number[]>;
  readonly placed: number;
}

export const graph = signal<DrawnGraph | undefined>(undefined);
export const places = signal<Places | undefined>(undefined);
/** Why there is no picture. */
export const graphProblem = signal('');

function withBand(before: Places, { boxes, x, y, paths }: PlacedBand): Places {
  const [xs, ys] = [before.x.slice(), before.y.slice()];
  boxes.forEach((box, i) => {
    xs[box] = x[i]!;
    ys[box] = y[i]!;
  });
  const all = new Map(before.paths);
  for (const { line, points } of paths) all.set(line, points);
  return { x: xs, y: ys, paths: all, placed: before.placed + boxes.length };
}

let worker: Worker | undefined;

function endWorker(): void {
  worker?.terminate();
  worker = undefined;
}

/** Resolves when all boxes have their places, or never will. */
function layOut({ boxes, lines }: DrawnGraph): Promise<void> {
  endWorker();
  const unplaced = new Float64Array(boxes.length).fill(NaN);
  places.value = { x: unplaced, y: unplaced, paths: new Map(), placed: 0 };
  const mine = new Worker(new URL('../engine/layout-worker.ts', import.meta.url),
    { type: 'module', name: 'tern-layout' });
  worker = mine;
  return new Promise((resolve) => {
    const end = (problem = ''): void => {
      if (worker === mine) {
        graphProblem.value = problem;
        endWorker();
      }
      resolve();
    };
    mine.onmessage = ({ data }: MessageEvent<LayoutReply>) => {
      if (worker !== mine) return end();
      if (data.kind === 'band') places.value = withBand(places.value!, data.band);
      else end(data.kind === 'failed' ? `The graph was not laid out: ${data.message}` : '');
    };
    mine.onerror = (event) => {
      event.preventDefault();
      end('The code that lays out graphs could not be loaded.');
    };
    mine.postMessage({
      widths: boxes.map(({ width }) => width), height: kBoxHeight,
      lines: lines.map(({ from, to }) => [from, to]),
    });
  });
}

let asked = 0;

function fetchGraph(): void {
  const mine = ++asked;
  void guarded(async () => {
    const { graph: found } = await engine.request({ kind: 'graph' });
    if (mine !== asked) return;
    graph.value = found && drawnGraph(found);
    if (graph.value) await layOut(graph.value);
  }, (error) => {
    if (mine === asked) graphProblem.value = error instanceof Error ? error.message : String(error);
  });
}

/** Follows the program for as long as the pane is shown. */
export function followGraph(): () => void {
  let seen: unknown;
  const stop = effect(() => {
    const { program } = session.value;
    if (seen === program) return;
    seen = program;
    untracked(() => {
      graph.value = places.value = undefined;
      graphProblem.value = '';
      endWorker();
      if (program?.fileKind === 'onnx') fetchGraph();
    });
  });
  return () => {
    stop();
    asked++;
    endWorker();
  };
}

/** The node that is selected, or that the selected instruction was made from. */
const selectedName = computed(() => {
  const [name] = links.value.nodes;
  return name;
});

export const selectedBox = computed(() => {
  const name = selectedName.value;
  return name === undefined ? undefined : graph.value?.byName.get(name);
});

function selectionOf(box: number) {
  const name = graph.value?.boxes[box]?.node?.name;
  return name === undefined ? undefined : { kind: 'node', name } as const;
}

export const pinBox = (box: number): void => pin(selectionOf(box));
export const hoverBox = (box: number | undefined): void =>
  hover(box === undefined ? undefined : selectionOf(box));
