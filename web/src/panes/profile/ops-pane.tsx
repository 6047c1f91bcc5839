// SPDX-License-Identifier: Apache-2.0
// Operators by time, as the core's profiler adds them up; beside a baseline where one is kept.
import type { ProfileOperator } from 'tern-runtime';
import type { ProfileReport } from '../../engine/inspection-protocol.js';
import { changeOf } from '../../model/change.js';
import { colourIndex } from '../../model/flame.js';
import { formatBytes, formatNanoseconds } from '../../model/format.js';
import { formatRate, type Rates, ratesOf } from '../../model/roofline.js';
import { baselineReport, picked, report, threshold } from '../../state/profile.js';
import '../../style/profile.css';
import { type Column, DataTable } from '../../widgets/data-table.js';
import { Pane } from '../pane.js';

// One operator with other shapes is another row.
const keyOf = ({ name, shapes }: ProfileOperator): string => `${name}\n${shapes}`;

/** Nanoseconds a run, and those of the baseline; none where it has no such operator. */
interface Pair {
  now: number;
  before: number | undefined;
}

/** More or less than the baseline, in words and signs as well as by colour. */
function Change({ now, before }: Pair) {
  const by = formatNanoseconds(Math.abs(now - (before ?? 0)));
  switch (changeOf(now, before, threshold.value)) {
    case 'new': return <span class="worse">+ new</span>;
    case 'equal': return <>=</>;
    case 'alike': return <abbr title={`within ${threshold.value} %`}>≈</abbr>;
    case 'more': return <span class="worse">+ {by}</span>;
    case 'less': return <span class="better">− {by}</span>;
  }
}

/** Up to which change, in percent, an operator counts as taking as long as before. */
function Threshold() {
  if (!baselineReport.value) return null;
  return (
    <label class="detail">
      alike within{' '}
      <input
        type="range" min="0" max="50" value={threshold.value} data-testid="change-threshold"
        aria-valuetext={`${threshold.value} percent`}
        onInput={(event) => {
          threshold.value = event.currentTarget.valueAsNumber;
        }}
      />{' '}
      {threshold.value} %
    </label>
  );
}

function Operator({ row: { name } }: { row: ProfileOperator }) {
  const isPicked = picked.value === name;
  return (
    <button
      type="button" class="small plain" aria-pressed={isPicked}
      onClick={() => {
        picked.value = isPicked ? undefined : name;
      }}
    >
      <span class={`swatch swatch-${colourIndex(name)}`} aria-hidden="true" />
      <span class="operator-name" title={name}>{name}</span>
    </button>
  );
}

/** Beside a baseline, with what has changed since. */
function changeColumn(shown: ProfileReport): Column<ProfileOperator>[] {
  const before = baselineReport.value;
  if (!before) return [];
  const old = new Map(before.operators.map((row) => [keyOf(row), row.nanoseconds / before.runs]));
  // A run each: profiles may be of different numbers of runs.
  const pairOf = (row: ProfileOperator): Pair =>
    ({ now: row.nanoseconds / shown.runs, before: old.get(keyOf(row)) });
  return [{
    title: 'change', class: 'number',
    value: (row) => {
      const { now, before } = pairOf(row);
      return before === undefined ? undefined : now - before;
    },
    cell: (row) => <Change {...pairOf(row)} />,
  }];
}

const rate = (title: string, of: keyof Rates): Column<ProfileOperator> => ({
  title, class: 'number', value: (row) => ratesOf(row)[of],
  cell: (row) => formatRate(ratesOf(row)[of]),
});

/** Times of files are nanoseconds, shares parts of one. */
function columnsOf(shown: ProfileReport): Column<ProfileOperator>[] {
  const all = shown.operators.reduce((sum, { nanoseconds }) => sum + nanoseconds, 0);
  const shareOf = ({ nanoseconds }: ProfileOperator): number | undefined =>
    (all > 0 ? nanoseconds / all : undefined);
  return [
    { title: 'operator', value: ({ name }) => name, cell: (row) => <Operator row={row} /> },
    { title: 'time a run', class: 'number', value: (row) => row.nanoseconds / shown.runs,
      cell: (row) => formatNanoseconds(row.nanoseconds / shown.runs) },
    { title: 'share', class: 'number', value: shareOf,
      cell: (row) => (all > 0 ? `${(100 * shareOf(row)!).toFixed(1)} %` : '—') },
    { title: 'calls', class: 'number', value: ({ hits }) => hits / shown.runs },
    rate('Gop/s', 'operations'), rate('GB/s', 'bytes'), rate('op/byte', 'intensity'),
    { title: 'allocated a run', class: 'number', value: (row) => row.allocated / shown.runs,
      cell: (row) => formatBytes(Math.round(row.allocated / shown.runs)) },
    ...changeColumn(shown),
    { title: 'arguments', value: ({ shapes, shapesVary }) =>
      `${shapes}${shapesVary ? ' and others' : ''}` },
  ];
}

export function OpsPane() {
  const shown = report.value;
  return (
    <Pane
      id="ops" title="Operators" note={shown ? `${shown.operators.length} rows` : null}
      tools={<Threshold />}
    >
      {shown ? (
        <div class="scroll padded" tabIndex={0} role="group" aria-label="Operators by time">
          <DataTable
            name="operators" label="Operators by time" class="listing operators" bare
            rows={shown.operators} columns={columnsOf(shown)}
            row={({ name }) => ({ class: picked.value === name ? 'picked' : '' })}
          />
        </div>
      ) : <p class="hint padded">Profile a run to see which operators take its time.</p>}
    </Pane>
  );
}
