// SPDX-License-Identifier: Apache-2.0
// Listings are fetched when one is looked at: the page's own, and those of `?listings=…`, which
// `tern play` makes of the file that it shows.
import type { Listings } from '../model/listings.js';
import { fetchBeside } from './beside.js';

const kOwn = new URL('../../made/listings.json', import.meta.url);
const kAsked = new URLSearchParams(globalThis.location?.search ?? '').get('listings');

async function fetchOwn(): Promise<Listings> {
  const response = await fetch(kOwn);
  if (!response.ok) throw new Error(`the listings: the server said ${response.status}`);
  return await response.json() as Listings;
}

async function fetchAsked(path: string): Promise<Listings> {
  const bytes = await fetchBeside('listings', path);
  return JSON.parse(new TextDecoder().decode(bytes)) as Listings;
}

let fetched: Promise<Listings> | undefined;

/** What failed is tried again with the next look. */
export async function fetchListings(): Promise<Listings> {
  fetched ??= Promise.all([kAsked ? fetchAsked(kAsked) : [], fetchOwn()]).then((all) => all.flat());
  try {
    return await fetched;
  } catch (error) {
    fetched = undefined;
    throw error;
  }
}
