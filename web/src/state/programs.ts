// SPDX-License-Identifier: Apache-2.0
// What the page begins with: the digit classifier that comes with it, or a file that it is asked
// for.
import { InputError } from '../model/inputs.js';
import { loadNow } from './loading.js';
import { guarded, session, start } from './store.js';

/** Compiled when the page was built (scripts/make-digits.mjs). */
const kDigits = new URL('../../made/digits.tern', import.meta.url);

/** `?src=open/model.onnx`: a file beside the page, shown in place of the digits (`tern play`). */
export const askedSource = new URLSearchParams(globalThis.location?.search ?? '').get('src');

async function fetchDigits(): Promise<Uint8Array> {
  const response = await fetch(kDigits);
  if (!response.ok) throw new Error(`the digit classifier: the server said ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

export function loadDigits(fetched = fetchDigits()): Promise<void> {
  return guarded(async () => loadNow('digits.tern', await fetched));
}

/** Only of the page's own server: a link must not make a visitor's browser ask others. */
async function fetchSource(path: string): Promise<Uint8Array> {
  const url = new URL(path, document.baseURI);
  if (url.origin !== location.origin) {
    throw new InputError('E0604', `?src=${path} leads to another server`,
      'name a file beside the page, or download it and open it here');
  }
  const response = await fetch(url, { cache: 'no-store' });
  if (!response.ok) {
    throw new InputError('E0101', `?src=${path}: the server said ${response.status}`,
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
  const fetched = askedSource ? fetchSource(askedSource) : fetchDigits();
  // Where the engine does not start, nobody asks for it.
  fetched.catch(() => undefined);
  await start();
  if (!session.value.runtime) return;
  if (!askedSource) return loadDigits(fetched);
  await guarded(async () => {
    const { open } = await import('./files.js');
    await open(nameOf(askedSource), await fetched);
  });
}
