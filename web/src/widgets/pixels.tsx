// SPDX-License-Identifier: Apache-2.0
// A canvas that shows RGBA pixels as they are, with the name that stands for it.
import { useLayoutEffect, useRef } from 'preact/hooks';

export interface PixelsProps {
  width: number;
  height: number;
  pixels: Uint8ClampedArray<ArrayBuffer>;
  label: string;
  testid?: string;
}

export function Pixels({ width, height, pixels, label, testid }: PixelsProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useLayoutEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (context && width > 0 && height > 0) {
      context.putImageData(new ImageData(pixels, width, height), 0, 0);
    }
  }, [pixels, width, height]);
  return (
    <canvas
      ref={canvas} class="pixels" width={width} height={height} role="img" aria-label={label}
      data-testid={testid}
    />
  );
}
