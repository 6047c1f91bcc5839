// SPDX-License-Identifier: Apache-2.0
// The chart over all vscales: points of three lines, and the scale beside them.
import type { LaneRun } from '../engine/loops-protocol.js';
import { instructionsOf, kMaxVScale, kStrategyNames, type StrategyName } from './lanes.js';

export type SweepMetric = 'iterations' | 'instructions' | 'utilisation';
export const kSweepMetrics: Record<SweepMetric, string> = {
  iterations: 'iterations', instructions: 'instructions', utilisation: 'lanes used, %',
};
export const kMetricNames = Object.keys(kSweepMetrics) as SweepMetric[];

export function metricOf(run: LaneRun, metric: SweepMetric): number {
  if (metric === 'instructions') return instructionsOf(run);
  if (metric === 'utilisation') return run.utilisation * 100;
  return run.vector_iterations + run.scalar_iterations;
}

export interface SweepPoint {
  vscale: number;
  value: number;
  x: number;
  y: number;
}

export interface Sweep {
  lines: { strategy: StrategyName; points: SweepPoint[] }[];
  /** The greatest value on the scale, and what stands beside it. */
  ticks: { y: number; text: string }[];
}

export const kChart = {
  width: 460, height: 190, left: 44, right: 10, top: 12, bottom: 26,
} as const;

export function xOf(vscale: number): number {
  const { width, left, right } = kChart;
  return left + ((vscale - 1) / (kMaxVScale - 1)) * (width - left - right);
}

/** 1, 2 or 5 times a power of ten, not less than the value. */
export function roundUp(value: number): number {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ([1, 2, 5, 10].find((factor) => factor * power >= value) ?? 10);
}

export function sweepOf(runs: readonly LaneRun[], metric: SweepMetric): Sweep {
  const greatest = Math.max(0, ...runs.map((run) => metricOf(run, metric)));
  const top = metric === 'utilisation' ? 100 : roundUp(greatest);
  const yOf = (value: number): number =>
    kChart.height - kChart.bottom - (value / top) * (kChart.height - kChart.top - kChart.bottom);
  const lines = kStrategyNames.map((strategy) => ({
    strategy,
    points: runs.filter((run) => run.strategy === strategy).map((run) => {
      const value = metricOf(run, metric);
      return { vscale: run.vscale, value, x: xOf(run.vscale), y: yOf(value) };
    }),
  }));
  const ticks = [0, top / 2, top].map((value) => ({ y: yOf(value), text: shortNumber(value) }));
  return { lines, ticks };
}

/** "12k" of 12 000. */
export function shortNumber(value: number): string {
  for (const [unit, letter] of [[1e9, 'G'], [1e6, 'M'], [1e3, 'k']] as const) {
    if (value >= 10 * unit) return `${Math.round(value / unit)}${letter}`;
    if (value >= unit) return `${Math.round((value * 10) / unit) / 10}${letter}`;
  }
  return String(Math.round(value * 10) / 10);
}
