// SPDX-License-Identifier: Apache-2.0
// The tracks of the time line: calls, where in the code it runs, allocations, marks.
import type { TimelineView } from 'tern-runtime';
import { hatch, type Surface } from '../../widgets/canvas-picture.js';

/** Tops and heights of the tracks. */
const kCalls = { top: 0, height: 34 };
const kCode = { top: 38, height: 28 };
const kMemory = { top: 70, height: 14 };
const kMarks = { top: 87, height: 10 };
export const kTracksHeight = 98;

/** Colours of calls, in turn; neighbours differ also in their hatch. */
const kCallColours = ['accent', 'violet', 'green', 'warm'];
const kHatches = [undefined, 'slash', 'back', 'dots'] as const;

/** Deeper calls than this share the lowest line. */
const kMostLevels = 8;

export interface Scale {
  (step: number): number;
}

function drawCalls(surface: Surface, view: TimelineView, x: Scale): void {
  const { context, colour } = surface;
  const { calls } = view;
  // Flat programs fill the track, deep ones share it.
  const deepest = Math.min(view.depth.reduce((a, b) => Math.max(a, b), 1), kMostLevels);
  const level = kCalls.height / deepest;
  // What is too short to be seen as a call.
  context.fillStyle = colour('line');
  view.depth.forEach((depth, i) => {
    const begin = view.first + i * view.stepsPerBucket;
    const left = x(begin);
    const width = Math.max(x(begin + view.stepsPerBucket) - left, 1);
    context.fillRect(left, kCalls.top, width, Math.min(depth, deepest) * level - 1);
  });
  for (let i = 0; i < calls.enter.length; i++) {
    const depth = Math.min(calls.depth[i]!, deepest - 1);
    const number = calls.function[i]!;
    const left = x(calls.enter[i]!);
    const box = [left, kCalls.top + depth * level, Math.max(x(calls.leave[i]!) - left - 0.5, 1),
      level - 1] as const;
    context.fillStyle = colour(kCallColours[number % kCallColours.length]!);
    context.fillRect(...box);
    // Sixteen functions look different, also without colours.
    const kind = kHatches[Math.floor(number / kCallColours.length) % kHatches.length];
    if (!kind) continue;
    context.fillStyle = hatch(surface, colour('surface'), kind);
    context.fillRect(...box);
  }
}

/** Steps by their place in the code: darker where more of them are. */
function drawCode({ context, colour }: Surface, view: TimelineView, x: Scale): void {
  const bands = view.bands[0]?.length ?? 1;
  const height = kCode.height / bands;
  context.fillStyle = colour('text');
  view.bands.forEach((counts, i) => {
    const begin = view.first + i * view.stepsPerBucket;
    const left = x(begin);
    const width = Math.max(x(begin + view.stepsPerBucket) - left, 1);
    counts.forEach((count, band) => {
      if (count === 0) return;
      // A single step is still to be seen.
      context.globalAlpha = 0.35 + 0.65 * (count / view.stepsPerBucket);
      context.fillRect(left, kCode.top + band * height, width, Math.max(height, 1.5));
    });
  });
  context.globalAlpha = 1;
}

function drawMemory({ context, colour }: Surface, view: TimelineView, x: Scale): void {
  const most = view.allocated.reduce((a, b) => Math.max(a, b), 0);
  if (most === 0) return;
  context.fillStyle = colour('warm');
  view.allocated.forEach((bytes, i) => {
    if (bytes === 0) return;
    // By its logarithm: a small one next to a large one is still to be seen.
    const height = Math.max(2, (kMemory.height * Math.log2(1 + bytes)) / Math.log2(1 + most));
    const left = x(view.first + i * view.stepsPerBucket);
    context.fillRect(left, kMemory.top + kMemory.height - height, 2, height);
  });
}

/** Breakpoints as discs, NaNs as crosses. */
function drawMarks({ context, colour }: Surface, view: TimelineView, x: Scale): void {
  const y = kMarks.top + kMarks.height / 2;
  context.fillStyle = colour('danger');
  view.breakpoints.forEach((count, i) => {
    if (count === 0) return;
    context.beginPath();
    context.arc(x(view.first + (i + 0.5) * view.stepsPerBucket), y, 3, 0, 2 * Math.PI);
    context.fill();
  });
  context.strokeStyle = colour('violet');
  context.lineWidth = 2;
  for (const step of view.notFinite) {
    // The step that made it is over where its value appears.
    const at = x(step + 1);
    context.beginPath();
    context.moveTo(at - 4, y - 4);
    context.lineTo(at + 4, y + 4);
    context.moveTo(at + 4, y - 4);
    context.lineTo(at - 4, y + 4);
    context.stroke();
  }
}

export function drawTimeline(surface: Surface, view: TimelineView): void {
  const length = Math.max(view.end - view.first, 1);
  const x: Scale = (step) => (surface.width * (step - view.first)) / length;
  drawCalls(surface, view, x);
  drawCode(surface, view, x);
  drawMemory(surface, view, x);
  drawMarks(surface, view, x);
}
