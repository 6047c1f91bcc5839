// SPDX-License-Identifier: Apache-2.0
// A choice among the programs that come with the page, and what is worth looking at in the one
// that is shown.
import { galleryEntry } from '../../model/gallery.js';
import { kProgramExamples } from '../../model/program-examples.js';
import { openProgramExample } from '../../state/examples.js';
import { source } from '../../state/source.js';

export function Examples() {
  const chosen = source.value?.example ?? '';
  return (
    <label class="example-choice">
      <span class="detail">Example</span>
      <select
        value={chosen} data-testid="program-example"
        onChange={(event) => void openProgramExample(event.currentTarget.value)}
      >
        {chosen ? null : <option value="">choose one…</option>}
        {kProgramExamples.map(({ id, title }) => <option key={id} value={id}>{title}</option>)}
      </select>
    </label>
  );
}

export function LookAt({ id }: { id: string }) {
  const look = galleryEntry(id)?.look;
  return look ? <p class="hint look-at" data-testid="look-at">{look}</p> : null;
}
