// SPDX-License-Identifier: Apache-2.0
// Files that lie beside the page, where `tern play` puts what it was given.
import { InputError } from '../model/inputs.js';

/** Only of the page's own server: a link must not make a visitor's browser ask others. */
export async function fetchBeside(
  asked: 'src' | 'trace' | 'listings', path: string, query?: URLSearchParams,
): Promise<Uint8Array> {
  const url = new URL(path, document.baseURI);
  // Blanks as %20: '+' is one in forms alone.
  if (query) url.search = query.toString().replaceAll('+', '%20');
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
