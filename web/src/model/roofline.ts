// SPDX-License-Identifier: Apache-2.0
// The roofline of a profile: operators by how many operations they do for a byte and in a
// nanosecond, both logarithmic, below what the machine does at best. Left of the ridge memory is
// the limit, right of it computing.
import type { ProfileOperator } from 'tern-runtime';
import type { MachineSpeed } from '../engine/inspection-protocol.js';
import { formatNumber } from './format.js';

/** undefined: not known. A count in a nanosecond is as many thousand millions in a second. */
export interface Rates {
  /** Gop/s */
  readonly operations: number | undefined;
  /** GB/s */
  readonly bytes: number | undefined;
  /** Operations for a byte. */
  readonly intensity: number | undefined;
}

const ratio = (amount: number, other: number): number | undefined =>
  (amount > 0 && other > 0 ? amount / other : undefined);

export const ratesOf = ({ operations, bytes, nanoseconds }: ProfileOperator): Rates => ({
  operations: ratio(operations, nanoseconds),
  bytes: ratio(bytes, nanoseconds),
  intensity: ratio(operations, bytes),
});

/** Three digits: a rate is never known better. */
export const formatRate = (rate: number | undefined): string =>
  (rate === undefined ? '–' : formatNumber(Number(rate.toPrecision(3))));

/** An operator in the plot. */
export interface RoofMark {
  readonly operator: ProfileOperator;
  /** 1 takes the most time. */
  readonly rank: number;
  /** Of the time of all operators, also of those that are not drawn. */
  readonly share: number;
  readonly operations: number;
  readonly bytes: number;
  readonly intensity: number;
  /** The most operations in a nanosecond that the machine does at this intensity. */
  readonly roof: number | undefined;
  readonly limit: 'memory' | 'computing' | undefined;
  readonly x: number;
  readonly y: number;
  readonly radius: number;
}

export interface Tick {
  readonly at: number;
  readonly text: string;
}

export interface Roofline {
  /** In the order of time, the longest first. */
  readonly marks: readonly RoofMark[];
  /** Up the slope of memory, then along the roof of computing: x, y of three points. */
  readonly roof: readonly (readonly [number, number])[];
  readonly xTicks: readonly Tick[];
  readonly yTicks: readonly Tick[];
  /** Operators whose operations, bytes or time are not known. */
  readonly left: number;
}

export const kPlot = {
  width: 520, height: 300, left: 58, right: 16, top: 14, bottom: 40,
} as const;

/** Radii of an operator that takes no time and of one that takes all. */
const kLeastRadius = 3;
const kMostRadius = 15;

/** Whole powers of ten around all values: the least and the greatest exponent. */
export function decadesOf(values: readonly number[]): [number, number] {
  const logs = values.filter((value) => value > 0 && Number.isFinite(value)).map(Math.log10);
  if (logs.length === 0) return [0, 1];
  const low = Math.floor(Math.min(...logs));
  return [low, Math.max(Math.ceil(Math.max(...logs)), low + 1)];
}

/** Where a value stands between two ends, on a scale of so many decades. */
const scaleOf = ([low, high]: [number, number], from: number, to: number) =>
  (value: number): number => from + ((Math.log10(value) - low) / (high - low)) * (to - from);

/** At powers of ten; of many decades each second or third one. */
function ticksOf([low, high]: [number, number], place: (value: number) => number): Tick[] {
  const step = Math.ceil((high - low) / 6);
  const ticks: Tick[] = [];
  for (let exponent = low; exponent <= high; exponent += step) {
    const text = exponent >= -3 && exponent <= 4
      ? String(Number(`1e${exponent}`)) : `1e${exponent}`.replace('-', '−');
    ticks.push({ at: place(10 ** exponent), text });
  }
  return ticks;
}

const roofAt = (machine: MachineSpeed, intensity: number): number =>
  Math.min(machine.operations, machine.bytes * intensity);

type Known = Pick<RoofMark, 'operator' | 'share' | 'operations' | 'bytes' | 'intensity'>;

function knownOf(operators: readonly ProfileOperator[]): Known[] {
  const all = operators.reduce((sum, { nanoseconds }) => sum + nanoseconds, 0);
  return operators.flatMap((operator) => {
    const { operations, bytes, intensity } = ratesOf(operator);
    if (operations === undefined || bytes === undefined || intensity === undefined) return [];
    return [{ operator, share: operator.nanoseconds / all, operations, bytes, intensity }];
  }).sort((a, b) => b.share - a.share);
}

export function rooflineOf(
  operators: readonly ProfileOperator[], machine: MachineSpeed | undefined,
): Roofline {
  const known = knownOf(operators);
  const ridge = machine ? machine.operations / machine.bytes : undefined;
  // A decade on both sides of the ridge, so that slope and roof are seen.
  const around = ridge === undefined ? [] : [ridge / 10, ridge * 10];
  const xs = decadesOf([...known.map(({ intensity }) => intensity), ...around]);
  const ys = decadesOf([
    ...known.map(({ operations }) => operations),
    ...(machine ? [machine.operations, machine.operations / 10] : []),
  ]);
  const { width, height, left, right, top, bottom } = kPlot;
  const x = scaleOf(xs, left, width - right);
  const y = scaleOf(ys, height - bottom, top);
  const marks = known.map((each, i) => ({
    ...each, rank: i + 1, x: x(each.intensity), y: y(each.operations),
    roof: machine && roofAt(machine, each.intensity),
    limit: ridge === undefined ? undefined
      : each.intensity < ridge ? 'memory' as const : 'computing' as const,
    // Areas are as times.
    radius: kLeastRadius + (kMostRadius - kLeastRadius) * Math.sqrt(each.share),
  }));
  const roof: [number, number][] = [];
  if (machine && ridge !== undefined) {
    // The slope begins at the left edge, or where it comes up from below the lower one.
    const first = Math.max(10 ** xs[0], 10 ** ys[0] / machine.bytes);
    for (const at of [first, ridge, 10 ** xs[1]]) roof.push([x(at), y(roofAt(machine, at))]);
  }
  return {
    marks, roof, xTicks: ticksOf(xs, x), yTicks: ticksOf(ys, y),
    left: operators.length - known.length,
  };
}

/** The mark beside, by intensity: what an arrow to a side leads to. */
export function beside(marks: readonly RoofMark[], at: number, step: 1 | -1): number {
  const order = marks.map((_, i) => i).sort((a, b) => marks[a]!.x - marks[b]!.x || a - b);
  return order[order.indexOf(at) + step] ?? at;
}
