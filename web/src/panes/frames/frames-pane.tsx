// SPDX-License-Identifier: Apache-2.0
// The calls that have not returned, the innermost first. The one that is picked is the one whose
// registers the other panes show.
import type { DebugState } from 'tern-runtime';
import { foldFrames, type FrameLine } from '../../model/frames.js';
import { formatCount } from '../../model/format.js';
import { showFrame } from '../../state/runs.js';
import { now } from '../../state/store.js';
import '../../style/debug.css';
import { type Column, DataTable } from '../../widgets/data-table.js';
import { Pane } from '../pane.js';

const isPicked = ({ index }: FrameLine): boolean => now.frame === index;

const kColumns: readonly Column<FrameLine>[] = [
  { title: 'frame', value: ({ index, function: name }) => `${index} @${name}`, cell: (line) => (
    <>
      <button
        type="button" class="link" aria-pressed={isPicked(line)}
        data-testid={`frame-${line.index}`} onClick={() => showFrame(line.index)}
      >
        {line.index} @{line.function}
      </button>
      {line.folded > 0 ? <span class="detail"> … ×{line.folded}</span> : null}
    </>
  ) },
  { title: 'at', value: ({ pc }) => pc, cell: ({ pc }) => `pc ${pc}` },
  { title: 'arguments', class: 'wide', value: ({ args }) => args },
  { title: 'entered', value: ({ entered }) => entered,
    cell: ({ entered }) => (entered === undefined ? '' : `step ${entered}`) },
  { title: 'registers', class: 'number', value: ({ registers }) => registers },
  { title: 'from', value: ({ source }) => source },
];

function Table({ state }: { state: Pick<DebugState, 'frames'> }) {
  return (
    <DataTable
      name="frames-table" label="Call stack" class="facts" columns={kColumns}
      rows={foldFrames(state, now.program?.info)}
      row={(line) => ({
        class: isPicked(line) ? 'picked' : '', 'data-row-id': line.index,
        'aria-current': isPicked(line),
      })}
    />
  );
}

export function FramesPane() {
  const { machine, before } = now;
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
