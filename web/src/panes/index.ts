// SPDX-License-Identifier: Apache-2.0
// The panes, in reading order; adding one is adding a line. A pane that is not part of the first
// paint is given as a function that fetches it. model/presets.ts says which of them a preset shows.
import type { FunctionComponent } from 'preact';
import type { Placed, Region } from '../model/presets.js';
import { problemCount } from '../state/findings.js';
import { RunPane } from './run/run-pane.js';

export type { Region };

export interface PaneEntry extends Placed {
  /** As in `?panes=`, `data-pane` and test ids. */
  readonly id: string;
  readonly title: string;
  /** Where it lies in presets that do not name it. */
  readonly region: Region;
  readonly pane?: FunctionComponent;
  readonly fetch?: () => Promise<FunctionComponent>;
  /** Whether it is there now, read while the page is drawn; without this it always is. */
  readonly isThere?: () => boolean;
  /** Said behind the title in its tab, such as how many there are. */
  readonly badge?: () => string | undefined;
}

export const kPanes: readonly PaneEntry[] = [
  {
    id: 'draw', title: 'Draw', region: 'left',
    fetch: async () => (await import('./of-programs.js')).DrawPane,
  },
  {
    id: 'lesson', title: 'Lesson', region: 'left',
    fetch: async () => (await import('./lesson/lesson-pane.js')).LessonPane,
  },
  {
    id: 'source', title: 'Source', region: 'left',
    fetch: async () => (await import('./source/source-pane.js')).SourcePane,
  },
  {
    id: 'stages', title: 'Stages', region: 'left',
    fetch: async () => (await import('./stages/stages-pane.js')).StagesPane,
  },
  {
    id: 'program', title: 'Program', region: 'left',
    fetch: async () => (await import('./of-programs.js')).ProgramPane,
  },
  { id: 'loop', title: 'Loop', region: 'left', fetch: async () => (await lanes()).LoopPane },
  {
    id: 'loop-stages', title: 'Stages', region: 'left',
    fetch: async () => (await lanes()).StagesPane,
  },
  { id: 'run', title: 'Run', region: 'centre', pane: RunPane },
  {
    id: 'bytecode', title: 'Bytecode', region: 'centre',
    fetch: async () => (await import('./bytecode/bytecode-pane.js')).BytecodePane,
  },
  {
    id: 'graph', title: 'Graph', region: 'centre',
    fetch: async () => (await import('./of-graphs.js')).GraphPane,
  },
  {
    id: 'compare-a', title: 'Run A', region: 'left',
    fetch: async () => (await import('./of-graphs.js')).RunAPane,
  },
  {
    id: 'compare', title: 'Compare', region: 'centre',
    fetch: async () => (await import('./of-graphs.js')).ComparePane,
  },
  {
    id: 'compare-b', title: 'Run B', region: 'right',
    fetch: async () => (await import('./of-graphs.js')).RunBPane,
  },
  {
    id: 'divergences', title: 'Differences', region: 'bottom',
    fetch: async () => (await import('./of-graphs.js')).DivergencesPane,
  },
  { id: 'lanes', title: 'Lanes', region: 'centre', fetch: async () => (await lanes()).LanesPane },
  {
    id: 'registers', title: 'Registers', region: 'right',
    fetch: async () => (await import('./of-programs.js')).RegistersPane,
  },
  {
    id: 'output', title: 'Output', region: 'right',
    fetch: async () => (await import('./of-programs.js')).OutputPane,
  },
  {
    id: 'inspector', title: 'Tensor', region: 'right',
    fetch: async () => (await import('./of-tensors.js')).InspectorPane,
  },
  {
    id: 'profile', title: 'Profile', region: 'centre',
    fetch: async () => (await import('./of-tensors.js')).ProfilePane,
  },
  {
    id: 'ops', title: 'Operators', region: 'left',
    fetch: async () => (await import('./of-tensors.js')).OpsPane,
  },
  {
    id: 'plan', title: 'Memory plan', region: 'bottom',
    fetch: async () => (await import('./of-tensors.js')).PlanPane,
  },
  {
    id: 'problems', title: 'Problems', region: 'bottom',
    fetch: async () => (await import('./problems/problems-pane.js')).ProblemsPane,
    isThere: () => problemCount.value > 0, badge: () => String(problemCount.value),
  },
  {
    id: 'counters', title: 'Counters', region: 'bottom',
    fetch: async () => (await lanes()).CountersPane,
  },
  { id: 'sweep', title: 'Sweep', region: 'bottom', fetch: async () => (await lanes()).SweepPane },
  {
    id: 'footprint', title: 'Cache lines', region: 'bottom',
    fetch: async () => (await lanes()).FootprintPane,
  },
  {
    id: 'breakpoints', title: 'Breakpoints', region: 'left',
    fetch: async () => (await import('./of-runs.js')).BreakpointsPane,
  },
  {
    id: 'frames', title: 'Frames', region: 'right',
    fetch: async () => (await import('./of-runs.js')).FramesPane,
  },
  {
    id: 'heap', title: 'Heap', region: 'right',
    fetch: async () => (await import('./of-runs.js')).HeapPane,
  },
  {
    id: 'shapes', title: 'Shape heap', region: 'right',
    fetch: async () => (await import('./of-runs.js')).ShapesPane,
  },
  {
    id: 'explain', title: 'Explain', region: 'right',
    fetch: async () => (await import('./of-runs.js')).ExplainPane,
  },
  {
    id: 'timeline', title: 'Time line', region: 'bottom',
    fetch: async () => (await import('./of-runs.js')).TimelinePane,
  },
  {
    id: 'lifetimes', title: 'Registers over time', region: 'bottom',
    fetch: async () => (await import('./of-runs.js')).LifetimesPane,
  },
];

/** The panes of the Vector preset are one chunk. */
function lanes() {
  return import('./lanes/index.js');
}
