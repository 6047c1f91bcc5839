// SPDX-License-Identifier: Apache-2.0
// The panes of models' graphs and of two runs side by side, which come in one file.
export { ComparePane } from './compare/compare-pane.js';
export { DivergencesPane } from './compare/divergences-pane.js';
export { RunAPane, RunBPane } from './compare/run-panes.js';
export { GraphPane } from './graph/graph-pane.js';
