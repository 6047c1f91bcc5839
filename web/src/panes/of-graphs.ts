// SPDX-License-Identifier: Apache-2.0
// The pane of models' graphs, which comes when it is first looked at.
export { GraphPane } from './graph/graph-pane.js';
