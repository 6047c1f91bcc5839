// SPDX-License-Identifier: Apache-2.0
// The loop program: one of the page's, a file, or what is typed; and what the core says of it.
import { kLoopExamples } from '../../model/loop-examples.js';
import { draw, lanes, openExample, openLoops, setText } from '../../state/lanes.js';
import { FilePicker } from '../../widgets/file-picker.js';
import { Pane } from '../pane.js';

/** The text is all that is taken; n and vscale stay as they are. */
async function openFile(file: File): Promise<void> {
  await openLoops(file.name, await file.text());
}

// The text of a problem is the command line's, with the place it points at, so that it keeps its
// lines.
function Problems() {
  const { problems, picture } = lanes.value;
  return (
    <div class="loop-problems" role="status" data-testid="loop-problems">
      {problems.map(({ code, text }) => (
        <div key={code}>
          <pre tabIndex={0} role="group" aria-label="What is wrong">{text.trimEnd()}</pre>
          <p class="hint">
            {picture ? 'The picture is that of the last program without errors. ' : null}
            {code === 'E0601' || code === 'E0605' ? (
              <button type="button" class="small" data-testid="loops-retry" onClick={() => draw()}>
                Try again
              </button>
            ) : null}
          </p>
        </div>
      ))}
    </div>
  );
}

export function LoopPane() {
  // `example` is empty as soon as its text is changed: it is then the reader's own.
  const { example, name, text, problems } = lanes.value;
  const tools = (
    <FilePicker
      label="Open…" name="Open a loop program" accept=".tloop" testid="open-loops"
      onFile={(file) => void openFile(file)}
    />
  );
  return (
    <Pane id="loop" title="Loop" note={name} tools={tools}>
      <label class="loop-choice">
        <span class="detail">Program</span>
        <select
          value={example} data-testid="loop-example"
          onChange={(event) => void openExample(event.currentTarget.value)}
        >
          {kLoopExamples.map(({ id, title }) => <option key={id} value={id}>{title}</option>)}
          {example ? null : <option value="">your own</option>}
        </select>
      </label>
      <textarea
        class="loop-text mono" data-testid="loop-text" aria-label="Loop program and schedule"
        spellcheck={false} autocomplete="off" autocapitalize="off" wrap="off"
        aria-invalid={problems.length > 0} value={text}
        onInput={(event) => void setText(event.currentTarget.value)}
      />
      <Problems />
    </Pane>
  );
}
