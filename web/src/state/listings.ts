// SPDX-License-Identifier: Apache-2.0
// Listings are fetched when one is looked at: the page's own, and from `?listings=…`, where
// `tern play` makes them of a text, those of texts that are none of the page's.
import { hasListing, type Listings } from '../model/listings.js';
import { onDemand } from '../engine/on-demand.js';
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

const own = onDemand(fetchOwn);
let last: { text: string; listings: () => Promise<Listings> } | undefined;

/** Those of the last text are kept. */
function made(path: string, text: string): Promise<Listings> {
  if (last?.text !== text) last = { text, listings: onDemand(() => fetchMade(path, text)) };
  return last.listings();
}

/** Those in which that of the text is, where there is one. */
export async function fetchListings(text: string): Promise<Listings> {
  const known = await own();
  return !kAsked || hasListing(known, text) ? known : made(kAsked, text);
}
