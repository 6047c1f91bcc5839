// SPDX-License-Identifier: Apache-2.0
// One element of an input written anew, and the program run with it.
import { applyEdit, editable, editNote, element, position } from '../../state/edit-input.js';

export function EditInput() {
  const parameter = editable.value;
  if (!parameter) return null;
  const note = editNote.value;
  return (
    <form
      class="edit-input" aria-label={`Change an element of ${parameter.name}`}
      onSubmit={(event) => {
        event.preventDefault();
        void applyEdit(true);
      }}
    >
      <code>{parameter.name}</code>
      <label>
        [<input
          type="text" class="mono" value={position.value} data-testid="edit-position"
          aria-label="Position of the element" autocomplete="off" spellcheck={false}
          placeholder="0, 0" size={9}
          onInput={(event) => {
            position.value = event.currentTarget.value;
          }}
        />]
      </label>
      <label>
        becomes{' '}
        <input
          type="text" class="mono" value={element.value} data-testid="edit-value"
          autocomplete="off" spellcheck={false} size={9}
          onInput={(event) => {
            element.value = event.currentTarget.value;
          }}
        />
      </label>
      <button
        type="button" class="small" data-testid="edit-change" onClick={() => void applyEdit(false)}
      >
        Change
      </button>
      <button type="submit" class="small primary" data-testid="edit-run">Run again</button>
      <p class={note?.isWrong ? 'edit-wrong' : 'hint'} role="status" data-testid="edit-note">
        {note?.text ?? 'This is an input: point at an element, write another, and run again.'}
      </p>
    </form>
  );
}
