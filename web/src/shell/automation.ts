// SPDX-License-Identifier: Apache-2.0
// What tests and scripts drive the page by (docs/playground.md): window.ternPlayground, and the
// session's state as attributes of <body>.
import { effect } from '@preact/signals';
import type { LaneRun } from '../engine/loops-protocol.js';
import type { TableData } from '../model/csv.js';
import { loadDigits } from '../state/programs.js';
import { sessionReport } from '../state/report.js';
import { reset, run, seek, step, stepBack } from '../state/runs.js';
import { currentPc, visibleState } from '../state/session.js';
import { idle, session } from '../state/store.js';
import { lanesReporter, showView, sourceReporter, view, type ViewName } from '../state/view.js';

export interface TernPlayground {
  /** Of this surface. */
  version: 1;
  /** Resolves once the engine runs and the first program is loaded (or has failed to be). */
  ready: Promise<void>;
  /** A program by its bytes; without any, the digit classifier. */
  load(bytes?: Uint8Array | ArrayBuffer, name?: string): Promise<void>;
  run(): Promise<void>;
  step(count?: number): Promise<void>;
  /** Back in the record of the run. */
  stepBack(count?: number): Promise<void>;
  /** To a step of the record. */
  seek(step: number): Promise<void>;
  reset(): Promise<void>;
  state(): Record<string, unknown>;
  /** Another view; resolves once it is there. */
  show(view: ViewName): Promise<void>;
  /** A loop program of the page by its name, or one's own by its text. */
  loadLoops(nameOrText: string): Promise<void>;
  /** The text in the editor, as if it had been typed. */
  editSource(text: string): Promise<void>;
  setVscale(vscale: number): Promise<void>;
  setSize(n: number): Promise<void>;
  /** The three strategies as the core tells them; null while there is no picture. */
  lanes(): Promise<Record<string, LaneRun> | null>;
  /** What the file of a table has, by the file's name; null where it is not on the page. */
  table(name: string): Promise<TableData | null>;
  /** Resolves when worker and page have nothing left to do. */
  idle(): Promise<void>;
}

declare global {
  interface Window {
    ternPlayground: TernPlayground;
  }
}

const painted = (): Promise<void> =>
  new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));

async function settled(): Promise<void> {
  await idle();
  await painted();
  await idle();
}

/** What is about lanes is fetched with the view. */
const lanesState = () => import('../state/lanes.js');

async function show(name: ViewName): Promise<void> {
  showView(name);
  await settled();
}

async function loadLoops(nameOrText: string): Promise<void> {
  const { openExample, openLoops } = await lanesState();
  const isName = /^\w+$/.test(nameOrText);
  await (isName ? openExample(nameOrText) : openLoops('program.tloop', nameOrText));
  await show('lanes');
}

export function exposeAutomation(ready: Promise<void>): void {
  window.ternPlayground = {
    version: 1, ready, run: () => run(), step, stepBack, seek, reset,
    load: async (bytes, name = 'program') => {
      if (!bytes) return loadDigits();
      await (await import('../state/files.js')).load(name, new Uint8Array(bytes));
    },
    state: () => ({
      ...sessionReport(session.value), view: view.value, lanes: lanesReporter.report?.() ?? null,
      source: sourceReporter.report?.() ?? null,
    }),
    show, loadLoops,
    editSource: async (text) => {
      const { editSource, source } = await import('../state/source.js');
      // Opens the text of the loaded program, where no pane has asked for it yet.
      await import('../state/editing.js');
      if (!source.value) await idle();
      return editSource(text);
    },
    setVscale: async (vscale) => (await lanesState()).setVscale(vscale),
    setSize: async (n) => (await lanesState()).setSize(n),
    lanes: async () => (await lanesState()).lanesReport(),
    table: async (name) => (await import('../widgets/save-csv.js')).tableOf(name),
    idle: settled,
  };
  effect(() => {
    const { dataset } = document.body;
    const pc = currentPc(session.value);
    dataset['state'] = visibleState(session.value);
    dataset['step'] = String(session.value.steps);
    dataset['pc'] = pc === undefined ? '' : String(pc);
    dataset['stopReason'] = session.value.stopReason;
  });
}
