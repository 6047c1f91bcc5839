// SPDX-License-Identifier: Apache-2.0
// What tests and scripts drive the page by (docs/playground.md): window.ternPlayground, and the
// session's state as attributes of <body>.
import { effect } from '@preact/signals';
import { load, loadDigits } from '../state/programs.js';
import { sessionReport } from '../state/report.js';
import { reset, run, step } from '../state/runs.js';
import { currentPc, visibleState } from '../state/session.js';
import { idle, session } from '../state/store.js';

export interface TernPlayground {
  /** Of this surface. */
  version: 1;
  /** Resolves once the engine runs and the first program is loaded (or has failed to be). */
  ready: Promise<void>;
  /** A program by its bytes; without any, the digit classifier. */
  load(bytes?: Uint8Array | ArrayBuffer, name?: string): Promise<void>;
  run(): Promise<void>;
  step(count?: number): Promise<void>;
  reset(): Promise<void>;
  state(): Record<string, unknown>;
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

export function exposeAutomation(ready: Promise<void>): void {
  window.ternPlayground = {
    version: 1, ready, run, step, reset,
    load: (bytes, name = 'program') =>
      (bytes ? load(name, new Uint8Array(bytes)) : loadDigits()),
    state: () => sessionReport(session.value),
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
