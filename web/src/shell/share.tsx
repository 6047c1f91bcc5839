// SPDX-License-Identifier: Apache-2.0
// The link to what is shown: how long it is, what is in it and what is not; a file has everything.
// Fetched when it is first opened.
import { useRef, useState } from 'preact/hooks';
import { formatCount } from '../model/format.js';
import { fitOf, hasProgram, kFits } from '../model/share.js';
import { now } from '../state/store.js';
import { currentAddress, view } from '../state/view.js';
import '../style/dialogs.css';
import { closeDialog } from '../state/dialogs.js';
import { closeOutside, useModal } from './modal.js';

/** Its program is in no address, which leads to the digits then. */
function leftOut(hash: string): string | undefined {
  const name = now.program?.name;
  const isInLink = view.value === 'lanes' || hasProgram(hash) || name === 'digits.tern';
  return isInLink ? undefined : name;
}

function Contents({ hash, length }: { hash: string; length: number }) {
  const fit = fitOf(length);
  const missing = leftOut(hash);
  return (
    <>
      <p class="share-length" data-fit={fit} data-testid="share-length">
        <span class="share-sign" aria-hidden="true">{fit === 'short' ? '✓' : '!'}</span>
        {formatCount(length, 'letter')}: {kFits[fit]}
      </p>
      {missing ? (
        <p class="share-length" data-fit="tooLong" data-testid="share-missing">
          <span class="share-sign" aria-hidden="true">!</span>
          <span><b>{missing}</b> itself is not in it: links hold programs of the page and
            texts.</span>
        </p>
      ) : null}
      <p class="hint">
        Whoever opens it sees this program, step, panes and what is picked. Inputs, drawings and
        breakpoints are in the file alone: <i>Save the state</i> in Program. Nothing is sent to a
        server.
      </p>
    </>
  );
}

export function Share() {
  const dialog = useModal();
  const field = useRef<HTMLInputElement>(null);
  const [told, setTold] = useState('');
  const hash = currentAddress.value;
  // The whole address, because it is sent to somebody who is elsewhere.
  const link = new URL(hash, location.href).href;
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(link);
      setTold('Copied.');
    } catch {
      // Some browsers forbid the clipboard, for one in a page inside of another.
      field.current?.focus(); // which selects it
      setTold('The browser did not allow it. The link is selected: copy it yourself.');
    }
  };
  return (
    <dialog
      ref={dialog} class="share" aria-labelledby="share-title" data-testid="share"
      onClick={closeOutside} onClose={() => closeDialog('Share')}
    >
      <h2 id="share-title">Share what is shown</h2>
      <div class="share-link">
        <input
          ref={field} type="text" readOnly class="mono" value={link} aria-label="Link"
          data-testid="share-field" onFocus={(event) => event.currentTarget.select()}
        />
        <button type="button" class="primary" data-testid="share-copy" onClick={() => void copy()}>
          Copy
        </button>
      </div>
      <p class="share-told" role="status" data-testid="share-told">{told}</p>
      <Contents hash={hash} length={link.length} />
      <form method="dialog" class="buttons"><button>Close</button></form>
    </dialog>
  );
}
