// SPDX-License-Identifier: Apache-2.0
// What is shown before the engine is there: the program that comes with the page and the last step
// of a run of it, recorded when the page was built (scripts/make-digits.mjs). It can be read, not
// run; what is pressed meanwhile is done once the program itself has arrived.
import type { ProgramInfo } from 'tern-runtime';
import type { CursorState, LoadedProgram } from '../engine/protocol.js';
import { defaults } from './loading.js';
import { kNoRun } from './session.js';
import { session, update } from './store.js';

interface FirstLook {
  info: ProgramInfo;
  fileBytes: number;
  state: CursorState;
}

/** A file of its own, so that the page itself is not painted later for it. */
const kFirst = new URL('../../made/first.json', import.meta.url);

export async function showFirstLook(): Promise<void> {
  const response = await fetch(kFirst);
  if (!response.ok) return;
  const { info, fileBytes, state } = (await response.json()) as FirstLook;
  const { run, program } = session.value;
  // The engine may have been faster.
  if (run !== 'loading' || program) return;
  const shown: LoadedProgram = {
    name: 'digits.tern', fileKind: 'executable', fileBytes, executable: new Uint8Array(0),
    milliseconds: 0, info,
  };
  update({
    program: shown, ...defaults(shown, info.functions[0]?.name ?? ''),
    machine: state, steps: state.steps,
  });
}

/** Where the engine or the program does not come, what was recorded is no program to run. */
export function endFirstLook(): void {
  if (session.value.program?.executable.length === 0) update({ ...kNoRun, program: undefined });
}
