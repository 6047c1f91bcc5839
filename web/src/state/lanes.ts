// SPDX-License-Identifier: Apache-2.0
// The Lanes view's state and what changes it. The loop compiler's worker is asked for one picture
// at a time; while it draws, only the latest wish is kept.
import { computed, signal } from '@preact/signals';
import { EngineError } from '../engine/client.js';
import { LoopsClient } from '../engine/loops-client.js';
import type { LaneRun, LoopPicture, LoopTiming, LoopView } from '../engine/loops-protocol.js';
import {
  cellsOf, clampSize, clampVScale, kCodeStages, kStrategyNames, type LaneCursor, moveCursor,
  nextLegal, rowAt, rowsOf, type StrategyName,
} from '../model/lanes.js';
import type { Listings } from '../model/listings.js';
import { exampleOf, kLoopExamples } from '../model/loop-examples.js';
import { packText, unpackText } from '../model/packed-text.js';
import type { LoopAddress } from '../model/address.js';
import type { SavedLoops } from '../model/page-state.js';
import { kMetricNames, type SweepMetric } from '../model/sweep.js';
import { fetchListings } from './listings.js';
import { membersOf } from './members.js';
import type { Problem } from './session.js';
import { elapsed, guarded } from './store.js';
import { kAskedFor, keepAddress, lanesReporter } from './view.js';

export interface LanesState {
  /** Of the page's programs; empty for one's own. */
  readonly example: string;
  readonly name: string;
  readonly text: string;
  readonly n: number;
  readonly vscale: number;
  /** Whose stages are shown. */
  readonly strategy: StrategyName;
  /** The stage's name, or one of kCodeStages. */
  readonly stage: string;
  readonly metric: SweepMetric;
  readonly cursor: LaneCursor | undefined;
  /** Iterations that are shown one by one. */
  readonly first: number;
  readonly count: number;
  /** Of the last program without errors. */
  readonly picture: LoopPicture | undefined;
  readonly milliseconds: number;
  readonly problems: readonly Problem[];
  /** From when one of them has been asked for; or why they did not come. */
  readonly listings: Listings | string;
  readonly timing: LoopTiming | undefined;
  readonly timingProblem: Problem | undefined;
  readonly isTiming: boolean;
}

const kStart = exampleOf(kAskedFor.example ?? '') ?? kLoopExamples[0]!;
const kNoProblems: readonly Problem[] = [];
const kMaxUnfolded = 48;
const kTypingPause = 120;

export const lanes = signal<LanesState>({
  example: kStart.id, name: `${kStart.id}.tloop`, text: kStart.text,
  n: kAskedFor.n ?? kStart.n, vscale: kAskedFor.vscale ?? kStart.vscale,
  strategy: 'predicated', stage: 'simplify', metric: 'iterations', cursor: undefined,
  first: 0, count: 0, picture: undefined, milliseconds: 0, problems: kNoProblems,
  listings: [], timing: undefined, timingProblem: undefined, isTiming: false,
});

/** The same for what is drawn, most of which another vscale leaves as it is. */
export const lanesNow = membersOf(lanes);

const kNoSweep: LoopPicture['sweep'] = [];
const kNoStages: LoopPicture['stages'] = [];

/** What pictures have in common at every vscale. */
export const sweep = computed(() => lanesNow.picture?.sweep ?? kNoSweep);
export const stages = computed(() => lanesNow.picture?.stages ?? kNoStages);
/** Of the stage that is code, as LoopPicture has it. */
export const code = computed(() => lanesNow.picture?.code ?? '');

const loops = new LoopsClient();

function change(part: Partial<LanesState>): void {
  lanes.value = { ...lanes.value, ...part };
}

function toProblem(error: unknown): Problem {
  if (error instanceof EngineError) return error.failure;
  const message = error instanceof Error ? error.message : String(error);
  return { code: 'E0901', message, text: `error[E0901]: ${message}\n` };
}

function wished(): LoopView {
  const { name, text, n, vscale, strategy, stage, first, count } = lanes.value;
  const code = kCodeStages[stage] ? stage : '';
  return { name, text, n, vscale, strategy, code, first, count };
}

export function runOf(strategy: StrategyName): LaneRun | undefined {
  return lanesNow.picture?.lanes.find((run) => run.strategy === strategy);
}

/** Index of the element under the cursor in its buffer, from 0; undefined without a cursor. */
export const pickedElement = computed(() => {
  const { cursor } = lanesNow;
  const run = cursor && runOf(cursor.strategy);
  const row = cursor && rowAt(run, cursor.k);
  return row && cellsOf(row, run?.buffers ?? [])[cursor.lane]?.element;
});

/** A cell that is still there, in the iteration where it was or the last one. */
function keptCursor(picture: LoopPicture): LaneCursor | undefined {
  const { cursor } = lanes.value;
  const run = picture.lanes.find(({ strategy }) => strategy === cursor?.strategy);
  if (!cursor || !run) return undefined;
  if (rowAt(run, cursor.k)) return moveCursor(run, cursor, 'none') ?? cursor;
  const last = rowsOf(run).filter(({ folded }) => folded === 1).at(-1);
  return last ? { ...cursor, k: last.k, lane: 0 } : undefined;
}

/** Those of before where the stage needs none. */
async function listingsFor({ stage, text }: LanesState): Promise<Listings | string> {
  if (kCodeStages[stage]?.form !== 'listing') return lanes.value.listings;
  return fetchListings(text).catch((error: unknown) => toProblem(error).message);
}

async function drawOnce(): Promise<void> {
  try {
    const [{ picture, milliseconds }, listings] =
      await Promise.all([loops.show(wished()), listingsFor(lanes.value)]);
    change({
      picture, listings, milliseconds: elapsed(milliseconds), problems: kNoProblems,
      cursor: keptCursor(picture),
    });
  } catch (error) {
    change({ problems: [toProblem(error)] });
  }
}

/** What comes late, because packing takes time, is not kept. */
async function keepLink(mine: number): Promise<void> {
  const { example, text, vscale, n } = lanes.value;
  if (example) return keepAddress({ example, vscale, n });
  const packed = await packText(text);
  if (mine === asked) keepAddress({ ...(packed ? { packed } : {}), vscale, n });
}

let asked = 0;
let drawing: Promise<void> | undefined;

/** Asks for the picture of what is wished for now. */
export function draw(): Promise<void> {
  asked++;
  void keepLink(asked);
  drawing ??= guarded(async () => {
    for (let drawn = -1; drawn !== asked;) {
      drawn = asked;
      await drawOnce();
    }
    drawing = undefined;
  });
  return drawing;
}

/** The first picture: of the program that the address has, or of one of the page's. */
export function drawFirst(): Promise<void> {
  return guarded(async () => {
    const text = kAskedFor.packed === undefined ? undefined : await unpackText(kAskedFor.packed);
    if (text !== undefined) change({ text, example: '', name: 'program.tloop' });
    await draw();
  });
}

let typing = 0;

/** What is typed is drawn after a short pause. */
export function setText(text: string): Promise<void> {
  const mine = ++typing;
  change({ text, example: '', first: 0, count: 0, timing: undefined, timingProblem: undefined });
  return guarded(async () => {
    await new Promise((resolve) => setTimeout(resolve, kTypingPause));
    if (mine === typing) await draw();
  });
}

function setProgram(program: Partial<LanesState>): Promise<void> {
  typing++;
  change({
    ...program, first: 0, count: 0, cursor: undefined, timing: undefined,
    timingProblem: undefined,
  });
  return draw();
}

export function openExample(id: string): Promise<void> {
  const example = exampleOf(id);
  if (!example) return Promise.resolve();
  const { text, n, vscale } = example;
  return setProgram({ example: id, name: `${id}.tloop`, text, n, vscale });
}

/** What back or forward led to; what it does not say is as it was. */
export async function openAddress(
  { example, packed, vscale, n }: LoopAddress,
): Promise<void> {
  const text = packed === undefined ? undefined : await unpackText(packed);
  const lengths = { vscale: vscale ?? lanes.value.vscale, n: n ?? lanes.value.n };
  if (text !== undefined) {
    await setProgram({ example: '', name: 'program.tloop', text, ...lengths });
  } else if (example && exampleOf(example)) {
    const { text: its, n: itsN, vscale: itsVscale } = exampleOf(example)!;
    await setProgram({
      example, name: `${example}.tloop`, text: its, n: n ?? itsN, vscale: vscale ?? itsVscale,
    });
  }
}

/** What a saved state has of them. */
export function savedLoops(): SavedLoops {
  const { example, name, text, n, vscale, strategy, stage, metric } = lanes.value;
  return { example, name, text, n, vscale, strategy, stage, metric };
}

/** Of names that this page does not know, those that are shown stay. */
export function openSaved(saved: SavedLoops): Promise<void> {
  const strategy = kStrategyNames.find((name) => name === saved.strategy) ?? lanes.value.strategy;
  const metric = kMetricNames.find((name) => name === saved.metric) ?? lanes.value.metric;
  return setProgram({
    ...saved, strategy, metric, example: exampleOf(saved.example)?.id ?? '',
    n: clampSize(saved.n), vscale: clampVScale(saved.vscale),
  });
}

export function openLoops(name: string, text: string): Promise<void> {
  return setProgram({ example: '', name, text });
}

export function setVscale(vscale: number): Promise<void> {
  change({ vscale: clampVScale(vscale), first: 0, count: 0 });
  return draw();
}

export function stepVscale(by: 1 | -1): Promise<void> {
  return setVscale(nextLegal(lanes.value.vscale, by));
}

export function setSize(n: number): Promise<void> {
  change({ n: clampSize(n), first: 0, count: 0, timing: undefined, timingProblem: undefined });
  return draw();
}

export function setStrategy(strategy: StrategyName): Promise<void> {
  if (strategy === lanes.value.strategy) return Promise.resolve();
  change({ strategy });
  return draw();
}

/** What the program is emitted as is made, or fetched, when it is looked at. */
export function setStage(stage: string): Promise<void> {
  change({ stage });
  return kCodeStages[stage] ? draw() : Promise.resolve();
}

export function setMetric(metric: SweepMetric): void {
  change({ metric });
}

/** Shows some of the iterations that a row stands for. */
export function unfold(first: number, folded: number): Promise<void> {
  change({ first, count: Math.min(folded, kMaxUnfolded) });
  return draw();
}

export function pick(cursor: LaneCursor | undefined): void {
  change({ cursor });
  if (cursor) void setStrategy(cursor.strategy);
}

export function measure(): Promise<void> {
  return guarded(async () => {
    change({ isTiming: true, timingProblem: undefined });
    try {
      const timing = await loops.time(wished());
      const { wasmNs, interpreterNs } = timing;
      const shown = { wasmNs: elapsed(wasmNs), interpreterNs: elapsed(interpreterNs) };
      change({ timing: { ...timing, ...shown } });
    } catch (error) {
      change({ timing: undefined, timingProblem: toProblem(error) });
    } finally {
      change({ isTiming: false });
    }
  });
}

/** The three strategies as the core tells them, by their letters' names; for scripts. */
export function lanesReport(): Record<string, LaneRun> | null {
  const { picture } = lanes.value;
  if (!picture) return null;
  return Object.fromEntries(kStrategyNames.flatMap((name) => {
    const run = runOf(name);
    return run ? [[name, run]] : [];
  }));
}

function lanesState(): Record<string, unknown> {
  const { example, name, n, vscale, strategy, stage, cursor, problems, timing } = lanes.value;
  const counters = Object.values(lanesReport() ?? {}).map((run) => {
    const { iterations: _rows, buffers: _buffers, left_out: _rest, ...rest } = run;
    return rest;
  });
  return {
    example, name, n, vscale, strategy, stage, cursor: cursor ?? null, strategies: counters,
    problems: problems.map(({ code, message, text }) => ({ code, message, text })),
    timing: timing ?? null,
  };
}

lanesReporter.report = lanesState;
