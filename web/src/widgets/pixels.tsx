// SPDX-License-Identifier: Apache-2.0
// A canvas that shows RGBA pixels as they are, with the name that stands for it.
import { useLayoutEffect, useRef } from 'preact/hooks';

export interface PixelsProps {
  width: number;
  height: number;
  pixels: Uint8ClampedArray<ArrayBuffer>;
  /** Without one it is passed over: what stands beside it says the same. */
  label?: string;
  /** Of width to height, where the picture fills the room that there is. */
  ratio?: number;
  testid?: string;
}

const kTallest = 340;

const sizeOf = (ratio: number): { aspectRatio: string; width: string } =>
  ({ aspectRatio: String(ratio), width: `min(100%, ${Math.round(kTallest * ratio)}px)` });

export function Pixels({ width, height, pixels, label, ratio, testid }: PixelsProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useLayoutEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (context && width > 0 && height > 0) {
      context.putImageData(new ImageData(pixels, width, height), 0, 0);
    }
  }, [pixels, width, height]);
  return (
    <canvas
      ref={canvas} class="pixels" width={width} height={height}
      role={label === undefined ? undefined : 'img'} aria-label={label}
      aria-hidden={label === undefined ? true : undefined}
      data-testid={testid} style={ratio === undefined ? {} : sizeOf(ratio)}
    />
  );
}
