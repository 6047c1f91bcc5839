// SPDX-License-Identifier: Apache-2.0
// Statistics and histogram of all elements, as the core counted them.
import { useState } from 'preact/hooks';
import type { TensorStatistics } from 'tern-runtime';
import { formatNumber } from '../../model/format.js';
import { inspector } from '../../state/inspector.js';
import { DataTable } from '../../widgets/data-table.js';
import { Disclosure } from '../../widgets/disclosure.js';
import { SavePicture } from '../../widgets/save-picture.js';

const kWidth = 512;
const kHeight = 180;
// Where bars stand; below are the numbers of the axis.
const kBase = 158;

/** Every count, with where bins begin. */
function binsOf({ histogram: { low, high, counts } }: TensorStatistics) {
  const width = (high - low) / counts.length;
  return counts.map((count, i) => ({ count, from: low + i * width, to: low + (i + 1) * width }));
}

function HistogramTable({ statistics }: { statistics: TensorStatistics }) {
  const { below, above, low, high } = statistics.histogram;
  // The ends too, which the picture has no bars for: the table lacks nothing.
  const rows = [
    { from: -Infinity, to: low, count: below }, ...binsOf(statistics),
    { from: high, to: Infinity, count: above },
  ];
  return (
    <DataTable
      name="histogram-table" label="The histogram as a table" rows={rows}
      columns={[
        { title: 'from', value: ({ from }) => from, cell: ({ from }) => formatNumber(from) },
        { title: 'to', value: ({ to }) => to, cell: ({ to }) => formatNumber(to) },
        { title: 'elements', value: ({ count }) => count },
      ]}
    />
  );
}

function Axis({ low, high }: { low: number; high: number }) {
  return (
    <>
      <line class="axis" x1="0" x2={kWidth} y1={kBase} y2={kBase} />
      <text x="2" y={kHeight - 6}>{formatNumber(low)}</text>
      <text x={kWidth - 2} y={kHeight - 6} text-anchor="end">{formatNumber(high)}</text>
    </>
  );
}

/** What no bin has. */
function Outside({ statistics: { nan, histogram: { below, above } } }: {
  statistics: TensorStatistics;
}) {
  if (below + above + nan === 0) return null;
  return <p class="detail">outside: {below} below, {above} above, {nan} NaN</p>;
}

export function HistogramTab() {
  const { statistics, name } = inspector.value;
  const [isLog, setLog] = useState(false);
  const [at, setAt] = useState<number>();
  if (!statistics) return <p class="hint">reading…</p>;
  const bins = binsOf(statistics);
  const scale = (count: number): number => (isLog ? Math.log1p(count) : count);
  // Of no elements all bins are empty; nothing is divided by 0 then.
  const most = Math.max(1e-9, ...bins.map(({ count }) => scale(count)));
  const bar = kWidth / bins.length;
  const { low, high } = statistics.histogram;
  const shown = at === undefined ? undefined : bins[at];
  const range = `${bins.length} bins from ${formatNumber(low)} to ${formatNumber(high)}`;
  return (
    <>
      <div class="grid-tools">
        <label>
          <input
            type="checkbox" checked={isLog} data-testid="log-counts"
            onChange={(event) => setLog(event.currentTarget.checked)}
          />{' '}
          logarithmic counts
        </label>
        <span class="detail mono" aria-live="polite">
          {shown ? `${formatNumber(shown.from)} … ${formatNumber(shown.to)}: ${shown.count}` : null}
        </span>
      </div>
      <svg
        class="histogram" viewBox={`0 0 ${kWidth} ${kHeight}`} role="img" data-testid="histogram"
        aria-label={`Histogram of ${name}, ${range}`}
        onMouseLeave={() => setAt(undefined)}
        onMouseMove={(event) => {
          const { left, width } = event.currentTarget.getBoundingClientRect();
          const i = Math.floor(((event.clientX - left) / width) * bins.length);
          setAt(Math.min(Math.max(i, 0), bins.length - 1));
        }}
      >
        {bins.map(({ count }, i) => {
          // A bin with one element of a million is seen all the same.
          const height = (scale(count) / most) * (kBase - 8);
          return (
            <rect
              key={i} class={i === at ? 'bin at' : 'bin'} x={i * bar + 0.5} width={bar - 1}
              y={kBase - height} height={count > 0 ? Math.max(height, 1) : 0}
            />
          );
        })}
        <Axis low={low} high={high} />
      </svg>
      <Outside statistics={statistics} />
      <SavePicture
        name="histogram" title={`Histogram of ${name}`} selector=".histogram" about={range}
      />
      <Disclosure summary="View as table" testid="histogram-as-table">
        {() => <HistogramTable statistics={statistics} />}
      </Disclosure>
    </>
  );
}

const kFigures: readonly [keyof TensorStatistics, string][] = [
  ['count', 'elements'], ['min', 'minimum'], ['max', 'maximum'], ['mean', 'mean'],
  ['std', 'standard deviation'], ['l2', 'L2 norm'], ['zeros', 'zeros'],
  ['negativeZeros', 'of them −0'], ['denormals', 'denormal'], ['nan', 'NaN'],
  ['positiveInfinity', '+∞'], ['negativeInfinity', '−∞'],
];

export function StatsTab() {
  const { statistics } = inspector.value;
  if (!statistics) return <p class="hint">reading…</p>;
  const { uniques, nan, firstNan } = statistics;
  return (
    <>
      <table class="listing figures" data-testid="statistics">
        <tbody>
          {kFigures.map(([key, what]) => (
            <tr key={key} class={key === 'nan' && nan > 0 ? 'alarming' : ''}>
              <th scope="row">{what}</th>
              <td class="number" data-figure={key}>
                {statistics[key] === undefined ? 'none' : formatNumber(statistics[key] as number)}
                {key === 'nan' && nan > 0 ? `, the first at ${firstNan}` : null}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {uniques ? (
        <Disclosure summary={`${uniques.length} different values`} testid="uniques">
          {() => (
            <DataTable
              name="uniques-table" label="The different values" rows={uniques} bare
              columns={[
                { title: 'value', value: ({ value }) => value,
                  cell: ({ value }) => formatNumber(value) },
                { title: 'times', value: ({ count }) => count },
              ]}
            />
          )}
        </Disclosure>
      ) : <p class="detail">more than 32 different values</p>}
    </>
  );
}
