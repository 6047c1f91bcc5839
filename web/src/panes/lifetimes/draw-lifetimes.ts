// SPDX-License-Identifier: Apache-2.0
// Bars of registers over time. Kinds differ by colour and by hatch; the time between the last use
// and the end is hollow.
import type { LifetimesView } from 'tern-runtime';
import type { Bar } from '../../model/lifetimes.js';
import { hatch, type Surface } from '../../widgets/canvas-picture.js';

export const kRowHeight = 20;
export const kLabelWidth = 80;
/** As many letters as there is room for before the bars. */
const kLabelLetters = 10;

/** By kind of value: a colour, and a hatch over it. */
const kKinds: Record<string, [colour: string, hatch?: 'slash' | 'back' | 'dots' | 'cross']> = {
  tensor: ['accent'], storage: ['warm', 'slash'], shape: ['violet', 'dots'],
  tuple: ['green', 'back'], list: ['green', 'cross'], closure: ['violet', 'slash'],
  int: ['line-strong'], float: ['line-strong', 'dots'], bool: ['line-strong', 'back'],
};
export const kindStyle = (kind: string) => kKinds[kind] ?? (['muted', 'cross'] as const);

export interface Picture {
  view: LifetimesView;
  bars: readonly Bar[];
  rows: readonly number[];
  names: ReadonlyMap<number, string>;
  scaled: boolean;
  /** The part of the rows that is in sight, in pixels from the first one's top. */
  scrollTop: number;
  picked: number | undefined;
}

export function xOf({ enter, leave }: LifetimesView, width: number): (step: number) => number {
  const length = Math.max(leave - enter, 1);
  return (step) => kLabelWidth + ((width - kLabelWidth - 4) * (step - enter)) / length;
}

/** Heights by size: a row is full at a mebibyte. */
function heightOf(bytes: number, scaled: boolean): number {
  if (!scaled) return kRowHeight - 6;
  return Math.min(Math.max((Math.log2(1 + bytes) / 20) * (kRowHeight - 4), 3), kRowHeight - 4);
}

function drawBar(surface: Surface, bar: Bar, top: number, x: (step: number) => number,
  scaled: boolean): void {
  const { context, colour } = surface;
  const [token, pattern] = kindStyle(bar.kind);
  const ink = colour(token);
  const height = heightOf(bar.bytes, scaled);
  const y = top + (kRowHeight - height) / 2;
  const left = x(bar.defined);
  // A value of one step is still two pixels.
  const right = Math.max(x(bar.ended), left + 2);
  // From here on the value is held for nothing: that part is hollow.
  const used = Math.min(Math.max(x(bar.lastUse), left), right);
  const round = Math.min(3, (right - left) / 2);
  context.fillStyle = hatch(surface, ink, 'slash');
  context.globalAlpha = 0.45;
  context.beginPath();
  context.roundRect(left, y, right - left, height, round);
  context.fill();
  context.globalAlpha = 1;
  if (used > left) {
    context.fillStyle = ink;
    context.beginPath();
    context.roundRect(left, y, used - left, height, round);
    context.fill();
    if (pattern) {
      context.fillStyle = hatch(surface, colour('surface'), pattern);
      context.fill();
    }
  }
  context.strokeStyle = ink;
  context.lineWidth = 1;
  context.beginPath();
  context.roundRect(left + 0.5, y + 0.5, Math.max(right - left - 1, 1), height - 1, round);
  context.stroke();
  drawSigns(surface, bar, { left, right, used, y, height });
}

interface Box {
  left: number;
  right: number;
  used: number;
  y: number;
  height: number;
}

/** The tick of the last use, the sign of the end, the type where there is room. */
function drawSigns({ context, colour }: Surface, bar: Bar, box: Box): void {
  const { left, right, used, y, height } = box;
  context.fillStyle = colour('text');
  if (bar.uses > 0 && right - left > 8) context.fillRect(used - 1, y - 2, 2, height + 4);
  context.font = '11px sans-serif';
  context.textBaseline = 'middle';
  // Killed before the frame ended, and there is room to say so.
  if (bar.end !== 'held' && right - used > 9) context.fillText('†', right - 8, y + height / 2);
  const room = used - left - 8;
  if (room < 40 || height < 12) return;
  const text = bar.type;
  // A type that is cut off would be another type.
  if (context.measureText(text).width > room) return;
  context.fillStyle = colour('surface');
  context.fillText(text, left + 5, y + height / 2 + 0.5);
}

function drawCells(surface: Surface, { view }: Picture, rowOf: Map<number, number>,
  x: (step: number) => number, top: (row: number) => number): void {
  const { context, colour } = surface;
  // What is too short for bars, counted per register and column.
  const { cells, stepsPerColumn, enter } = view;
  const most = cells.count.reduce((a, b) => Math.max(a, b), 1);
  context.fillStyle = colour('accent');
  cells.register.forEach((register, i) => {
    const row = rowOf.get(register);
    if (row === undefined) return;
    const begin = enter + cells.column[i]! * stepsPerColumn;
    const left = x(begin);
    context.globalAlpha = 0.25 + (0.75 * cells.count[i]!) / most;
    context.fillRect(left, top(row) + 3, Math.max(x(begin + stepsPerColumn) - left, 1),
      kRowHeight - 6);
  });
  context.globalAlpha = 1;
}

function labelOf(register: number, name: string | undefined): string {
  const label = name ? `%${register} ${name}` : `%${register}`;
  return label.length > kLabelLetters ? `${label.slice(0, kLabelLetters - 1)}…` : label;
}

export function drawLifetimes(surface: Surface, picture: Picture): void {
  const { context, width, height, colour } = surface;
  const { view, bars, rows, names, scrollTop, scaled, picked } = picture;
  const x = xOf(view, width);
  const rowOf = new Map(rows.map((register, row) => [register, row]));
  const top = (row: number): number => row * kRowHeight - scrollTop;
  // Frames have up to thousands of registers; only those in sight are drawn.
  const isSeen = (row: number): boolean => top(row) > -kRowHeight && top(row) < height;
  context.font = '12px monospace';
  context.textBaseline = 'middle';
  rows.forEach((register, row) => {
    if (!isSeen(row)) return;
    if (register === picked) {
      context.fillStyle = colour('accent-soft');
      context.fillRect(0, top(row), width, kRowHeight);
    }
    context.fillStyle = colour('line');
    context.fillRect(0, top(row) + kRowHeight - 1, width, 1);
    context.fillStyle = colour('green');
    const name = names.get(register);
    context.fillText(labelOf(register, name), 4, top(row) + kRowHeight / 2);
  });
  for (const bar of bars) {
    const row = rowOf.get(bar.register);
    if (row !== undefined && isSeen(row)) drawBar(surface, bar, top(row), x, scaled);
  }
  drawCells(surface, picture, rowOf, x, top);
}
