// SPDX-License-Identifier: Apache-2.0
// What the page begins with: the digit classifier that comes with it, or a file that it is asked
// for; and the record of a run of it.
import { InputError } from '../model/inputs.js';
import { loadNow } from './loading.js';
import { guarded, session, start } from './store.js';

/** Compiled when the page was built (scripts/make-digits.mjs). */
const kDigits = new URL('../../made/digits.tern', import.meta.url);

/** `?src=open/model.onnx`: a file beside the page, shown in place of the digits (`tern play`). */
const kAsked = new URLSearchParams(globalThis.location?.search ?? '');
export const askedSource = kAsked.get('src');

/** `&trace=record/run.terntrace`: the record of a run of that program, run again and walked. */
const kAskedTrace = kAsked.get('trace');

async function fetchDigits(): Promise<Uint8Array> {
  const response = await fetch(kDigits);
  if (!response.ok) throw new Error(`the digit classifier: the server said ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

export function loadDigits(fetched = fetchDigits()): Promise<void> {
  return guarded(async () => loadNow('digits.tern', await fetched));
}

/** Only of the page's own server: a link must not make a visitor's browser ask others. */
async function fetchBeside(asked: 'src' | 'trace', path: string): Promise<Uint8Array> {
  const url = new URL(path, document.baseURI);
  if (url.origin !== location.origin) {
    throw new InputError('E0604', `?${asked}=${path} leads to another server`,
      'name a file beside the page, or download it and open it here');
  }
  const response = await fetch(url, { cache: 'no-store' });
  if (!response.ok) {
    throw new InputError('E0101', `?${asked}=${path}: the server said ${response.status}`,
      'tern play FILE serves the page with a file');
  }
  return new Uint8Array(await response.arrayBuffer());
}

/** The name of the file, without folders. */
function nameOf(path: string): string {
  const last = path.split('/').pop()!;
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}

/** The engine and the first program, fetched at the same time. */
export async function begin(): Promise<void> {
  const fetched = askedSource ? fetchBeside('src', askedSource) : fetchDigits();
  // Where the engine does not start, nobody asks for it.
  fetched.catch(() => undefined);
  await start();
  if (!session.value.runtime) return;
  if (!askedSource && !kAskedTrace) return loadDigits(fetched);
  await guarded(async () => {
    const { open, openRecord } = await import('./files.js');
    if (askedSource) await open(nameOf(askedSource), await fetched);
    else await loadNow('digits.tern', await fetched);
    if (kAskedTrace) await openRecord(nameOf(kAskedTrace), await fetchBeside('trace', kAskedTrace));
  });
}
