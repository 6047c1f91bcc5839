// SPDX-License-Identifier: Apache-2.0
// What of an address needs the engine: the program, and the step of its run.
import { seek, step } from '../state/runs.js';
import { guarded, session } from '../state/store.js';
import { followAddress, kAskedFor, kAskedStep, view } from '../state/view.js';

/** Shows what the address asks for, then keeps the address at what is shown. */
export async function beginAtAddress(): Promise<void> {
  const { example, packed, ending } = kAskedFor;
  if (example && view.value === 'machine') {
    const { openProgramExample } = await import('../state/examples.js');
    await openProgramExample(example);
  } else if (packed && ending) {
    const { openLinked } = await import('../state/editing.js');
    await guarded(() => openLinked(kAskedFor));
  }
  if (kAskedStep > 0 && session.value.program) await step(kAskedStep);
  followAddress(({ preset, loops, step: wanted }) => {
    if (preset === 'vector') {
      void import('../state/lanes.js').then(({ openAddress }) => openAddress(loops));
    } else if (wanted !== undefined) void seek(wanted);
  });
}
