// SPDX-License-Identifier: Apache-2.0
// What the page and the worker that lays out graphs say to each other: one request, then the bands
// as they are done. A layout that nobody wants any more ends with its worker.
import type { LayoutRequest, PlacedBand } from '../model/graph-layout.js';

export type LayoutReply =
  | { readonly kind: 'band'; readonly band: PlacedBand }
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly message: string };
export type { LayoutRequest };
