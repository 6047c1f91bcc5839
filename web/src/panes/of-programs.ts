// SPDX-License-Identifier: Apache-2.0
// The panes that stand beside the bytecode from the start, which come in one file.
export { DrawPane } from './draw/draw-pane.js';
export { OutputPane } from './output/output-pane.js';
export { ProgramPane } from './program/program-pane.js';
export { RegistersPane } from './registers/registers-pane.js';
export { LastStepLine } from './run/last-step-line.js';
export { Timeline } from './run/timeline.js';
