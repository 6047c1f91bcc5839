// SPDX-License-Identifier: Apache-2.0
// Ten drawn digits for those who would rather not draw: lines and arcs on the square of 280.
import type { Point, Stroke } from './strokes.js';

const at = (x: number, y: number): Point => ({ x, y });

/** Part of an ellipse; angles in degrees, 0 to the right, growing clockwise. */
function arc(centre: Point, rx: number, ry: number, from: number, to: number): Point[] {
  const steps = Math.max(2, Math.ceil(Math.abs(to - from) / 12));
  return Array.from({ length: steps + 1 }, (_, i) => {
    const angle = ((from + ((to - from) * i) / steps) * Math.PI) / 180;
    return at(centre.x + rx * Math.cos(angle), centre.y + ry * Math.sin(angle));
  });
}

export const kSampleDigits: readonly (readonly Stroke[])[] = [
  [arc(at(140, 140), 58, 82, -90, 270)],
  [[at(112, 88), at(146, 58), at(142, 224)]],
  [[...arc(at(138, 100), 52, 42, 190, 380), at(88, 218), at(200, 216)]],
  [[...arc(at(134, 98), 50, 38, 200, 450), ...arc(at(134, 178), 58, 44, -90, 150)]],
  [[at(160, 58), at(82, 168), at(206, 166)], [at(168, 110), at(164, 226)]],
  [[at(192, 62), at(104, 64), at(98, 128), ...arc(at(136, 172), 58, 50, -125, 140)]],
  [[at(170, 58), ...arc(at(138, 172), 54, 50, 205, -155)]],
  [[at(82, 66), at(200, 64), at(130, 222)]],
  [[...arc(at(140, 98), 44, 40, 90, -270), ...arc(at(140, 182), 54, 44, -90, 270)]],
  [[...arc(at(136, 104), 50, 46, 0, -360), at(184, 120), at(168, 224)]],
];
