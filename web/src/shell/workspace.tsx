// SPDX-License-Identifier: Apache-2.0
// The panes of the preset where they lie: regions with stacks and splitters, or on a phone one pane
// above a bar of tabs, with the run's controls in sight.
import { computed, effect, untracked } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import {
  activeOf, arrange, kPresets, kRegions, phonePane, type Region, type Split, type Stack,
} from '../model/presets.js';
import { gridTemplate, kSplitNames } from '../model/splits.js';
import { Fetched } from '../panes/fetched.js';
import { kPanes, type PaneEntry } from '../panes/index.js';
import { kIsEmbed, layout, preset, recentPanes, reveal } from '../state/layout.js';
import { now } from '../state/store.js';
import { isNarrow } from './screen.js';
import { lengthOf, Splitter } from './splitter.js';
import { panelId, type Tab, tabId, Tabs } from './tabs.js';

/** The controls of a run stay in sight of a phone, whatever it shows. */
const kControls = 'run';

const kEntries = new Map(kPanes.map((entry) => [entry.id, entry]));

/** Some panes come and go with what is known: Problems, for one, is there while there are any. */
const present = computed(() => kPanes.filter(({ isThere }) => isThere?.() ?? true));

export const arrangement = computed(() =>
  arrange(kPresets[preset.value], present.value, layout.value.only));

/**
 * Where a link leads to that skips what stands before: the preset's main pane, if it is shown. Its
 * panel is the target: it is there while the pane's code is still fetched.
 */
export const mainPane = computed(() => {
  const shown = arrangement.value;
  if (isNarrow.value) return phonePane(kPresets[preset.value], shown, recentPanes.value);
  const active = kRegions.flatMap((region) =>
    shown[region].map((stack) => activeOf(stack, recentPanes.value)));
  const { main } = kPresets[preset.value];
  return active.includes(main) ? main : (active[0] ?? main);
});

// Panes of the first view are part of the page's code; others are fetched when they are first
// shown.
function PaneOf({ id }: { id: string }) {
  const entry: PaneEntry | undefined = kEntries.get(id);
  if (!entry) return null;
  const { title, pane: Made, fetch } = entry;
  if (Made) return <Made />;
  return fetch ? <Fetched what={`the pane ${title}`} fetch={fetch} /> : null;
}

const tabOf = (id: string): Tab => ({
  id, title: kEntries.get(id)?.title ?? id, badge: kEntries.get(id)?.badge?.(),
});

/** A stack of one pane has no tabs, and is no tab panel either. */
function StackOf({ stack, label }: { stack: Stack; label: string }) {
  const active = activeOf(stack, recentPanes.value);
  if (stack.length === 1) {
    return (
      <div class={`stack stack-${active}`} id={panelId(active)}>
        <PaneOf key={active} id={active} />
      </div>
    );
  }
  return (
    <div class={`stack tabbed stack-${active}`}>
      <Tabs class="tabs" label={label} tabs={stack.map(tabOf)} active={active} onPick={reveal} />
      <div class="panel" role="tabpanel" id={panelId(active)} aria-labelledby={tabId(active)}>
        <PaneOf key={active} id={active} />
      </div>
    </div>
  );
}

/** What screen readers call a row of tabs. */
const kPlaces: Readonly<Record<Region, string>> = {
  left: 'Panes on the left', centre: 'Panes in the middle', right: 'Panes on the right',
  bottom: 'Panes at the bottom',
};

function RegionOf({ region }: { region: Region }) {
  const stacks = arrangement.value[region];
  if (stacks.length === 0) return null;
  return (
    <div class={`region region-${region}`}>
      {stacks.map((stack) => (
        <StackOf key={stack[0]} stack={stack} label={kPlaces[region]} />
      ))}
    </div>
  );
}

function SplitterAt({ split }: { split: Split }) {
  return arrangement.value[split].length > 0 ? <Splitter split={split} /> : null;
}

function Wide() {
  const shown = arrangement.value;
  const { columns, rows, areas } = gridTemplate(shown);
  const splits = kSplitNames.filter((split) => shown[split].length > 0);
  // Splits of empty regions are left out, so that the grid gives their place to the others.
  const lengths = Object.fromEntries(
    splits.map((split: Split) => [`--${split}`, `${lengthOf(split)}px`]));
  return (
    <main
      class={`workspace preset-${preset.value}`}
      style={{ ...lengths, '--columns': columns, '--rows': rows, '--areas': areas }}
    >
      <RegionOf region="left" />
      <SplitterAt split="left" />
      <RegionOf region="centre" />
      <SplitterAt split="right" />
      <RegionOf region="right" />
      <SplitterAt split="bottom" />
      <RegionOf region="bottom" />
    </main>
  );
}

/** Brings the tab of the pane that is shown into sight of a bar that is wider than the screen. */
function useTabInSight(id: string): void {
  useEffect(() => {
    document.getElementById(tabId(id))?.scrollIntoView({ inline: 'nearest', block: 'nearest' });
  }, [id]);
}

function Phone() {
  const shown = arrangement.value;
  const all = kRegions.flatMap((region) => shown[region].flat());
  const active = phonePane(kPresets[preset.value], shown, recentPanes.value);
  // Not twice: where the Run pane itself is shown it has them.
  const bar = all.includes(kControls) && active !== kControls;
  useTabInSight(active);
  return (
    <main class={`workspace narrow preset-${preset.value}`}>
      <div class="panel" role="tabpanel" id={panelId(active)} aria-labelledby={tabId(active)}>
        <PaneOf key={active} id={active} />
      </div>
      {bar ? <div class="controls-only"><PaneOf key={kControls} id={kControls} /></div> : null}
      <Tabs class="tab-bar" label="Panes" tabs={all.map(tabOf)} active={active} onPick={reveal} />
    </main>
  );
}

let hadProblems = false;

/** What has gone wrong comes to the front, once. */
effect(() => {
  const hasProblems = now.problems.length > 0;
  if (hasProblems && !hadProblems) untracked(() => reveal('problems'));
  hadProblems = hasProblems;
});

export function Workspace() {
  return isNarrow.value && !kIsEmbed ? <Phone /> : <Wide />;
}
