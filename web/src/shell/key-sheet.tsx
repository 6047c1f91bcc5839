// SPDX-License-Identifier: Apache-2.0
// The list of keys, made from the commands: those of a single letter can be chosen, taken away and
// switched off. Fetched when it is first opened.
import { useState } from 'preact/hooks';
import {
  canChoose, chooseDefaults, chooseKey, type Command, commands, isLetter, keyOf, letterKeys,
  setLetterKeys,
} from '../state/commands.js';
import { closeDialog } from '../state/dialogs.js';
import { useModal } from './modal.js';

/** Keys of single panes, which act where these have the focus. */
const kElsewhere: readonly [keys: string, what: string][] = [
  ['↑ ↓ PgUp PgDn Home End', 'in the bytecode: move'],
  ['b', 'in the bytecode: breakpoint'],
  ['← → Home End', 'in the recorded run: from step to step'],
  ['arrows, Space', 'in the drawing: move the pen, put it down'],
  ['arrows, Home, End, Space', 'in the lanes: from cell to cell, play'],
  ['arrows, Shift arrows', 'on vscale: what processors have, one by one'],
  ['arrows, Home, End, Enter', 'on a border of panes: move it, put it back'],
];

const keyTitle = (key: string | undefined): string => key?.replace('Escape', 'Esc') ?? 'none';

function Choice({ command }: { command: Command }) {
  const [waits, setWaits] = useState(false);
  const key = keyOf(command);
  const take = (event: KeyboardEvent): void => {
    // Tab goes on to the next button, as it does everywhere: losing the focus ends the waiting.
    if (!waits || event.key === 'Tab') return;
    event.preventDefault();
    // Otherwise the key that is chosen would act at once.
    event.stopPropagation();
    if (event.key === 'Backspace' || event.key === 'Delete') chooseKey(command.id, '');
    else if (isLetter(event.key) && event.key !== ' ') chooseKey(command.id, event.key);
    else if (event.key !== 'Escape') return;
    setWaits(false);
  };
  return (
    <button
      type="button" class="small" data-testid={`key-${command.id}`} onKeyDown={take}
      aria-label={`Key for ${command.title}: ${keyTitle(key)}. Change it`}
      onClick={() => setWaits(true)} onBlur={() => setWaits(false)}
    >
      {waits ? 'press a key' : <kbd>{keyTitle(key)}</kbd>}
    </button>
  );
}

function Commands() {
  // A command whose key was taken away is still listed, since its button is the way back.
  const shown = commands.value.filter(({ key }) => key !== undefined);
  return (
    <dl>
      {shown.map((command) => (
        <div key={command.id}>
          <dt>
            {canChoose(command) ? <Choice command={command} />
              : <kbd>{keyTitle(command.key)}</kbd>}
          </dt>
          <dd>{command.title}</dd>
        </div>
      ))}
      {kElsewhere.map(([keys, what]) => (
        <div key={what}>
          <dt><kbd>{keys}</kbd></dt>
          <dd>{what}</dd>
        </div>
      ))}
    </dl>
  );
}

export function KeySheet() {
  const dialog = useModal();
  return (
    <dialog
      ref={dialog} aria-labelledby="keys-title" data-testid="key-sheet"
      onClose={() => closeDialog('KeySheet')}
    >
      <h2 id="keys-title">Keys</h2>
      <p class="hint">A letter is changed by its button and then the new key; Backspace takes it
        away.</p>
      <Commands />
      <label class="check">
        <input
          type="checkbox" checked={letterKeys.value} data-testid="letter-keys"
          onChange={(event) => setLetterKeys(event.currentTarget.checked)}
        />
        keys of a single letter
      </label>
      <form method="dialog" class="buttons">
        <button class="primary">Close</button>
        <button type="button" data-testid="default-keys" onClick={chooseDefaults}>
          As at first
        </button>
      </form>
    </dialog>
  );
}
