// SPDX-License-Identifier: Apache-2.0
// The square that is drawn on. Keyboard: arrows move the pen (Shift: finely), Space puts it down or
// lifts it, Backspace takes back a stroke, Delete clears.
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { kCanvasSide, kPenWidth, type Point, type Stroke } from '../../model/strokes.js';
import { beginStroke, clearDrawing, extendStroke, undoStroke } from '../../state/drawings.js';
import { now } from '../../state/store.js';

const kKeyStep = 10;
const kFineStep = 2;
// Where most digits begin.
const kCentre: Point = { x: kCanvasSide / 2, y: kCanvasSide / 4 };
const kArrows: Record<string, [dx: number, dy: number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

interface Pen {
  at: Point;
  down: boolean;
}

function paintStroke(context: CanvasRenderingContext2D, stroke: Stroke): void {
  context.beginPath();
  stroke.forEach(({ x, y }, i) => (i === 0 ? context.moveTo(x, y) : context.lineTo(x, y)));
  const [first] = stroke;
  // A point alone: a line of no length is not drawn.
  if (stroke.length === 1 && first) context.lineTo(first.x + 0.01, first.y);
  context.stroke();
}

function paintPen(context: CanvasRenderingContext2D, { at, down }: Pen): void {
  context.save();
  context.strokeStyle = '#4dd0e1';
  context.lineWidth = 2;
  context.setLineDash(down ? [] : [4, 4]);
  context.beginPath();
  context.arc(at.x, at.y, kPenWidth / 2, 0, 2 * Math.PI);
  context.stroke();
  context.restore();
}

function paint(canvas: HTMLCanvasElement, strokes: readonly Stroke[], pen: Pen | undefined): void {
  const context = canvas.getContext('2d');
  if (!context) return;
  // Not the page's colours: this is the image that the model sees, white ink on black.
  context.fillStyle = '#000';
  context.fillRect(0, 0, kCanvasSide, kCanvasSide);
  context.strokeStyle = '#fff';
  context.lineWidth = kPenWidth;
  context.lineCap = 'round';
  context.lineJoin = 'round';
  for (const stroke of strokes) paintStroke(context, stroke);
  if (pen) paintPen(context, pen);
}

function toPoint(canvas: HTMLCanvasElement, { clientX, clientY }: MouseEvent): Point {
  const box = canvas.getBoundingClientRect();
  return {
    x: ((clientX - box.left) * kCanvasSide) / box.width,
    y: ((clientY - box.top) * kCanvasSide) / box.height,
  };
}

function moved({ x, y }: Point, [dx, dy]: [number, number], by: number): Point {
  const clamp = (value: number): number => Math.min(Math.max(value, 0), kCanvasSide);
  return { x: clamp(x + dx * by), y: clamp(y + dy * by) };
}

/** The pen after a key, or nothing for a key that is not the pen's. */
function handleKey(event: KeyboardEvent, pen: Pen): Pen | undefined {
  const arrow = kArrows[event.key];
  if (arrow) {
    const at = moved(pen.at, arrow, event.shiftKey ? kFineStep : kKeyStep);
    if (pen.down) extendStroke(at);
    return { ...pen, at };
  }
  if (event.key === ' ') {
    if (!pen.down) beginStroke(pen.at);
    return { ...pen, down: !pen.down };
  }
  if (event.key === 'Backspace') undoStroke();
  else if (event.key === 'Delete') clearDrawing();
  else return undefined;
  return { ...pen, down: false };
}

function usePointer() {
  const drawing = useRef(false);
  return {
    onPointerDown: (event: PointerEvent): void => {
      // Of a mouse the main button; touches and pens have 0.
      if (event.button !== 0) return;
      const canvas = event.currentTarget as HTMLCanvasElement;
      // Moves outside of the square still belong to the stroke.
      canvas.setPointerCapture(event.pointerId);
      drawing.current = true;
      beginStroke(toPoint(canvas, event));
    },
    onPointerMove: (event: PointerEvent): void => {
      if (!drawing.current) return;
      const canvas = event.currentTarget as HTMLCanvasElement;
      // Browsers put moves together between two frames; the points in between make the line round.
      const events = event.getCoalescedEvents?.() ?? [];
      extendStroke(...(events.length > 0 ? events : [event]).map((e) => toPoint(canvas, e)));
    },
    onPointerUp: (): void => {
      drawing.current = false;
    },
    onPointerCancel: (): void => {
      drawing.current = false;
    },
  };
}

export function DrawingArea() {
  const { strokes } = now;
  const canvas = useRef<HTMLCanvasElement>(null);
  const [pen, setPen] = useState<Pen>({ at: kCentre, down: false });
  const [keyed, setKeyed] = useState(false);
  const pointer = usePointer();
  useLayoutEffect(() => {
    if (canvas.current) paint(canvas.current, strokes, keyed ? pen : undefined);
  }, [strokes, pen, keyed]);

  const onKeyDown = (event: KeyboardEvent): void => {
    // Those are the browser's.
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const next = handleKey(event, pen);
    if (!next) return;
    event.preventDefault();
    // The pen is shown to who uses keys only.
    setKeyed(true);
    setPen(next);
  };
  const count = strokes.length === 1 ? '1 stroke' : `${strokes.length} strokes`;
  return (
    <div
      class="area"
      role="application"
      tabIndex={0}
      aria-label="Drawing area"
      aria-describedby="draw-keys"
      data-testid="draw-area"
      onKeyDown={onKeyDown}
      onBlur={() => {
        setKeyed(false);
        setPen({ ...pen, down: false });
      }}
    >
      <canvas
        ref={canvas}
        width={kCanvasSide}
        height={kCanvasSide}
        role="img"
        class="ink"
        aria-label={`Your drawing: ${count}`}
        data-testid="draw-canvas"
        {...pointer}
      />
      {strokes.length === 0 ? (
        <span class="invitation" aria-hidden="true">
          draw a digit here
        </span>
      ) : null}
      <span id="draw-keys" class="visually-hidden">
        Arrow keys move the pen, with Shift finely. Space puts the pen down or lifts it. Backspace
        takes back a stroke, Delete clears.
      </span>
    </div>
  );
}
