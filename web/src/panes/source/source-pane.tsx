// SPDX-License-Identifier: Apache-2.0
// The program's text: edited here, read by the core while it is typed, run with everything else.
import { useMemo } from 'preact/hooks';
import { kSourceKinds } from '../../model/source-kind.js';
import { forgetDraft, offeredDraft, takeDraft } from '../../state/drafts.js';
import { recordKey, useRunView } from '../../state/debug.js';
import { openAsAssembly } from '../../state/editing.js';
import { links } from '../../state/links.js';
import { hover } from '../../state/selection.js';
import { findings, tokens } from '../../state/findings.js';
import {
  applyFix, completionsAt, definitionAt, editorNote, editSource, fixAll, formatSource, hoverAt,
  jump, openSource, plainText, readerProblem, setPlainText, source, walkFindings,
} from '../../state/source.js';
import {
  breakpointLines, currentLine, lineHits, pcsOf, toggleLine,
} from '../../state/source-lines.js';
import { guarded, now } from '../../state/store.js';
import '../../style/source.css';
import { CodeEditor, PlainEditor } from '../../widgets/code-editor/code-editor.js';
import type { EditorServices } from '../../widgets/code-editor/editor.js';
import type { BreakpointKind, LineMarks } from '../../widgets/code-editor/line-marks.js';
import { registerRows } from '../../model/registers.js';
import { Pane } from '../pane.js';
import { Examples, LookAt } from './examples.js';

/** The value that a name has at the cursor of the run: registers have the names of the text. */
function valueAt(position: number): string | undefined {
  const text = source.value?.text ?? '';
  // The word around the place, whichever end of it the pointer is at.
  const before = /\w*$/.exec(text.slice(0, position))![0];
  const word = before + /^\w*/.exec(text.slice(position))![0];
  const row = registerRows(now.machine).find(({ name }) => name === word);
  return row && !row.empty ? `%${row.index} holds ${row.type} ${row.value}` : undefined;
}

function lineAt(position: number): number {
  const text = source.value?.text ?? '';
  return text.slice(0, position).split('\n').length;
}

/** The caret's line answers in bytecode, graph and stages. */
function selectLine(position: number): void {
  const line = lineAt(position);
  // A line without code of its own leads nowhere.
  if (pcsOf(line).length === 0) return hover(undefined);
  const span = { line, column: 1, endLine: line, endColumn: 1 };
  hover({ kind: 'span', file: source.value?.name ?? '', span });
}

const kServices: EditorServices = {
  onText: (text) => void editSource(text),
  onCaret: selectLine,
  onFix: (fix) => void applyFix(fix),
  onBreakpoint: toggleLine,
  onWalk: walkFindings,
  hover: hoverAt,
  valueAt,
  definition: definitionAt,
  complete: completionsAt,
};

function useMarks(): LineMarks {
  const now = currentLine.value;
  const linked = links.value.linesOf(source.value?.name ?? '').join();
  const stops = breakpointLines.value;
  const counts = useRunView({ view: 'hits' }, recordKey());
  // Lines of an edited text are not those that were compiled.
  const isEdited = source.value?.edited;
  const hits = useMemo(() => lineHits(counts), [counts, isEdited]);
  return useMemo(() => {
    const breakpoints = new Map(stops.map((line): [number, BreakpointKind] =>
      [line, line === now ? 'hit' : 'enabled']));
    const lines = linked === '' ? [] : linked.split(',').map(Number);
    return { now, linked: lines, breakpoints, hits };
  }, [now, linked, stops, hits]);
}

function Tools() {
  const { value } = source;
  const isLanguage = value?.kind === 'language';
  return (
    <>
      {isLanguage ? (
        <button
          type="button" class="small" data-testid="format" onClick={() => void formatSource()}
        >
          Format
        </button>
      ) : null}
      {isLanguage && findings.value.some(({ diagnostic }) => diagnostic.fixes?.length) ? (
        <button type="button" class="small" data-testid="fix-all" onClick={() => void fixAll()}>
          Fix all
        </button>
      ) : null}
      <label class="plain-switch">
        <input
          type="checkbox" checked={plainText.value} data-testid="plain-text"
          onChange={(event) => setPlainText(event.currentTarget.checked)}
        />
        plain text
      </label>
    </>
  );
}

function Draft() {
  const draft = offeredDraft.value;
  if (!draft) return null;
  const restore = (): void => {
    const taken = takeDraft();
    // It becomes what is edited, to be run when the visitor wants it.
    if (taken) void openSource({ ...taken, text: '' }).then(() => editSource(taken.text));
  };
  return (
    <p class="draft" data-testid="draft">
      <span>Restore the draft of <b>{draft.name}</b>?</span>
      <button type="button" class="small" data-testid="restore-draft" onClick={restore}>
        Restore
      </button>
      <button type="button" class="small" data-testid="forget-draft" onClick={forgetDraft}>
        Forget it
      </button>
    </p>
  );
}

function NoText() {
  const { program } = now;
  return (
    <div class="no-text">
      <p class="hint">
        {program ? `${program.name} has no text of its own.` : 'No program is loaded.'}{' '}
        Choose an example, or open a .tn or .tasm file.
      </p>
      {program ? (
        <button
          type="button" class="small" data-testid="as-assembly"
          onClick={() => void guarded(openAsAssembly)}
        >
          Show it as assembly
        </button>
      ) : null}
    </div>
  );
}

function Status() {
  const problem = readerProblem.value;
  const words = problem ? problem.message : editorNote.value;
  return <p class="editor-note" role="status" data-testid="editor-note">{words}</p>;
}

export function SourcePane() {
  const shown = source.value;
  const marks = useMarks();
  const label = shown ? `Text of ${shown.name}, ${kSourceKinds[shown.kind].title}` : 'Text';
  const shared = {
    label, text: shown?.text ?? '', findings: findings.value, jump: jump.value,
    services: kServices, testid: 'editor',
  };
  const note = shown ? `${shown.name}${shown.edited ? ' · edited' : ''}` : undefined;
  return (
    <Pane id="source" title="Source" note={note} tools={<Tools />}>
      <div class="source-bar"><Examples /></div>
      <LookAt id={shown?.example ?? ''} />
      <Draft />
      {!shown ? <NoText /> : plainText.value ? <PlainEditor {...shared} /> : (
        <CodeEditor {...shared} kind={shown.kind} tokens={tokens.value} marks={marks} />
      )}
      <Status />
    </Pane>
  );
}

