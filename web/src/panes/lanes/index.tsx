// SPDX-License-Identifier: Apache-2.0
// The Lanes view: its panes, and where they lie. Fetched when it is first shown.
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { drawFirst, lanes } from '../../state/lanes.js';
import '../../style/lanes.css';
import { CountersPane, LanesPane } from './lanes-pane.js';
import { LoopPane } from './loop-pane.js';
import { MemoryPane } from './memory-pane.js';
import { StagesPane } from './stages-pane.js';
import { SweepPane } from './sweep-pane.js';

/** On a phone, one of these is seen at a time. */
const kTabs = [
  ['loop', 'Loop'], ['lanes', 'Lanes'], ['stages', 'Stages'], ['counts', 'Counts'],
] as const;
type Tab = (typeof kTabs)[number][0];
const tab = signal<Tab>('lanes');

function Tabs() {
  return (
    <nav class="tab-bar" aria-label="Panes of the Lanes view">
      {kTabs.map(([id, title]) => (
        <button
          key={id} type="button" aria-pressed={tab.value === id} data-testid={`tab-${id}`}
          onClick={() => {
            tab.value = id;
          }}
        >
          {title}
        </button>
      ))}
    </nav>
  );
}

export function LanesView() {
  useEffect(() => {
    if (!lanes.value.picture) void drawFirst();
  }, []);
  return (
    <>
      <main class={`lanes-view tab-${tab.value}`}>
        <div class="column column-program">
          <LoopPane />
          <StagesPane />
        </div>
        <div class="column column-lanes">
          <LanesPane />
          <div class="lane-figures">
            <CountersPane />
            <SweepPane />
            <MemoryPane />
          </div>
        </div>
      </main>
      <Tabs />
    </>
  );
}
