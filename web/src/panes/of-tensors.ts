// SPDX-License-Identifier: Apache-2.0
// The panes of tensors and of where time and memory go, which come in one file.
export { InspectorPane } from './inspector/inspector-pane.js';
export { PlanPane } from './plan/plan-pane.js';
export { OpsPane } from './profile/ops-pane.js';
export { ProfilePane } from './profile/profile-pane.js';
