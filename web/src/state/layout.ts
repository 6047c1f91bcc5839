// SPDX-License-Identifier: Apache-2.0
// How the visitor has arranged the panes: preset, tabs, sizes. It is kept from visit to visit; an
// address overrides it (?panes=, #…&panes=, #…&view=).
import { computed, effect, signal } from '@preact/signals';
import {
  isPresetName, kDefaultPreset, kPresets, panesOf, type PresetName, readPaneList, type Sizes,
  type Split,
} from '../model/presets.js';
import { kSplitNames } from '../model/splits.js';
import { store, stored } from './storage.js';

export interface Layout {
  readonly preset: PresetName;
  /** Panes that were looked at, the latest first, by preset. */
  readonly recent: Readonly<Partial<Record<PresetName, readonly string[]>>>;
  readonly sizes: Readonly<Partial<Record<PresetName, Sizes>>>;
  /** Exactly these panes, where an address says so. */
  readonly only: readonly string[] | undefined;
}

const kStorageKey = 'tern-layout';
const kMostRecent = 24;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function storedSizes(value: unknown): Sizes {
  if (!isRecord(value)) return {};
  return Object.fromEntries(kSplitNames.flatMap((split) => {
    const length = value[split];
    return typeof length === 'number' && Number.isFinite(length) ? [[split, length]] : [];
  }));
}

function byPreset<T>(value: unknown, read: (part: unknown) => T): Partial<Record<PresetName, T>> {
  if (!isRecord(value)) return {};
  return Object.fromEntries(Object.entries(value)
    .filter(([name]) => isPresetName(name))
    .map(([name, part]) => [name, read(part)]));
}

/** What was kept; anything that is not understood counts as not kept. */
export function readLayout(text: string | null): Layout {
  const empty: Layout = { preset: kDefaultPreset, recent: {}, sizes: {}, only: undefined };
  try {
    const kept: unknown = JSON.parse(text ?? 'null');
    if (!isRecord(kept)) return empty;
    const preset = kept['preset'];
    return {
      ...empty,
      preset: typeof preset === 'string' && isPresetName(preset) ? preset : kDefaultPreset,
      recent: byPreset(kept['recent'], (ids) =>
        Array.isArray(ids) ? ids.filter((id) => typeof id === 'string').slice(0, kMostRecent) : []),
      sizes: byPreset(kept['sizes'], storedSizes),
    };
  } catch {
    return empty;
  }
}

const kSearch = new URLSearchParams(globalThis.location?.search ?? '');
/** Inside of another page; what it shows is for that page to say, and is not kept. */
export const kIsEmbed = kSearch.has('embed');

/** An embedded page shows one pane, with the controls of the run where it is of the machine. */
function embeddedPanes(): readonly string[] | undefined {
  if (!kIsEmbed) return undefined;
  const [pane = 'bytecode'] = readPaneList(kSearch.get('pane')) ?? [];
  return panesOf(kPresets.vector).includes(pane) ? [pane] : ['run', pane];
}

export const layout = signal<Layout>({
  ...readLayout(kIsEmbed ? null : stored(kStorageKey)),
  only: readPaneList(kSearch.get('panes')) ?? embeddedPanes(),
});

/** The pane that a lesson points at; empty for none. */
export const pointedPane = signal('');

export const preset = computed(() => layout.value.preset);
export const recentPanes = computed(() => layout.value.recent[layout.value.preset] ?? []);
export const sizes = computed(() => layout.value.sizes[layout.value.preset] ?? {});

effect(() => {
  const { preset: name, recent, sizes: lengths } = layout.value;
  if (!kIsEmbed) store(kStorageKey, JSON.stringify({ preset: name, recent, sizes: lengths }));
});

function change(part: Partial<Layout>): void {
  layout.value = { ...layout.value, ...part };
}

export function showPreset(name: PresetName): void {
  if (name !== layout.value.preset) change({ preset: name });
}

/** Exactly these panes; undefined: those of the preset. */
export function showOnly(ids: readonly string[] | undefined): void {
  change({ only: ids });
}

const namesPane = (name: PresetName, id: string): boolean => panesOf(kPresets[name]).includes(id);

/** Brings a pane to the front, in the preset that is shown or else in one that has it. */
export function reveal(id: string): void {
  const { preset: now, recent, only } = layout.value;
  // What is embedded was chosen by the page around it.
  if (kIsEmbed && !only?.includes(id)) return;
  const isHere = only?.includes(id) || namesPane(now, id);
  const home = isHere ? now : (Object.keys(kPresets) as PresetName[]).find((p) => namesPane(p, id));
  if (!home) return;
  const before = (recent[home] ?? []).filter((each) => each !== id);
  change({
    preset: home, recent: { ...recent, [home]: [id, ...before].slice(0, kMostRecent) },
    only: only?.includes(id) ? only : undefined,
  });
}

/** In CSS pixels; undefined: as it was at first. */
export function setSize(split: Split, length: number | undefined): void {
  const { preset: now, sizes: all } = layout.value;
  const { [split]: _before, ...others } = all[now] ?? {};
  const next = length === undefined ? others : { ...others, [split]: length };
  change({ sizes: { ...all, [now]: next } });
}
