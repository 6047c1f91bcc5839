// SPDX-License-Identifier: Apache-2.0
// The picture of a graph: dragged, pinched and zoomed (graph-view.ts), walked by keys.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type Direction, neighbour } from '../../model/model-graph.js';
import { hoverBox, pinBox } from '../../state/graph.js';
import { useTheme } from '../../widgets/canvas-picture.js';
import { GraphView, type Shown } from './graph-view.js';

const kDirections: Readonly<Record<string, Direction>> = {
  ArrowUp: 'up', ArrowDown: 'down', ArrowLeft: 'left', ArrowRight: 'right',
};

export interface GraphCanvasProps extends Shown {
  onCursor: (box: number) => void;
  /** Given to the tools of the pane. */
  view: { current: GraphView | undefined };
}

/** The size of an element, in CSS pixels. */
function useSize(element: { current: HTMLElement | null }): readonly [number, number] {
  const [size, setSize] = useState<readonly [number, number]>([0, 0]);
  useLayoutEffect(() => {
    const it = element.current!;
    const measure = (): void => setSize([it.clientWidth, it.clientHeight]);
    measure();
    // Splitters and tabs change the size without drawing the page.
    const observer = new ResizeObserver(measure);
    observer.observe(it);
    return () => observer.disconnect();
  }, []);
  return size;
}

/** The box that a key leads to; nothing for other keys. */
function boxByKey({ graph, places, cursor, picked }: Shown, key: string): number | undefined {
  if (key === 'Home') return 0;
  if (key === 'End') return graph.boxes.length - 1;
  const direction = kDirections[key];
  const at = cursor ?? picked;
  // The first arrow goes to the first box, from where the others lead along lines.
  return direction && (at === undefined ? 0 : neighbour(graph, at, direction, places));
}

function onKey(event: KeyboardEvent, props: GraphCanvasProps): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const { key } = event;
  const { cursor, picked, view, onCursor } = props;
  const box = boxByKey(props, key);
  if (box !== undefined) onCursor(box);
  else if (key === 'Enter') pinBox(cursor ?? picked ?? 0);
  else if (key === '+' || key === '=') view.current?.zoom(1.25);
  else if (key === '-') view.current?.zoom(0.8);
  else if (key === '0') view.current?.whole();
  else return;
  event.preventDefault();
  // Arrows are also keys of the page: they step the run.
  event.stopPropagation();
}

/** Makes the view, and gives it what it shows at each drawing of the page. */
function useView(canvas: { current: HTMLCanvasElement | null }, props: GraphCanvasProps): void {
  const { graph, places, picked, cursor, view } = props;
  const size = useSize(canvas);
  const theme = useTheme();
  useLayoutEffect(() => {
    const made = new GraphView(canvas.current!, props);
    view.current = made;
    // Preact's listeners of wheels are passive: the page would scroll as well.
    const onWheel = (event: WheelEvent): void => made.wheel(event);
    canvas.current!.addEventListener('wheel', onWheel, { passive: false });
    return () => made.dispose();
  }, []);
  useLayoutEffect(() => view.current?.show(props, ...size));
  useEffect(() => view.current?.draw(), [theme]);
  // A box that was picked while the graph was laid out is gone to when it has its place.
  const isPlaced = places.placed === graph.boxes.length;
  useEffect(() => {
    if (picked !== undefined) view.current?.goTo(picked);
  }, [picked, isPlaced]);
  useEffect(() => {
    if (cursor !== undefined) view.current?.goTo(cursor);
  }, [cursor]);
}

export function GraphCanvas(props: GraphCanvasProps) {
  const { graph, view, onCursor } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  useView(canvas, props);
  const hands = () => view.current?.hands;
  const onClick = (event: MouseEvent): void => {
    const box = view.current?.clicked(event);
    // Beside all boxes, or the end of a drag.
    if (box === undefined) return;
    onCursor(box);
    pinBox(box);
  };
  return (
    <div
      class="graph-frame" tabIndex={0} role="group" data-testid="graph-frame"
      aria-label="Graph; arrows walk along its lines, Enter picks"
      onKeyDown={(event) => onKey(event, props)} onBlur={() => hoverBox(undefined)}
    >
      <canvas
        ref={canvas} role="img" class="graph-picture" data-testid="graph-picture"
        aria-label={`Graph of the model: ${graph.boxes.length} boxes, ${graph.lines.length} lines`}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          hands()?.down(event);
        }}
        onPointerMove={(event) => view.current?.drag(event)}
        onPointerUp={(event) => hands()?.up(event)}
        onPointerCancel={(event) => hands()?.up(event)}
        onClick={onClick}
      />
    </div>
  );
}
