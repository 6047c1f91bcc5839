// SPDX-License-Identifier: Apache-2.0
// The tensor inspector: which register is looked into, what of it is shown, and what the core told.
// Only what the open tab needs is asked for, and only the latest question is drawn.
import { computed, effect, signal, untracked } from '@preact/signals';
import type {
  Tensor, TensorComparison, TensorLayout, TensorPicture, TensorStatistics,
} from 'tern-runtime';
import type {
  CompareWith, SharedView, TensorFacts, TensorPlace, TensorQuestion,
} from '../engine/inspection-protocol.js';
import { parseNpy } from '../model/npy.js';
import {
  type ImageAxes, type MediaAxes, mediaAxes, type SoundAxes,
} from '../model/tensor-media.js';
import { keepView, type TensorView } from '../model/tensor-picture.js';
import type { NumberFormat } from '../model/tensor-text.js';
import { inspect } from './runs.js';
import { pin, pinned } from './selection.js';
import { engine, guarded, session } from './store.js';

export const kTabs = {
  heatmap: 'Heatmap', media: 'Picture or sound', table: 'Table', histogram: 'Histogram',
  stats: 'Stats', layout: 'Layout', hex: 'Hex', compare: 'Compare',
} as const;
export type InspectorTab = keyof typeof kTabs;

/** A tensor as what it is besides numbers: all of one picture, or the outline of a sound. */
export type TensorMedia =
  | { readonly axes: ImageAxes; readonly tensor: Tensor }
  | { readonly axes: SoundAxes; readonly outline: TensorPicture };

/** A part of a tensor that has been fetched. */
export interface TensorWindow {
  readonly region: Region;
  readonly tensor: Tensor;
}

export interface InspectorState {
  readonly place: TensorPlace | undefined;
  readonly name: string;
  /** The step that the answers are of. */
  readonly step: number;
  readonly layout: TensorLayout | undefined;
  readonly shared: readonly SharedView[];
  readonly hash: string | undefined;
  readonly view: TensorView | undefined;
  readonly picture: TensorPicture | undefined;
  readonly media: TensorMedia | undefined;
  readonly statistics: TensorStatistics | undefined;
  readonly window: TensorWindow | undefined;
  readonly comparison: TensorComparison | undefined;
  readonly comparedWith: string;
  readonly isBusy: boolean;
  readonly problem: string;
}

const kNothing: InspectorState = {
  place: undefined, name: '', step: 0, layout: undefined, shared: [], hash: undefined,
  view: undefined, picture: undefined, media: undefined, statistics: undefined, window: undefined,
  comparison: undefined, comparedWith: '', isBusy: false, problem: '',
};

export const inspector = signal<InspectorState>(kNothing);
/** Nothing until one is picked. */
export const tab = signal<InspectorTab | undefined>(undefined);
/** How the tensor is a picture or a sound, where it is. */
export const media = computed(() => {
  const { layout } = inspector.value;
  return layout && mediaAxes(layout);
});
/** The tab that was picked, where this tensor has it; else a picture in colours as what it is. */
export const shownTab = computed<InspectorTab>(() => {
  const picked = tab.value;
  if (picked === 'media') return media.value ? 'media' : 'heatmap';
  if (picked) return picked;
  const { layout } = inspector.value;
  const isPicture = media.value?.kind === 'image' && layout?.shape[media.value.channels] === 3;
  return isPicture ? 'media' : 'heatmap';
});
export const numberFormat = signal<NumberFormat>('g');

const change = (part: Partial<InspectorState>): void => {
  inspector.value = { ...inspector.value, ...part };
};

async function ask<A extends TensorQuestion['ask']>(
  place: TensorPlace, question: TensorQuestion & { ask: A },
): Promise<Extract<TensorFacts, { ask: A }> | undefined> {
  const { facts } = await engine.request({ kind: 'tensor', place, question });
  return facts as Extract<TensorFacts, { ask: A }> | undefined;
}

/** Counts what was asked, so that answers to what nobody asks any more are dropped. */
let asked = 0;

function latest(action: (isStill: () => boolean) => Promise<void>): Promise<void> {
  const mine = ++asked;
  const isStill = (): boolean => mine === asked;
  change({ isBusy: true, problem: '' });
  return guarded(async () => {
    await action(isStill);
    if (isStill()) change({ isBusy: false });
  }, (error) => {
    const message = error instanceof Error ? error.message : String(error);
    if (isStill()) change({ isBusy: false, problem: message });
  });
}

/** Rows and columns of a tensor, as its view has them. */
export interface Region {
  readonly row: number;
  readonly column: number;
  readonly rows: number;
  readonly columns: number;
}

/** What a table shows before it is scrolled, and bytes are shown of. */
const kFirstRegion: Region = { row: 0, column: 0, rows: 40, columns: 24 };

/** Cells of a picture, down and across: more than a heatmap has pixels of its own to show. */
const kMostCells = 512;

/** Columns of a sound's outline: more than there are pixels. */
const kOutlineColumns = 1024;

async function fetchMedia(
  place: TensorPlace, axes: MediaAxes, isStill: () => boolean,
): Promise<void> {
  const { view, layout } = inspector.value;
  if (!view || !layout) return;
  const { shape } = layout;
  if (axes.kind === 'sound') {
    const options = {
      rowAxis: -1, columnAxis: axes.time, index: shape.map(() => 0), maxColumns: kOutlineColumns,
    };
    const found = await ask(place, { ask: 'picture', options });
    if (isStill() && found) change({ media: { axes, outline: found.picture } });
    return;
  }
  const isShown = (axis: number): boolean =>
    [axes.height, axes.width, axes.channels].includes(axis);
  const starts = view.index.map((at, axis) => (isShown(axis) ? 0 : at));
  const counts = shape.map((extent, axis) => (isShown(axis) ? extent : 1));
  const found = await ask(place, { ask: 'window', starts, counts });
  if (isStill() && found) change({ media: { axes, tensor: found.tensor } });
}

/** Asks for what the tab shows, where it is not there yet. */
async function fill(place: TensorPlace, isStill: () => boolean): Promise<void> {
  const { view, layout, picture, statistics, window } = inspector.value;
  const shown = shownTab.value;
  if (!view || !layout) return;
  if (shown === 'heatmap' && !picture) {
    const options = { ...view, maxRows: kMostCells, maxColumns: kMostCells };
    const found = await ask(place, { ask: 'picture', options });
    if (isStill()) change({ picture: found?.picture });
  }
  if (shown === 'media' && media.value && !inspector.value.media)
    await fetchMedia(place, media.value, isStill);
  if ((shown === 'stats' || shown === 'histogram') && !statistics) {
    const found = await ask(place, { ask: 'statistics', options: {} });
    if (isStill()) change({ statistics: found?.statistics });
  }
  if ((shown === 'table' || shown === 'hex') && !window)
    await fetchWindow(place, kFirstRegion, isStill);
  // After what is looked at: it reads all elements.
  if (!inspector.value.hash && isStill()) {
    const found = await ask(place, { ask: 'hash' });
    if (isStill()) change({ hash: found?.hash });
  }
}

async function fetchWindow(
  place: TensorPlace, region: Region, isStill: () => boolean,
): Promise<void> {
  const { view, layout } = inspector.value;
  if (!view || !layout) return;
  const { shape } = layout;
  const along = (axis: number, first: number, most: number): [number, number] =>
    [first, Math.max(Math.min(most, shape[axis]! - first), 0)];
  const starts = [...view.index];
  const counts = shape.map(() => 1);
  const set = (axis: number, first: number, most: number): void => {
    if (axis >= 0) [starts[axis], counts[axis]] = along(axis, first, most);
  };
  set(view.rowAxis, region.row, region.rows);
  set(view.columnAxis, region.column, region.columns);
  const found = await ask(place, { ask: 'window', starts, counts });
  if (isStill() && found) change({ window: { region, tensor: found.tensor } });
}

interface Target {
  readonly place: TensorPlace;
  readonly name: string;
}

async function open({ place, name }: Target, isStill: () => boolean): Promise<void> {
  const found = await ask(place, { ask: 'layout' });
  if (!isStill()) return;
  if (!found) return change({ ...kNothing, place, name });
  const { layout, shared } = found;
  // The name changes with what it stands for.
  change({
    place, name, layout, shared, hash: undefined, step: session.value.steps,
    view: keepView(inspector.value.view, layout.shape), picture: undefined, media: undefined,
    statistics: undefined, window: undefined, comparison: undefined,
  });
  await fill(place, isStill);
}

/** The register that was picked, if it can be looked into now. */
function wanted(): Target | undefined {
  const { machine, before, inspected, frame } = session.value;
  const selected = pinned.value;
  const picked = selected?.kind === 'register'
    ? { register: selected.index, frame: selected.frame }
    : inspected && { register: inspected.index, frame };
  const register = picked && (before ?? machine)?.frames[picked.frame]?.registers
    .find(({ index }) => index === picked.register);
  if (!picked || !register) return undefined;
  const name = register.name ? `%${picked.register} ${register.name}` : `%${picked.register}`;
  return { place: picked, name };
}

let seen = '';

/** Follows the selection and the cursor for as long as the pane is shown. */
export function followSelection(): () => void {
  seen = '';
  return effect(() => {
    const target = wanted();
    const { steps, begunWith } = session.value;
    const key = JSON.stringify([target?.place, target?.name, steps, begunWith !== undefined]);
    if (key === seen) return;
    seen = key;
    untracked(() => {
      if (!target) {
        asked++;
        inspector.value = { ...kNothing, view: inspector.value.view };
        return;
      }
      void latest((isStill) => open(target, isStill));
    });
  });
}

function again(part: Partial<InspectorState>): void {
  change(part);
  const { place } = inspector.value;
  if (place) void latest((isStill) => fill(place, isStill));
}

export function setTab(name: InspectorTab): void {
  tab.value = name;
  again({});
}

export function setView(view: TensorView): void {
  again({ view, picture: undefined, media: undefined, window: undefined });
}

const isSame = (a: Region, b: Region): boolean =>
  a.row === b.row && a.column === b.column && a.rows === b.rows && a.columns === b.columns;

/** Fetches the part of the table that is in sight, unless it is there. */
export function showRegion(region: Region): void {
  const { place, window } = inspector.value;
  if (!place || (window && isSame(window.region, region))) return;
  void latest((isStill) => fetchWindow(place, region, isStill));
}

/** Looks into a register; other panes hear of it by the selection. */
export function inspectRegister(register: number): void {
  pin(undefined);
  inspect(register);
}

function compare(other: CompareWith, comparedWith: string, atol: number, rtol: number): void {
  const { place } = inspector.value;
  if (!place) return;
  void latest(async (isStill) => {
    const found = await ask(place, { ask: 'compare', other, atol, rtol });
    if (!isStill()) return;
    change({ comparison: found?.comparison, comparedWith });
    if (!found) change({ problem: `${comparedWith} holds no tensor` });
  });
}

export function compareWithStep(step: number, atol: number, rtol: number): void {
  const { place } = inspector.value;
  if (place) compare({ place: { ...place, step } }, `step ${step}`, atol, rtol);
}

export function compareWithRegister(register: number, atol: number, rtol: number): void {
  const { place } = inspector.value;
  if (place) compare({ place: { ...place, register } }, `%${register}`, atol, rtol);
}

export async function compareWithFile(file: File, atol: number, rtol: number): Promise<void> {
  try {
    const tensor = parseNpy(new Uint8Array(await file.arrayBuffer()));
    compare({ tensor }, file.name, atol, rtol);
  } catch (error) {
    change({ problem: error instanceof Error ? error.message : String(error) });
  }
}

/** All elements, or those of the slice that is shown; fetched for a file. */
export async function fetchTensor(isWhole: boolean): Promise<Tensor | undefined> {
  const { place, layout, view } = inspector.value;
  if (!place || !layout || !view) return undefined;
  const isShown = (axis: number): boolean =>
    isWhole || axis === view.rowAxis || axis === view.columnAxis;
  const starts = layout.shape.map((_, axis) => (isShown(axis) ? 0 : view.index[axis]!));
  const counts = layout.shape.map((extent, axis) => (isShown(axis) ? extent : 1));
  let tensor: Tensor | undefined;
  await latest(async () => {
    tensor = (await ask(place, { ask: 'window', starts, counts }))?.tensor;
  });
  return tensor;
}
