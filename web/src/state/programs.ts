// SPDX-License-Identifier: Apache-2.0
// What the page begins with: the digit classifier that comes with it, or a file that it is asked
// for; and the record of a run of it.
import { fetchDigits } from './digits-file.js';
import { endFirstLook, showFirstLook } from './first-look.js';
import { kIsEmbed } from './layout.js';
import { loadNow } from './loading.js';
import { arrival, guarded, session, start } from './store.js';
import { kAskedFor } from './view.js';

/** `?src=open/model.onnx`: a file beside the page, shown in place of the digits (`tern play`). */
const kAsked = new URLSearchParams(globalThis.location?.search ?? '');
export const askedSource = kAsked.get('src');

/** `&trace=record/run.terntrace`: the record of a run of that program, run again and walked. */
const kAskedTrace = kAsked.get('trace');

export function loadDigits(fetched = fetchDigits()): Promise<void> {
  return guarded(async () => loadNow('digits.tern', await fetched));
}

const files = () => import('./files.js');

/** The engine and the first program, fetched at the same time; then the record of its run. */
export async function begin(): Promise<void> {
  await (arrival.done = beginNow());
  // Runs wait for the arrival, and opening a record is one.
  if (!kAskedTrace || !session.value.program) return;
  await guarded(async () => (await files()).openRecord(kAskedTrace));
}

async function beginNow(): Promise<void> {
  const fetched = askedSource
    ? import('./beside.js').then((all) => all.fetchBeside('src', askedSource))
    : arrival.digits ?? fetchDigits();
  // Where it did not come, whoever tries again wants it fetched again.
  delete arrival.digits;
  // Where the engine does not start, nobody asks for it.
  fetched.catch(() => undefined);
  const asks = askedSource || kAskedTrace || kAskedFor.example || kAskedFor.packed;
  // Without it the page is empty until the engine is there.
  if (!asks && !kIsEmbed) showFirstLook().catch(() => undefined);
  await start();
  if (session.value.runtime) {
    if (!askedSource) await loadDigits(fetched);
    else {
      await guarded(async () => {
        const { nameOf, open } = await files();
        await open(nameOf(askedSource), await fetched);
      });
    }
  }
  endFirstLook();
}
