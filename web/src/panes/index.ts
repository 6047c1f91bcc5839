// SPDX-License-Identifier: Apache-2.0
// The panes, in reading order; adding one is adding a line.
import type { FunctionComponent } from 'preact';
import { BytecodePane } from './bytecode/bytecode-pane.js';
import { DrawPane } from './draw/draw-pane.js';
import { OutputPane } from './output/output-pane.js';
import { ProblemsPane } from './problems/problems-pane.js';
import { ProgramPane } from './program/program-pane.js';
import { RegistersPane } from './registers/registers-pane.js';
import { RunPane } from './run/run-pane.js';

export type Column = 'left' | 'centre' | 'right';

/** column: where the pane lies on a wide screen; one below the other on a narrow one. */
export const kPanes: readonly { column: Column; pane: FunctionComponent }[] = [
  { column: 'left', pane: DrawPane },
  { column: 'left', pane: ProgramPane },
  { column: 'centre', pane: RunPane },
  { column: 'centre', pane: ProblemsPane },
  { column: 'centre', pane: BytecodePane },
  { column: 'right', pane: RegistersPane },
  { column: 'right', pane: OutputPane },
];
