// SPDX-License-Identifier: Apache-2.0
// The panes of a recorded run, which come in one file: a page is slow by many.
export { BreakpointsPane } from './breakpoints/breakpoints-pane.js';
export { ExplainPane } from './explain/explain-pane.js';
export { FramesPane } from './frames/frames-pane.js';
export { HeapPane } from './heap/heap-pane.js';
export { LifetimesPane } from './lifetimes/lifetimes-pane.js';
export { ShapesPane } from './shapes/shapes-pane.js';
export { TimelinePane } from './timeline/timeline-pane.js';
