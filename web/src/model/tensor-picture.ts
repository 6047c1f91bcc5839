// SPDX-License-Identifier: Apache-2.0
// Pictures of tensors: which axes are shown, a colour for each cell, and a pattern for cells with
// NaN or infinity that no colour of the scale has.
import type { TensorPicture } from 'tern-runtime';
import { axesOf, rampColour } from './tensors.js';

/** What is shown of a tensor: two axes, -1 for none, and positions of the others. */
export interface TensorView {
  readonly rowAxis: number;
  readonly columnAxis: number;
  readonly index: readonly number[];
}

/** The likely axes of a shape, at the first position of the others. */
export function defaultView(shape: readonly number[]): TensorView {
  const tensor = { dtype: 'f32', shape: [...shape], data: new Float32Array() };
  const axes = axesOf(tensor)[0]!;
  const column = axes.column >= 0 ? axes.column : -1;
  return { rowAxis: axes.row >= 0 ? axes.row : -1, columnAxis: column, index: shape.map(() => 0) };
}

/** A view as far as another shape has it too. */
export function keepView(view: TensorView | undefined, shape: readonly number[]): TensorView {
  const fits = view && view.index.length === shape.length && view.rowAxis !== view.columnAxis;
  if (!fits) return defaultView(shape);
  const index = view.index.map((at, axis) => Math.max(Math.min(at, shape[axis]! - 1), 0));
  return { ...view, index };
}

export const extentOf = (shape: readonly number[], axis: number): number =>
  axis < 0 ? 1 : shape[axis]!;

/** "[0, 3, :, :]". */
export function viewName({ rowAxis, columnAxis, index }: TensorView): string {
  const parts = index.map((at, axis) => (axis === rowAxis || axis === columnAxis ? ':' : at));
  return `[${parts.join(', ')}]`;
}

export interface ColourRange {
  low: number;
  high: number;
  /** About zero: blue below, orange above. */
  diverging: boolean;
}

/** Over the finite elements of all cells. */
export function rangeOf({ low, high }: Pick<TensorPicture, 'low' | 'high'>): ColourRange {
  let least = Infinity;
  let most = -Infinity;
  for (let i = 0; i < low.length; i++) {
    if (low[i]! < least) least = low[i]!;
    if (high[i]! > most) most = high[i]!;
  }
  if (least > most) return { low: 0, high: 0, diverging: false };
  const diverging = least < 0 && most > 0;
  const reach = Math.max(-least, most);
  const [from, to] = diverging ? [-reach, reach] : [least, most];
  return { low: from, high: to, diverging };
}

const kBelow = [16, 78, 139] as const;
const kMiddle = [245, 245, 242] as const;
const kAbove = [166, 74, 0] as const;

function divergingColour(fraction: number): [number, number, number] {
  const end = fraction < 0.5 ? kBelow : kAbove;
  const share = Math.abs(fraction - 0.5) * 2;
  const mix = (i: 0 | 1 | 2): number => Math.round(kMiddle[i] + (end[i] - kMiddle[i]) * share);
  return [mix(0), mix(1), mix(2)];
}

export function colourAt(value: number, range: ColourRange): [number, number, number] {
  const span = range.high - range.low;
  const fraction = span > 0 ? (value - range.low) / span : 0.5;
  return range.diverging ? divergingColour(fraction) : rampColour(fraction);
}

/** Pixels of 256 equal steps of the range, so that a picture needs no sums per pixel. */
function paletteOf(range: ColourRange): Uint32Array {
  const colours = new Uint32Array(256);
  for (let i = 0; i < 256; i++) {
    const value = range.low + ((range.high - range.low) * i) / 255;
    const [red, green, blue] = colourAt(value, range);
    colours[i] = 0xff000000 | (blue << 16) | (green << 8) | red;
  }
  return colours;
}

/** A black cross on white, in a cell of `scale` pixels; single pixels alternate. */
export function crossPixel(x: number, y: number, scale: number, cell: number): 0 | 255 {
  if (scale < 3) return cell % 2 === 0 ? 0 : 255;
  const isCross = Math.abs(x - y) <= 0.5 || Math.abs(x + y - scale + 1) <= 0.5;
  return isCross ? 0 : 255;
}

/** So many pixels for a cell that patterns can be seen, as far as there is room. */
export const scaleOf = (rows: number, columns: number): number =>
  Math.max(1, Math.min(16, Math.floor(512 / Math.max(rows, columns))));

/** RGBA of cells of scale × scale pixels. */
export function picturePixels(
  picture: TensorPicture, range: ColourRange, scale: number,
): Uint8ClampedArray<ArrayBuffer> {
  const { rows, columns, mean, bad } = picture;
  const width = columns * scale;
  const pixels = new Uint8ClampedArray(width * rows * scale * 4);
  const words = new Uint32Array(pixels.buffer);
  const colours = paletteOf(range);
  const span = range.high - range.low;
  const { low } = range;
  const [steps, first] = span > 0 ? [255 / span, 0.5] : [0, 128];
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const i = row * columns + column;
      // Rounded; a cell that has no number is crossed below.
      const at = ((mean[i]! - low) * steps + first) | 0;
      const colour = colours[at < 0 ? 0 : at > 255 ? 255 : at]!;
      if (scale === 1 && bad[i] === 0) {
        words[i] = colour;
        continue;
      }
      for (let y = 0; y < scale; y++) {
        const line = (row * scale + y) * width + column * scale;
        for (let x = 0; x < scale; x++) {
          if (bad[i]! === 0) words[line + x] = colour;
          else words[line + x] = crossPixel(x, y, scale, row + column) ? 0xffffffff : 0xff000000;
        }
      }
    }
  }
  return pixels;
}
