// SPDX-License-Identifier: Apache-2.0
// Walking through the iterations by itself, one after the other, until the last or until the
// visitor has seen enough.
import { signal } from '@preact/signals';
import { iterationAfter } from '../model/lanes.js';
import { lanes, pick, runOf } from './lanes.js';

/** Slow enough to see where the same element lights up under the other strategies. */
const kPause = 400;

export const isPlaying = signal(false);
let next: ReturnType<typeof setTimeout> | undefined;

export function pause(): void {
  clearTimeout(next);
  isPlaying.value = false;
}

function advance(): void {
  const { cursor, strategy: shown } = lanes.value;
  const strategy = cursor?.strategy ?? shown;
  const row = iterationAfter(runOf(strategy), cursor?.k);
  if (!row) return pause();
  pick({ strategy, k: row.k, lane: 0 });
  next = setTimeout(advance, kPause);
}

/** From the cell that is picked on; from the beginning where none is, or the last. */
export function togglePlay(): void {
  if (isPlaying.value) return pause();
  const { cursor } = lanes.value;
  if (cursor && !iterationAfter(runOf(cursor.strategy), cursor.k))
    pick({ ...cursor, k: -1, lane: 0 });
  isPlaying.value = true;
  advance();
}
