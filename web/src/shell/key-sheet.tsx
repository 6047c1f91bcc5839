// SPDX-License-Identifier: Apache-2.0
// The list of keys, and the switch for those of a single letter.
import { useEffect, useRef } from 'preact/hooks';
import { letterKeys, setLetterKeys, sheetOpen } from './shortcuts.js';

const kKeys: readonly [keys: string, what: string][] = [
  ['n', 'one step'],
  ['p', 'one step back'],
  ['← → Home End', 'in the recorded run: from step to step'],
  ['Ctrl Enter', 'run, or go on'],
  ['Esc', 'stop'],
  ['F6, Shift F6', 'next pane, pane before'],
  ['↑ ↓ PgUp PgDn Home End', 'in the bytecode: move'],
  ['b', 'in the bytecode: breakpoint'],
  ['arrows, Space', 'in the drawing: move the pen, put it down'],
  ['arrows, Home, End', 'in the lanes: from cell to cell'],
  ['arrows, Shift arrows', 'vscale: what processors have, one by one'],
  ['v, [, ]', 'in the lanes: to the vscale, less, more'],
  ['?', 'this list'],
];

export function KeySheet() {
  const dialog = useRef<HTMLDialogElement>(null);
  const open = sheetOpen.value;
  useEffect(() => {
    if (open && !dialog.current?.open) dialog.current?.showModal();
  }, [open]);
  if (!open) return null;
  return (
    <dialog
      ref={dialog} aria-labelledby="keys-title" data-testid="key-sheet"
      onClose={() => {
        sheetOpen.value = false;
      }}
    >
      <h2 id="keys-title">Keys</h2>
      <dl>
        {kKeys.map(([keys, what]) => (
          <div key={keys}>
            <dt><kbd>{keys}</kbd></dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <label class="check">
        <input
          type="checkbox" checked={letterKeys.value} data-testid="letter-keys"
          onChange={(event) => setLetterKeys(event.currentTarget.checked)}
        />
        keys of a single letter (n, p, v, ?)
      </label>
      <form method="dialog"><button class="primary">Close</button></form>
    </dialog>
  );
}
