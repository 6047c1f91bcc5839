// SPDX-License-Identifier: Apache-2.0
// The loop program: one of the page's, a file, or what is typed; and what the core says of it.
import { signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { type Finding, findingsOf } from '../../model/diagnostics.js';
import { kLoopExamples } from '../../model/loop-examples.js';
import { kNoTokens } from '../../model/tokens.js';
import { draw, lanesNow, openExample, openLoops, setText } from '../../state/lanes.js';
import { plainText, setPlainText } from '../../state/source.js';
import '../../style/source.css';
import { CodeEditor, PlainEditor } from '../../widgets/code-editor/code-editor.js';
import type { EditorServices } from '../../widgets/code-editor/editor.js';
import { kNoMarks } from '../../widgets/code-editor/line-marks.js';
import { FilePicker } from '../../widgets/file-picker.js';
import { Pane } from '../pane.js';

/** The text is all that is taken; n and vscale stay as they are. */
async function openFile(file: File): Promise<void> {
  await openLoops(file.name, await file.text());
}

// The text of a problem is the command line's, with the place it points at, so that it keeps its
// lines.
function Problems() {
  const { problems, picture } = lanesNow;
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

/** Where the caret is to go. */
const jump = signal<{ readonly from: number; readonly to: number } | undefined>(undefined);

/** What is underlined: places of the text as it was drawn last, which is what stands there. */
const found = (): readonly Finding[] => {
  const { text, problems } = lanesNow;
  return findingsOf(text, problems.flatMap(({ diagnostics = [] }) => diagnostics)
    .filter(({ span }) => span !== undefined));
};

/** To the finding after the caret, or before it; round and round. */
function walk(position: number, by: 1 | -1): void {
  const all = [...found()].sort((a, b) => a.from - b.from);
  const next = by > 0 ? all.find(({ from }) => from > position)
    : all.filter(({ from }) => from < position).at(-1);
  const { from, to } = next ?? all.at(by > 0 ? 0 : -1) ?? {};
  if (from !== undefined && to !== undefined) jump.value = { from, to };
}

const kServices: EditorServices = {
  onText: (value) => void setText(value), onCaret: () => undefined, onFix: () => undefined,
  onWalk: walk, hover: async () => undefined, valueAt: () => undefined,
  definition: async () => undefined, complete: async () => [],
};

function Text() {
  const { text, problems } = lanesNow;
  // A new list would draw the same lines under the text again.
  const findings = useMemo(found, [text, problems]);
  const shared = {
    label: 'Loop program and schedule', text, findings, jump: jump.value, services: kServices,
    testid: 'loop-text',
  };
  return plainText.value ? <PlainEditor {...shared} />
    : <CodeEditor {...shared} kind="loops" tokens={kNoTokens} marks={kNoMarks} />;
}

export function LoopPane() {
  // `example` is empty as soon as its text is changed: it is then the reader's own.
  const { example, name } = lanesNow;
  const tools = (
    <>
      <label class="plain-switch">
        <input
          type="checkbox" checked={plainText.value} data-testid="loop-plain-text"
          onChange={(event) => setPlainText(event.currentTarget.checked)}
        />
        plain text
      </label>
      <FilePicker
        label="Open…" name="Open a loop program" accept=".tloop" testid="open-loops"
        onFile={(file) => void openFile(file)}
      />
    </>
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
      <Text />
      <Problems />
    </Pane>
  );
}
