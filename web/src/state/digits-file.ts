// SPDX-License-Identifier: Apache-2.0
/** Compiled when the page was built (scripts/make-digits.mjs). */
const kDigits = new URL('../../made/digits.tern', import.meta.url);

export async function fetchDigits(): Promise<Uint8Array> {
  const response = await fetch(kDigits);
  if (!response.ok) throw new Error(`the digit classifier: the server said ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}
