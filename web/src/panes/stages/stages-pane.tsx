// SPDX-License-Identifier: Apache-2.0
// What the compiler makes of the program, pass by pass, down to the bytecode; or what a pass
// changed. Passes that changed nothing are left out until they are asked for.
import type { Signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { Finding } from '../../model/diagnostics.js';
import type { DiffLine } from '../../model/line-diff.js';
import { kNoLinks } from '../../model/links.js';
import { kNoTokens } from '../../model/tokens.js';
import { kNoMarks } from '../../widgets/code-editor/line-marks.js';
import { CodeEditor } from '../../widgets/code-editor/code-editor.js';
import type { EditorServices } from '../../widgets/code-editor/editor.js';
import { linkIndex, links } from '../../state/links.js';
import { openedFile } from '../../state/loading.js';
import { hover } from '../../state/selection.js';
import {
  changedStages, chosenStage, listedStages, moveStage, refreshStages, showsAll, showsDiff,
  stageDiff, stageIndex, stages,
} from '../../state/stages.js';
import '../../style/stages.css';
import { Pane } from '../pane.js';

const kNoFindings: readonly Finding[] = [];
const kSigns = { same: ' ', removed: '−', added: '+' } as const;
const nothing = async (): Promise<undefined> => undefined;
/** The caret's line answers in the other panes. */
function selectLine(position: number): void {
  const stage = stages.value.stages[stageIndex.value];
  if (!stage) return;
  const line = stage.text.slice(0, position).split('\n').length;
  const selection = { kind: 'line', stage: stage.name, line } as const;
  // Another stage puts the caret at its beginning: what is lit stays.
  if (linkIndex.value.of(selection) !== kNoLinks) hover(selection);
}

const kServices: EditorServices = {
  onText: () => {}, onCaret: selectLine, onFix: () => {}, onWalk: () => {},
  hover: nothing, valueAt: () => undefined, definition: nothing, complete: async () => [],
};

function List() {
  const changed = changedStages.value;
  const listed = listedStages.value.map((i) => ({ i, name: stages.value.stages[i]!.name }));
  return (
    <ol class="stage-list" aria-label="Stages">
      {listed.map(({ i, name }) => (
        <li key={name}>
          <button
            type="button" class={changed[i] ? 'stage' : 'stage quiet'} data-testid={`stage-${name}`}
            aria-current={i === stageIndex.value ? 'step' : undefined}
            title={changed[i] ? name : `${name}: changed nothing`}
            onClick={() => {
              chosenStage.value = name;
            }}
          >
            {name.replaceAll('_', ' ')}
          </button>
        </li>
      ))}
    </ol>
  );
}

function DiffRow({ line }: { line: DiffLine | undefined }) {
  if (!line) return <span class="line left-out">…{'\n'}</span>;
  return (
    <span class={`line ${line.kind}`}>
      <span class="sign">{kSigns[line.kind]}</span>{line.text}{'\n'}
    </span>
  );
}

function Diff() {
  const lines = stageDiff.value;
  if (lines.length === 0)
    return <p class="hint">This stage changed nothing of the one before.</p>;
  return (
    <pre class="stage-diff" tabIndex={0} role="group" aria-label="What the stage changed"
      data-testid="stage-diff">
      {lines.map((line, i) => <DiffRow key={i} line={line} />)}
    </pre>
  );
}

function Text() {
  const stage = stages.value.stages[stageIndex.value];
  const linked = stage ? links.value.stageLines(stage.name).join() : '';
  const marks = useMemo(() => ({
    ...kNoMarks, linked: linked === '' ? [] : linked.split(',').map(Number),
  }), [linked]);
  const { problem } = stages.value;
  if (problem) return <pre class="stage-problem" tabIndex={0}>{problem.text.trimEnd()}</pre>;
  if (!stage) return <p class="hint">Nothing is compiled yet.</p>;
  if (showsDiff.value) return <Diff />;
  return (
    <CodeEditor
      label="Text of the stage" kind={stage.name === 'bytecode' ? 'assembly' : 'loops'}
      text={stage.text} readOnly findings={kNoFindings} tokens={kNoTokens} marks={marks}
      jump={undefined}
      services={kServices} testid="stage-editor"
    />
  );
}

function Switch({ words, on, testid }: { words: string; on: Signal<boolean>; testid: string }) {
  return (
    <label class="plain-switch">
      <input
        type="checkbox" checked={on.value} data-testid={testid}
        onChange={(event) => {
          on.value = event.currentTarget.checked;
        }}
      />
      {words}
    </label>
  );
}

/** j and k go through the stages while the pane has the focus. */
function onKeyDown(event: KeyboardEvent): void {
  const by = { j: 1, k: -1 }[event.key];
  if (event.key === 'd' && !event.ctrlKey && !event.metaKey) showsDiff.value = !showsDiff.value;
  else if (by === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
  else moveStage(by > 0 ? 1 : -1);
  event.preventDefault();
}

export function StagesPane() {
  const file = openedFile.value;
  useEffect(() => void refreshStages(), [file]);
  const tools = (
    <>
      <Switch words="all passes" on={showsAll} testid="stage-all" />
      <Switch words="changes" on={showsDiff} testid="stage-changes" />
    </>
  );
  return (
    <Pane id="stages" title="Stages" note={file?.name} tools={tools}>
      <div class="stages" onKeyDown={onKeyDown}><List /><Text /></div>
    </Pane>
  );
}
