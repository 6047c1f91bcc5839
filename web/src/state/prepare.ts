// SPDX-License-Identifier: Apache-2.0
// What opening a text takes, fetched when one is likely to be opened: the compiler of the engine's
// worker, and the worker that reads texts with its own.
import { engine, session } from './store.js';

let isPrepared = false;

/** The page's own start goes first. What cannot be fetched now is asked for again when needed. */
export function prepareForTexts(): void {
  if (isPrepared || session.value.run === 'loading') return;
  isPrepared = true;
  engine.prepare('compiler');
  void import('./source.js')
    .then(({ language }) => language.request({ kind: 'prepare' }))
    .catch(() => undefined);
}
