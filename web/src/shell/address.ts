// SPDX-License-Identifier: Apache-2.0
// What of an address needs the engine: the program, and the step of its run.
import type { Address, ProgramAddress } from '../model/address.js';
import { loadDigits } from '../state/programs.js';
import { seek, step } from '../state/runs.js';
import { guarded, session } from '../state/store.js';
import { followAddress, kAskedFor, kAskedStep, view } from '../state/view.js';

async function openProgram({ example, packed, ending }: ProgramAddress): Promise<void> {
  if (example) {
    const { openProgramExample } = await import('../state/examples.js');
    await openProgramExample(example);
  } else if (packed && ending) {
    const { openLinked } = await import('../state/editing.js');
    await guarded(() => openLinked({ packed, ending }));
  } else await loadDigits();
}

/** What back, forward or another link in the same tab led to. */
async function follow({ preset, loops, step: wanted = 0 }: Address, isOther: boolean) {
  if (preset === 'vector') return (await import('../state/lanes.js')).openAddress(loops);
  if (!isOther) return seek(wanted);
  await openProgram(loops);
  if (wanted > 0) await step(wanted);
}

/** Shows what the address asks for, then keeps the address at what is shown. */
export async function beginAtAddress(): Promise<void> {
  const { example, packed } = kAskedFor;
  if (view.value === 'machine' && (example || packed)) await openProgram(kAskedFor);
  if (kAskedStep > 0 && session.value.program) await step(kAskedStep);
  followAddress(follow);
}
