// SPDX-License-Identifier: Apache-2.0
// What a pane is for, and where to read more. Fetched when it is first opened.
import { kPaneHelp } from '../model/pane-help.js';
import { closeDialog, dialogSubject } from '../state/dialogs.js';
import '../style/dialogs.css';
import { closeOutside, useModal } from './modal.js';

export function Help() {
  const dialog = useModal();
  const title = document.getElementById(`${dialogSubject}-title`)?.textContent;
  const { lines, section } = kPaneHelp[dialogSubject]!;
  return (
    <dialog
      ref={dialog} class="pane-help" aria-labelledby="help-title" data-testid="pane-help"
      onClick={closeOutside} onClose={() => closeDialog('Help')}
    >
      <h2 id="help-title">{title}</h2>
      {lines.map((line) => <p key={line}>{line}</p>)}
      <form method="dialog" class="buttons">
        <button class="primary">Close</button>
        <a href={`docs/playground.html#${section}`}>More in the documentation</a>
      </form>
    </dialog>
  );
}
