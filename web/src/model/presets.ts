// SPDX-License-Identifier: Apache-2.0
// The arrangements of panes that a visitor picks from, as one table: preset → region → stacks of
// panes. Panes of one stack share its place and are chosen by tabs; stacks of a region lie below
// each other, at the bottom beside each other. A preset may name panes that the page does not have:
// they are left out, and so is a preset whose main pane is missing.

export type Region = 'left' | 'centre' | 'right' | 'bottom';
export const kRegions: readonly Region[] = ['left', 'centre', 'right', 'bottom'];

/** A border that can be moved; the centre has what the others leave. */
export type Split = Exclude<Region, 'centre'>;

/** Widths and heights of regions in CSS pixels. */
export type Sizes = Readonly<Partial<Record<Split, number>>>;

/** Ids of panes (panes/index.ts); the first one is shown at first. */
export type Stack = readonly string[];
export type Arrangement = Readonly<Record<Region, readonly Stack[]>>;

export interface Preset extends Arrangement {
  readonly title: string;
  /** Said of the button. */
  readonly about: string;
  /** What the preset is for: without this pane there is no use in it. */
  readonly main: string;
  /** What a phone shows first, where it is not the main pane. */
  readonly phone?: string;
  /** Sizes at first, where they are not those of model/splits.ts. */
  readonly sizes?: Sizes;
}

export type PresetName = 'learn' | 'debug' | 'vector' | 'profile' | 'compare';

export const kPresets: Readonly<Record<PresetName, Preset>> = {
  learn: {
    title: 'Learn', about: 'Lessons, with the machine beside them', main: 'lesson',
    sizes: { left: 360, bottom: 220 },
    left: [['lesson']],
    centre: [['run'], ['bytecode', 'source', 'lanes']],
    right: [['registers', 'frames', 'loop'], ['output', 'inspector', 'counters']],
    bottom: [['timeline', 'sweep', 'explain', 'problems']],
  },
  debug: {
    title: 'Debug', about: 'Bytecode and registers of a program, step by step', main: 'bytecode',
    phone: 'draw',
    left: [['draw', 'source', 'stages'], ['program', 'breakpoints']],
    centre: [['run'], ['bytecode', 'graph']],
    right: [['registers', 'frames', 'heap', 'shapes'], ['output', 'inspector', 'explain']],
    bottom: [['timeline', 'lifetimes', 'problems']],
  },
  vector: {
    title: 'Vector', about: 'Vector loops, lane by lane, at any vector length', main: 'lanes',
    sizes: { left: 392, bottom: 312 },
    left: [['loop'], ['loop-stages']],
    centre: [['lanes']],
    right: [],
    bottom: [['counters', 'problems'], ['sweep'], ['footprint']],
  },
  profile: {
    title: 'Profile', about: 'Where time and memory go', main: 'profile',
    sizes: { bottom: 200 },
    left: [['ops']],
    centre: [['run'], ['profile']],
    right: [['inspector', 'output', 'explain']],
    bottom: [['plan', 'timeline', 'problems']],
  },
  compare: {
    title: 'Compare', about: 'Two runs, and where they part', main: 'compare',
    left: [['compare-a'], ['source', 'draw', 'program']],
    centre: [['run'], ['compare']],
    right: [['compare-b']],
    bottom: [['divergences', 'problems']],
  },
};

export const kPresetNames = Object.keys(kPresets) as PresetName[];
export const kDefaultPreset: PresetName = 'debug';

export const isPresetName = (name: string): name is PresetName => Object.hasOwn(kPresets, name);

/** What of a pane decides where it lies. */
export interface Placed {
  readonly id: string;
  /** Where it lies in presets that do not name it. */
  readonly region: Region;
}

/** All panes of an arrangement, in reading order. */
export function panesOf(arrangement: Arrangement): string[] {
  return kRegions.flatMap((region) => arrangement[region].flat());
}

/**
 * The stacks of a preset without panes that are not there. `only`: exactly these panes are shown,
 * those that the preset does not name in a stack of their own in their region.
 */
export function arrange(
  preset: Preset, panes: readonly Placed[], only?: readonly string[],
): Arrangement {
  const shown = new Set(panes.map(({ id }) => id).filter((id) => !only || only.includes(id)));
  const named = new Set(panesOf(preset));
  const stacksOf = (region: Region): Stack[] => {
    const kept = preset[region].map((stack) => stack.filter((id) => shown.has(id)));
    const others = panes
      .filter(({ id, region: home }) => home === region && only?.includes(id) && !named.has(id))
      .map(({ id }) => [id]);
    return [...kept, ...others].filter((stack) => stack.length > 0);
  };
  return {
    left: stacksOf('left'), centre: stacksOf('centre'), right: stacksOf('right'),
    bottom: stacksOf('bottom'),
  };
}

/** The presets that the page has the panes for. */
export function usablePresets(panes: readonly Placed[]): PresetName[] {
  const ids = new Set(panes.map(({ id }) => id));
  return kPresetNames.filter((name) => ids.has(kPresets[name].main));
}

/** Of a stack, the pane that was looked at last; `recent` has the latest first. */
export function activeOf(stack: Stack, recent: readonly string[]): string {
  return recent.find((id) => stack.includes(id)) ?? stack[0] ?? '';
}

/** The one pane that a phone shows. */
export function phonePane(
  preset: Preset, arrangement: Arrangement, recent: readonly string[],
): string {
  const there = panesOf(arrangement);
  const wanted = [...recent, preset.phone ?? preset.main, preset.main];
  return wanted.find((id) => there.includes(id)) ?? there[0] ?? '';
}

/** Where a pane that a preset names comes to lie; nothing for others. */
export function regionOf(preset: Preset, id: string): Region | undefined {
  return kRegions.find((region) => preset[region].some((stack) => stack.includes(id)));
}

/** "lanes,ir" as in `?panes=`; nothing where no name of a pane is in it. */
export function readPaneList(text: string | null): readonly string[] | undefined {
  const ids = (text ?? '').split(',').filter((id) => /^[a-z][\w-]{0,31}$/.test(id));
  return ids.length > 0 ? [...new Set(ids)] : undefined;
}
