// SPDX-License-Identifier: Apache-2.0
// The calls that have not returned, the innermost first. The one that is picked is the one whose
// registers the other panes show.
import type { DebugState } from 'tern-runtime';
import { foldFrames, type FrameLine } from '../../model/frames.js';
import { formatCount } from '../../model/format.js';
import { showFrame } from '../../state/runs.js';
import { session } from '../../state/store.js';
import '../../style/debug.css';
import { Pane } from '../pane.js';

const kTitles = ['frame', 'at', 'arguments', 'entered', 'registers', 'from'];

function Line({ line }: { line: FrameLine }) {
  const picked = session.value.frame === line.index;
  return (
    <tr class={picked ? 'picked' : ''} data-row-id={line.index} aria-current={picked}>
      <th scope="row">
        <button
          type="button" class="link" aria-pressed={picked} data-testid={`frame-${line.index}`}
          onClick={() => showFrame(line.index)}
        >
          {line.index} @{line.function}
        </button>
        {line.folded > 0 ? <span class="detail"> … ×{line.folded}</span> : null}
      </th>
      <td>pc {line.pc}</td>
      <td class="wide">{line.args}</td>
      <td>{line.entered === undefined ? '' : `step ${line.entered}`}</td>
      <td class="number">{line.registers}</td>
      <td>{line.source}</td>
    </tr>
  );
}

function Table({ state }: { state: Pick<DebugState, 'frames'> }) {
  const { program } = session.value;
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label="Call stack">
      <table class="facts" data-testid="frames-table">
        <thead><tr>{kTitles.map((title) => <th key={title} scope="col">{title}</th>)}</tr></thead>
        <tbody>
          {foldFrames(state, program?.info).map((line) => <Line key={line.index} line={line} />)}
        </tbody>
      </table>
    </div>
  );
}

export function FramesPane() {
  const { machine, before } = session.value;
  const shown = before ?? machine;
  const note = shown && (before ? 'as they were before the return'
    : formatCount(shown.frames.length, 'frame'));
  return (
    <Pane id="frames" title="Frames" note={note}>
      {shown && shown.frames.length > 0 ? <Table state={shown} /> : (
        <p class="hint padded">Step or run to see which call leads where.</p>
      )}
    </Pane>
  );
}
