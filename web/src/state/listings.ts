// SPDX-License-Identifier: Apache-2.0
// Listings are fetched when one is looked at: the page's own, and from `?listings=…`, where
// `tern play` makes them of a text, those of texts that are none of the page's.
import { hasListing, type Listings } from '../model/listings.js';
import { fetchBeside } from './beside.js';

const kOwn = new URL('../../made/listings.json', import.meta.url);
const kAsked = new URLSearchParams(globalThis.location?.search ?? '').get('listings');

async function fetchOwn(): Promise<Listings> {
  const response = await fetch(kOwn);
  if (!response.ok) throw new Error(`the listings: the server said ${response.status}`);
  return await response.json() as Listings;
}

async function fetchMade(path: string, text: string): Promise<Listings> {
  const bytes = await fetchBeside('listings', path, new URLSearchParams({ text }));
  return JSON.parse(new TextDecoder().decode(bytes)) as Listings;
}

/** What failed is tried again with the next look. */
function keepLast<T>(make: (key: string) => Promise<T>): (key: string) => Promise<T> {
  let last: { key: string; made: Promise<T> } | undefined;
  return async (key) => {
    if (last?.key !== key) last = { key, made: make(key) };
    try {
      return await last.made;
    } catch (error) {
      if (last?.key === key) last = undefined;
      throw error;
    }
  };
}

const own = keepLast(fetchOwn);
const made = keepLast((text) => fetchMade(kAsked ?? '', text));

/** Those in which that of the text is, where there is one. */
export async function fetchListings(text: string): Promise<Listings> {
  const known = await own('');
  return !kAsked || hasListing(known, text) ? known : made(text);
}
