// SPDX-License-Identifier: Apache-2.0
// How much a run may take until it rests. The worker has the defaults; what is chosen here holds
// for as long as the page is open, also of a worker that replaces one.
import { computed, effect, signal } from '@preact/signals';
import { kDefaultLimits, type RunLimits } from '../engine/debug-protocol.js';
import { engine, guarded, session } from './store.js';

export const limits = signal<RunLimits>(kDefaultLimits);

/** From the next command on. */
export function setLimit(name: keyof RunLimits, value: number): void {
  limits.value = { ...limits.value, [name]: value };
}

/** Each worker has its own. */
const runtime = computed(() => session.value.runtime);

effect(() => {
  const chosen = limits.value;
  if (!runtime.value || chosen === kDefaultLimits) return;
  void guarded(async () => {
    await engine.request({ kind: 'limits', limits: chosen });
  });
});
