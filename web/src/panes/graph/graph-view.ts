// SPDX-License-Identifier: Apache-2.0
// The picture of a graph as an object of its own: it is dragged and zoomed without the page being
// drawn anew. The component around it (graph-canvas.tsx) gives it what it shows.
import type { DrawnGraph } from '../../model/model-graph.js';
import type { Places } from '../../state/graph.js';
import { boxAt, drawGraph, wholeSight } from './draw-graph.js';
import { Hands, type Point, type Sight, zoomed } from './hands.js';

const kReadable = 0.65;
/** The part of the picture around its middle that needs no move to be seen well. */
const kNear = 0.4;

export interface Shown {
  readonly graph: DrawnGraph;
  readonly places: Places;
  readonly picked: number | undefined;
  readonly cursor: number | undefined;
  readonly found: ReadonlySet<number>;
}

export class GraphView {
  readonly hands = new Hands();
  private sight: Sight | undefined;
  private frame = 0;
  private width = 0;
  private height = 0;
  private graph: DrawnGraph | undefined;

  constructor(private readonly canvas: HTMLCanvasElement, private shown: Shown) {}

  dispose(): void {
    cancelAnimationFrame(this.frame);
  }

  /** What is to be seen from now on, and where the canvas has its size from. */
  show(shown: Shown, width: number, height: number): void {
    this.shown = shown;
    if (this.width !== width || this.height !== height) {
      [this.width, this.height] = [width, height];
      const ratio = devicePixelRatio || 1;
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
    }
    // Another graph is looked at anew; the same one stays where it was dragged to.
    if (this.graph !== shown.graph) this.sight = undefined;
    this.graph = shown.graph;
    this.sight ??= wholeSight(shown.places, width, height, kReadable);
    this.draw();
  }

  zoom(by: number): void {
    if (this.sight) this.look(zoomed(this.sight, by, { x: 0, y: 0 }));
  }

  whole(): void {
    const all = wholeSight(this.shown.places, this.width, this.height);
    if (all) this.look(all);
  }

  /** Brings a box into sight, large enough to be read. */
  goTo(box: number): void {
    const { x, y } = this.shown.places;
    const now = this.sight;
    if (!now || x[box] === undefined || Number.isNaN(x[box])) return;
    // Never further away than the words can be read, and not closer than it was.
    const scale = Math.max(now.scale, kReadable);
    const isFar = scale !== now.scale ||
      Math.abs(x[box] - now.x) > kNear * this.width / scale ||
      Math.abs(y[box]! - now.y) > kNear * this.height / scale;
    if (isFar) this.look({ x: x[box], y: y[box]!, scale });
  }

  drag(event: PointerEvent): void {
    if (this.sight) this.look(this.hands.move(event, this.sight, this.middle()));
  }

  wheel(event: WheelEvent): void {
    event.preventDefault();
    const middle = this.middle();
    // Wheels give lines (1), touchpads pixels; the factors make a notch of either about as far.
    const by = Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.0016));
    if (!this.sight) return;
    this.look(zoomed(this.sight, by,
      { x: event.clientX - middle.x, y: event.clientY - middle.y }));
  }

  /** The box under a click; none where it was a drag. */
  clicked(event: MouseEvent): number | undefined {
    if (this.hands.moved || !this.sight) return undefined;
    const { x, y, scale } = this.sight;
    const middle = this.middle();
    const { graph, places } = this.shown;
    return boxAt(graph, places, x + (event.clientX - middle.x) / scale,
      y + (event.clientY - middle.y) / scale);
  }

  draw(): void {
    this.frame = 0;
    const context = this.canvas.getContext('2d');
    if (!context || !this.sight || this.width === 0) return;
    const ratio = devicePixelRatio || 1;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const style = getComputedStyle(this.canvas);
    const colour = (token: string): string => style.getPropertyValue(`--${token}`);
    const { width, height, sight, shown } = this;
    drawGraph({ context, width, height, colour }, { ...shown, sight });
  }

  /** Moves are drawn once a frame, however many there are. */
  private look(sight: Sight): void {
    this.sight = sight;
    this.frame ||= requestAnimationFrame(() => this.draw());
  }

  private middle(): Point {
    const { left, top } = this.canvas.getBoundingClientRect();
    return { x: left + this.width / 2, y: top + this.height / 2 };
  }
}
