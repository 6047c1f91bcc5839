// SPDX-License-Identifier: Apache-2.0
// Draws the part of a graph that is in sight. Far away, boxes have no words; lines are one path.
import type { Palette } from '../../widgets/canvas-picture.js';
import { type DrawnGraph, kBoxHeight } from '../../model/model-graph.js';
import type { Places } from '../../state/graph.js';
import type { Sight } from './hands.js';

export interface GraphPicture {
  readonly graph: DrawnGraph;
  readonly places: Places;
  readonly sight: Sight;
  readonly picked: number | undefined;
  readonly cursor: number | undefined;
  readonly found: ReadonlySet<number>;
}

interface Frame {
  context: CanvasRenderingContext2D;
  width: number;
  height: number;
  colour: Palette;
}

// Scales from which titles, then names, are legible; words are the dearest part of the drawing.
const kWordsFrom = 0.42;
const kNamesFrom = 0.62;

interface Window { left: number; right: number; top: number; bottom: number }

function windowOf({ width, height }: Frame, { x, y, scale }: Sight): Window {
  const [w, h] = [width / scale / 2, height / scale / 2];
  return { left: x - w, right: x + w, top: y - h, bottom: y + h };
}

function drawLines({ context, colour }: Frame, picture: GraphPicture, seen: Window): void {
  const { graph: { lines }, places: { x, y, paths }, sight, picked } = picture;
  context.lineWidth = 1 / sight.scale;
  const trace = (line: number): void => {
    const { from, to } = lines[line]!;
    const [x0, y0, x1, y1] = [x[from]!, y[from]!, x[to]!, y[to]!];
    // Boxes that have no place yet.
    if (Number.isNaN(x0) || Number.isNaN(x1)) return;
    // By height alone: graphs are long and narrow, and this is cheap.
    if (Math.max(y0, y1) < seen.top || Math.min(y0, y1) > seen.bottom) return;
    // Lines over several ranks go around the boxes between.
    const points = paths.get(line);
    if (points) {
      context.moveTo(points[0]!, points[1]!);
      for (let i = 2; i < points.length; i += 2) context.lineTo(points[i]!, points[i + 1]!);
      return;
    }
    const [begin, end] = [y0 + kBoxHeight / 2, y1 - kBoxHeight / 2];
    const bend = (end - begin) / 2;
    context.moveTo(x0, begin);
    context.bezierCurveTo(x0, begin + bend, x1, end - bend, x1, end);
  };
  context.strokeStyle = colour('line-strong');
  context.beginPath();
  // All in one path: strokes cost more than lines.
  for (let i = 0; i < lines.length; i++) trace(i);
  context.stroke();
  if (picked === undefined) return;
  context.strokeStyle = colour('accent');
  context.lineWidth = 2.5 / sight.scale;
  context.beginPath();
  for (const line of [...picture.graph.into[picked]!, ...picture.graph.outOf[picked]!]) trace(line);
  context.stroke();
}

function cut(context: CanvasRenderingContext2D, text: string, width: number): string {
  if (context.measureText(text).width <= width) return text;
  let length = text.length;
  // Some letters at a time: measuring is slow.
  while (length > 1 && context.measureText(`${text.slice(0, length)}…`).width > width)
    length = Math.floor(length * 0.85);
  return `${text.slice(0, length)}…`;
}

function drawBox(frame: Frame, picture: GraphPicture, index: number): void {
  const { context, colour } = frame;
  const { graph: { boxes }, places, sight: { scale }, picked, cursor, found } = picture;
  const { kind, title, detail, width } = boxes[index]!;
  const [left, top] = [places.x[index]! - width / 2, places.y[index]! - kBoxHeight / 2];
  context.beginPath();
  // Values have round ends, so that they differ from nodes without colour.
  context.roundRect(left, top, width, kBoxHeight, kind === 'node' ? 5 : kBoxHeight / 2);
  const isPicked = index === picked;
  context.fillStyle = colour(isPicked ? 'accent-soft' : found.has(index) ? 'warm-soft'
    : kind === 'node' ? 'surface' : 'raised');
  context.fill();
  context.strokeStyle = colour(isPicked ? 'accent' : found.has(index) ? 'warm' : 'line-strong');
  context.lineWidth = (isPicked || found.has(index) ? 2.5 : 1) / Math.min(scale, 1);
  context.stroke();
  if (index === cursor) {
    context.setLineDash([4, 3]);
    context.strokeStyle = colour('text');
    context.strokeRect(left - 4, top - 4, width + 8, kBoxHeight + 8);
    context.setLineDash([]);
  }
  if (scale < kWordsFrom) return;
  const hasNames = scale >= kNamesFrom && detail !== '';
  context.fillStyle = colour('text');
  context.font = '600 13px system-ui, sans-serif';
  const middle = left + width / 2;
  context.fillText(cut(context, title, width - 16), middle, top + (hasNames ? 15 : 20));
  if (!hasNames) return;
  context.fillStyle = colour('muted');
  context.font = '11px system-ui, sans-serif';
  context.fillText(cut(context, detail, width - 16), middle, top + 29);
}

export function drawGraph(frame: Frame, picture: GraphPicture): void {
  const { context, width, height } = frame;
  const { graph: { boxes }, places: { x, y }, sight } = picture;
  const seen = windowOf(frame, sight);
  context.save();
  context.clearRect(0, 0, width, height);
  context.translate(width / 2, height / 2);
  context.scale(sight.scale, sight.scale);
  context.translate(-sight.x, -sight.y);
  drawLines(frame, picture, seen);
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  for (let i = 0; i < boxes.length; i++) {
    const half = boxes[i]!.width / 2;
    const isSeen = x[i]! + half > seen.left && x[i]! - half < seen.right &&
      y[i]! + kBoxHeight > seen.top && y[i]! - kBoxHeight < seen.bottom;
    if (isSeen) drawBox(frame, picture, i);
  }
  context.restore();
}

/** All of it, but no smaller than words can be read where it is long. */
export function wholeSight(
  { x, y }: Places, width: number, height: number, least = 0.05,
): Sight | undefined {
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let i = 0; i < x.length; i++) {
    if (Number.isNaN(x[i])) continue;
    left = Math.min(left, x[i]! - 110);
    right = Math.max(right, x[i]! + 110);
    top = Math.min(top, y[i]! - kBoxHeight);
    bottom = Math.max(bottom, y[i]! + kBoxHeight);
  }
  if (left > right || width === 0 || height === 0) return undefined;
  const scale = Math.min(Math.max(Math.min(width / (right - left), height / (bottom - top)), least),
    1);
  // A long graph is shown from its inputs on, at a size at which it can be read.
  const isLong = (bottom - top) * scale > height;
  return {
    x: (left + right) / 2, y: isLong ? top + height / scale / 2 : (top + bottom) / 2, scale,
  };
}

/** The box at a point of the picture. */
export function boxAt(
  { boxes }: DrawnGraph, { x, y }: Places, atX: number, atY: number,
): number | undefined {
  for (let i = 0; i < boxes.length; i++) {
    const inside = Math.abs(x[i]! - atX) <= boxes[i]!.width / 2 &&
      Math.abs(y[i]! - atY) <= kBoxHeight / 2;
    if (inside) return i;
  }
  return undefined;
}
