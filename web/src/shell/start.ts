// SPDX-License-Identifier: Apache-2.0
// What is around the start of the page: the part that records, fetched before it is needed, and the
// service worker that keeps the page for visits offline.
import { askedSource } from '../state/programs.js';
import { engine, isRepeatable } from '../state/store.js';

/** A visitor who moves is likely to step soon. */
export function prepareBeforeFirstStep(ready: Promise<void>): void {
  const kSigns = ['pointerdown', 'keydown'] as const;
  const prepare = (): void => {
    for (const sign of kSigns) document.removeEventListener(sign, prepare, true);
    void ready.then(() => engine.prepare('recorder'));
  };
  for (const sign of kSigns) document.addEventListener(sign, prepare, true);
}

/**
 * Of the built page only: what is being worked on is not to be kept, nor is the page of a server
 * that ends with what it shows (`tern play`).
 */
export function keepForOffline(ready: Promise<void>): void {
  const isPassing = !import.meta.env.PROD || isRepeatable || askedSource !== null;
  if (isPassing || !navigator.serviceWorker) return;
  void ready.then(async () => {
    try {
      await navigator.serviceWorker.register(new URL('./service-worker.js', document.baseURI));
    } catch {
      // Where it is not allowed, the page works as before, with the network.
    }
  });
}
