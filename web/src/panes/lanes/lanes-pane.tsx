// SPDX-License-Identifier: Apache-2.0
// Three strategies side by side on the same data, at the vscale that the reader turns, with what
// each of them counts.
import { useEffect } from 'preact/hooks';
import {
  counterRows, kStrategyNames, kStrategyWords, methodOf, type StrategyName,
} from '../../model/lanes.js';
import { formatMilliseconds } from '../../model/format.js';
import { isPlaying, pause, togglePlay } from '../../state/lane-play.js';
import { lanesNow } from '../../state/lanes.js';
import { DataTable } from '../../widgets/data-table.js';
import { Pane } from '../pane.js';
import { Controls } from './controls.js';
import { LaneGrid, Readout } from './lane-grid.js';

/** Patterns of all strips; out of sight, but not display: none, which would end them. */
function Hatches() {
  return (
    <svg class="visually-hidden" aria-hidden="true" focusable="false">
      <defs>
        <pattern id="hatch-off" width="5" height="5" patternUnits="userSpaceOnUse">
          <path d="M-1 1l2-2M0 5l5-5M4 6l2-2" />
        </pattern>
        <pattern id="hatch-outside" width="6" height="6" patternUnits="userSpaceOnUse">
          <path d="M0 6l6-6M0 0l6 6" />
        </pattern>
      </defs>
    </svg>
  );
}

/** What is off is hatched as well, so that no state is told by colour alone. */
const kKeyItems = [
  ['active', 'on'], ['off', 'off'], ['outside', 'off, past the end'], ['scalar', 'one at a time'],
] as const;

function Legend() {
  return (
    <ul class="lane-legend">
      {kKeyItems.map(([state, text]) => (
        <li key={state}>
          <svg width="16" height="14" aria-hidden="true" focusable="false">
            <rect class={`lane-${state}`} x="1" y="1" width="14" height="12" />
            {state === 'off' || state === 'outside' ? (
              <rect
                class="hatch" fill={`url(#hatch-${state})`} x="1" y="1" width="14" height="12"
              />
            ) : null}
          </svg>
          {text}
        </li>
      ))}
    </ul>
  );
}

/** A letter saves width in a head of four columns; screen readers hear the title. */
function Letter({ of }: { of: StrategyName }) {
  const { letter, title } = kStrategyWords[of];
  return (
    <>
      <span class="letter" aria-hidden="true">{letter}</span>
      <span class="visually-hidden">{title}</span>
    </>
  );
}

/** The core counts, and nothing is added up here. */
function Counters() {
  const runs = lanesNow.picture?.lanes ?? [];
  return (
    <div class="scroll counters" tabIndex={0} role="group" aria-label="Counters">
      <DataTable
        name="counters" label="What each strategy does, counted by the core" bare
        rows={counterRows(runs)}
        columns={[
          { title: 'counted', value: ({ name }) => name },
          ...kStrategyNames.map((name, i) => ({
            title: kStrategyWords[name].title, class: 'number' as const,
            head: <Letter of={name} />,
            value: ({ values }: { values: readonly (string | number)[] }) => values[i],
          })),
        ]}
      />
      <p class="hint" data-testid="method">{runs[0] ? methodOf(runs[0]) : ''}</p>
    </div>
  );
}

export function CountersPane() {
  return (
    <Pane id="counters" title="Counters" note="at this vscale">
      <Counters />
    </Pane>
  );
}

/** Walks through the iterations. */
function Play() {
  // Playing ends with the pane: nobody would see the cursor move.
  useEffect(() => pause, []);
  return (
    <button type="button" class="play" data-testid="play-lanes" onClick={togglePlay}>
      {isPlaying.value ? '❚❚ Pause' : '▶ Play'}
    </button>
  );
}

export function LanesPane() {
  // A program with errors keeps the picture before it, which is then marked as stale.
  const { picture, milliseconds, problems } = lanesNow;
  const note = picture ? `counted in ${formatMilliseconds(milliseconds)}` : null;
  return (
    <Pane id="lanes" title="Lanes" note={note}>
      <Hatches />
      <Controls />
      {picture ? (
        <>
          <div class={problems.length > 0 ? 'strategies stale' : 'strategies'}>
            {kStrategyNames.map((name) => <LaneGrid key={name} strategy={name} />)}
          </div>
          <div class="lane-foot">
            <Play />
            <Readout />
            <Legend />
          </div>
        </>
      ) : (
        <p class="hint padded">
          {problems.length > 0 ? 'There is no picture of a program with errors.'
            : 'Fetching the loop compiler…'}
        </p>
      )}
    </Pane>
  );
}
