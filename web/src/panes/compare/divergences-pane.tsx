// SPDX-License-Identifier: Apache-2.0
// All differences of two runs, in the order of their steps; one is picked by its button.
import { useEffect } from 'preact/hooks';
import type { TraceDivergence } from 'tern-runtime';
import { sidesOf, whatDiffers } from '../../model/divergences.js';
import { formatCount } from '../../model/format.js';
import { comparison, followRuns, pickDivergence, pickedDivergence } from '../../state/compare.js';
import '../../style/debug.css';
import { type Column, DataTable } from '../../widgets/data-table.js';
import { Pane } from '../pane.js';

const kColumns: readonly Column<TraceDivergence>[] = [
  { title: 'step', value: ({ step }) => step, cell: (each, i) => (
    <button
      type="button" class="link" aria-pressed={each === pickedDivergence.value}
      onClick={() => void pickDivergence(i)}
    >
      {each.step}
    </button>
  ) },
  { title: 'at', value: ({ places }) => places[0] || places[1] },
  { title: 'what', value: whatDiffers },
  { title: 'A', class: 'wide', value: (each) => sidesOf(each)[0] },
  { title: 'B', class: 'wide', value: (each) => sidesOf(each)[1] },
];

export function DivergencesPane() {
  useEffect(followRuns, []);
  // Nothing yet is told apart from no difference.
  const found = comparison.value;
  const picked = pickedDivergence.value;
  return (
    <Pane
      id="divergences" title="Differences"
      note={found ? formatCount(found.divergences.length, 'difference') : undefined}
    >
      {found && found.divergences.length > 0 ? (
        <>
          <DataTable
            name="divergences" label="Differences" class="facts" rows={found.divergences}
            columns={kColumns}
            row={(each, i) => ({ class: each === picked ? 'picked' : '', 'data-row-id': i })}
          />
          {found.more ? <p class="hint">There are others behind these.</p> : null}
        </>
      ) : (
        <p class="hint padded">{found ? 'There is none.' : 'Of two runs, once both are there.'}</p>
      )}
    </Pane>
  );
}
