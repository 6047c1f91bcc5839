// SPDX-License-Identifier: Apache-2.0
// How much of each step is announced to readers of the screen; kept from visit to visit.
import { signal } from '@preact/signals';
import type { Verbosity } from '../model/explain.js';

const kStorageKey = 'tern-announcements';
const kLevels: readonly Verbosity[] = ['off', 'short', 'full'];

const kept = globalThis.localStorage?.getItem(kStorageKey);

export const announced = signal<Verbosity>(kLevels.find((level) => level === kept) ?? 'short');

export function setAnnounced(level: Verbosity): void {
  announced.value = level;
  globalThis.localStorage?.setItem(kStorageKey, level);
}
