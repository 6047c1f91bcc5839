// SPDX-License-Identifier: Apache-2.0
// A canvas that is drawn again when its size, its data or the colours of the page change. It is a
// picture with a name; its table twin stands beside it.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Colours of the page by the names of tokens.css. */
export type Palette = (token: string) => string;

export interface Surface {
  context: CanvasRenderingContext2D;
  /** In CSS pixels. */
  width: number;
  height: number;
  colour: Palette;
}

export interface CanvasPictureProps {
  name: string;
  height: number;
  draw: (surface: Surface) => void;
  /** What the picture is of: it is drawn again when one of them changes. */
  of: readonly unknown[];
  onPoint?: (x: number, y: number) => void;
  testid?: string;
}

/** Counts changes of the colours: theme and forced colours. */
export function useTheme(): number {
  const [theme, setTheme] = useState(0);
  useEffect(() => {
    const queries = ['(prefers-color-scheme: dark)', '(forced-colors: active)'].map((query) =>
      matchMedia(query));
    const change = (): void => setTheme((count) => count + 1);
    for (const query of queries) query.addEventListener('change', change);
    return () => {
      for (const query of queries) query.removeEventListener('change', change);
    };
  }, []);
  return theme;
}

export function CanvasPicture(props: CanvasPictureProps) {
  const { name, height, draw, of, onPoint, testid } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(0);
  const theme = useTheme();
  useLayoutEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const measure = (): void => setWidth(element.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    const element = canvas.current;
    const context = element?.getContext('2d');
    if (!element || !context || width === 0) return;
    const scale = devicePixelRatio || 1;
    element.width = Math.round(width * scale);
    element.height = Math.round(height * scale);
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, height);
    const style = getComputedStyle(element);
    draw({ context, width, height, colour: (token) => style.getPropertyValue(`--${token}`) });
  }, [width, height, theme, ...of]);
  return (
    <canvas
      ref={canvas} role="img" aria-label={name} class="picture"
      style={{ height: `${height}px` }} data-testid={testid}
      onClick={(event) => onPoint?.(event.offsetX, event.offsetY)}
    />
  );
}

/** A tile of slanted lines, for areas that must differ without colour. */
export function hatch(
  { context }: Surface, colour: string, kind: 'slash' | 'back' | 'dots' | 'cross',
): CanvasPattern | string {
  const tile = document.createElement('canvas');
  tile.width = tile.height = 6;
  const pen = tile.getContext('2d');
  if (!pen) return colour;
  pen.strokeStyle = pen.fillStyle = colour;
  const line = (x0: number, y0: number, x1: number, y1: number): void => {
    pen.beginPath();
    pen.moveTo(x0, y0);
    pen.lineTo(x1, y1);
    pen.stroke();
  };
  if (kind === 'dots') pen.fillRect(2, 2, 2, 2);
  if (kind === 'slash' || kind === 'cross') line(0, 6, 6, 0);
  if (kind === 'back' || kind === 'cross') line(0, 0, 6, 6);
  return context.createPattern(tile, 'repeat') ?? colour;
}
