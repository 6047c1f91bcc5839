// SPDX-License-Identifier: Apache-2.0
// The panes, in reading order; adding one is adding a line. A pane that is not part of the first
// paint is given as a function that fetches it.
import type { FunctionComponent } from 'preact';
import { BytecodePane } from './bytecode/bytecode-pane.js';
import { DrawPane } from './draw/draw-pane.js';
import { OutputPane } from './output/output-pane.js';
import { ProblemsPane } from './problems/problems-pane.js';
import { ProgramPane } from './program/program-pane.js';
import { RegistersPane } from './registers/registers-pane.js';
import { RunPane } from './run/run-pane.js';

export type Region = 'left' | 'centre' | 'right' | 'bottom';

export interface PaneEntry {
  /** As in `?panes=`, `data-pane` and test ids. */
  readonly id: string;
  readonly title: string;
  /** Where it lies on a wide screen. */
  readonly region: Region;
  readonly pane?: FunctionComponent;
  readonly fetch?: () => Promise<FunctionComponent>;
}

export const kPanes: readonly PaneEntry[] = [
  { id: 'draw', title: 'Draw', region: 'left', pane: DrawPane },
  { id: 'program', title: 'Program', region: 'left', pane: ProgramPane },
  { id: 'run', title: 'Run', region: 'centre', pane: RunPane },
  { id: 'problems', title: 'Problems', region: 'centre', pane: ProblemsPane },
  { id: 'bytecode', title: 'Bytecode', region: 'centre', pane: BytecodePane },
  { id: 'registers', title: 'Registers', region: 'right', pane: RegistersPane },
  { id: 'output', title: 'Output', region: 'right', pane: OutputPane },
];
