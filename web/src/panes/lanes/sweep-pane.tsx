// SPDX-License-Identifier: Apache-2.0
// All vscales at once, and the same program as code of this browser.
import { formatNanoseconds } from '../../model/format.js';
import { isLegal, kStrategyNames, kStrategyWords, type StrategyName } from '../../model/lanes.js';
import {
  kChart, kMetricNames, kSweepMetrics, metricOf, sweepOf, type SweepMetric, type SweepPoint, xOf,
} from '../../model/sweep.js';
import { lanesNow, measure, setMetric, setVscale, sweep } from '../../state/lanes.js';
import { DataTable } from '../../widgets/data-table.js';
import { Disclosure } from '../../widgets/disclosure.js';
import { SavePicture } from '../../widgets/save-picture.js';
import { whenChanged } from '../../widgets/when-changed.js';
import { Pane } from '../pane.js';


/** Filled where processors have such vectors, hollow elsewhere; each strategy has its own shape. */
const Mark = whenChanged((
  { x, y, vscale, strategy }: Omit<SweepPoint, 'value'> & { strategy: StrategyName },
) => {
  const name = `mark mark-${strategy}${isLegal(vscale) ? '' : ' hollow'}`;
  if (strategy === 'fixed') return <rect class={name} x={x - 3} y={y - 3} width="6" height="6" />;
  if (strategy === 'cleanup') return <path class={name} d={`M${x} ${y - 4}l4 7h-8z`} />;
  return <circle class={name} cx={x} cy={y} r="3.5" />;
});

/** Where the vscale is that the other panes show. */
function Here() {
  const { height, top, bottom } = kChart;
  const x = xOf(lanesNow.vscale);
  return <line class="now" x1={x} x2={x} y1={top - 6} y2={height - bottom} />;
}

function Chart() {
  const { metric } = lanesNow;
  const { lines, ticks } = sweepOf(sweep.value, metric);
  const { width, height, left, right } = kChart;
  const onClick = (event: MouseEvent & { currentTarget: SVGSVGElement }): void => {
    const bounds = event.currentTarget.getBoundingClientRect();
    // In units of the viewBox, whatever width the picture has on the screen.
    const x = ((event.clientX - bounds.left) * width) / bounds.width;
    // The inverse of xOf: 15 steps lie between 1 and 16. setVscale rounds and stays within them.
    void setVscale(1 + ((x - left) / (width - left - right)) * 15);
  };
  return (
    <svg
      class="chart" viewBox={`0 0 ${width} ${height}`} role="img" data-testid="sweep-chart"
      aria-label={`${kSweepMetrics[metric]} at each vscale from 1 to 16; the table has the numbers`}
      onClick={onClick}
    >
      {ticks.map(({ y, text }) => (
        <g key={y}>
          <line class="grid-line" x1={left} x2={width - right} y1={y} y2={y} />
          <text class="tick" x={left - 6} y={y + 4} text-anchor="end">{text}</text>
        </g>
      ))}
      {[1, 2, 4, 8, 12, 16].map((each) => (
        <text key={each} class="tick" x={xOf(each)} y={height - 8} text-anchor="middle">
          {each}
        </text>
      ))}
      <Here />
      {lines.map(({ strategy, points }) => (
        <g key={strategy}>
          <polyline
            class={`trend trend-${strategy}`}
            points={points.map(({ x, y }) => `${x},${y}`).join(' ')}
          />
          {points.map(({ x, y, vscale }) => (
            <Mark key={vscale} x={x} y={y} vscale={vscale} strategy={strategy} />
          ))}
        </g>
      ))}
    </svg>
  );
}

function Key() {
  return (
    <ul class="chart-key">
      {kStrategyNames.map((strategy) => (
        <li key={strategy}>
          <svg width="26" height="12" aria-hidden="true" focusable="false">
            <line class={`trend trend-${strategy}`} x1="0" x2="26" y1="6" y2="6" />
            <Mark vscale={1} x={13} y={6} strategy={strategy} />
          </svg>
          {kStrategyWords[strategy].letter}
        </li>
      ))}
      <li class="detail">hollow: no processor has it</li>
    </ul>
  );
}

function SweepTable() {
  const { metric } = lanesNow;
  const runs = sweep.value;
  // The core says which vscales were counted.
  const vscales = [...new Set(runs.map((run) => run.vscale))];
  const valueAt = (strategy: StrategyName, vscale: number): string => {
    const run = runs.find((each) => each.strategy === strategy && each.vscale === vscale);
    // One digit behind the point, for shares in per cent; counts are whole anyway.
    return run ? String(Math.round(metricOf(run, metric) * 10) / 10) : '';
  };
  return (
    <DataTable
      name="sweep-table" label="The sweep as a table" rows={vscales}
      columns={[
        { title: 'vscale', value: (vscale) => vscale,
          cell: (vscale) => `${vscale}${isLegal(vscale) ? '' : ' (what if)'}` },
        ...kStrategyNames.map((name) => ({
          title: kStrategyWords[name].title, class: 'number' as const,
          value: (vscale: number) => valueAt(name, vscale),
        })),
      ]}
    />
  );
}

/** Measured in the reader's own browser, and only when the button asks for it. */
function Timing() {
  const { timing, timingProblem, isTiming } = lanesNow;
  // A clock of a browser may be so coarse that a short run takes no time: then no ratio is told.
  const ratio = timing && timing.wasmNs > 0 ? timing.interpreterNs / timing.wasmNs : 0;
  return (
    <div class="timing">
      <button
        type="button" data-testid="time-loops" disabled={isTiming} onClick={() => void measure()}
      >
        Run as WebAssembly
      </button>
      <p class="detail" role="status" data-testid="timing">
        {isTiming ? 'measuring…' : null}
        {!isTiming && timing ? (
          <>
            <b>{formatNanoseconds(timing.wasmNs)}</b>, {timing.codeBytes} bytes of code; the
            reference interpreter {formatNanoseconds(timing.interpreterNs)}
            {ratio > 1 ? `, ${Math.round(ratio)} times as long` : ''}; equal results.
          </>
        ) : null}
        {timingProblem ? timingProblem.message : null}
        {!isTiming && !timing && !timingProblem
          ? 'The core makes a module of it, here, and compares the results.' : null}
      </p>
    </div>
  );
}

export function SweepPane() {
  const { metric } = lanesNow;
  const tools = (
    <label class="metric">
      <span class="visually-hidden">What the chart shows</span>
      <select
        value={metric} data-testid="metric"
        onChange={(event) => {
          const name = kMetricNames.find((each) => each === event.currentTarget.value);
          if (name) setMetric(name);
        }}
      >
        {kMetricNames.map((name) => <option key={name} value={name}>{kSweepMetrics[name]}</option>)}
      </select>
    </label>
  );
  return (
    <Pane id="sweep" title="Every vscale" tools={tools}>
      <div class="scroll padded" tabIndex={0} role="group" aria-label="All vscales">
        {sweep.value.length > 0 ? (
          <>
            <Chart />
            <Key />
            <SavePicture
              name="sweep" title="Every vscale" selector=".chart"
              about={`${kSweepMetrics[metric]} at each vscale from 1 to 16`}
            />
            <Disclosure summary="As a table" testid="sweep-as-table">
              {() => <SweepTable />}
            </Disclosure>
          </>
        ) : (
          <p class="hint">Nothing can be counted without running the program in full.</p>
        )}
        <Timing />
      </div>
    </Pane>
  );
}
