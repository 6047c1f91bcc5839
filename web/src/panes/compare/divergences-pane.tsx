// SPDX-License-Identifier: Apache-2.0
// All differences of two runs, in the order of their steps; one is picked by its button.
import { useEffect } from 'preact/hooks';
import { sidesOf, whatDiffers } from '../../model/divergences.js';
import { formatCount } from '../../model/format.js';
import { comparison, followRuns, pickDivergence, pickedDivergence } from '../../state/compare.js';
import '../../style/debug.css';
import { Pane } from '../pane.js';

const kTitles = ['step', 'at', 'what', 'A', 'B'];

export function DivergencesPane() {
  useEffect(followRuns, []);
  const found = comparison.value;
  const picked = pickedDivergence.value;
  return (
    <Pane
      id="divergences" title="Differences"
      note={found ? formatCount(found.divergences.length, 'difference') : undefined}
    >
      {found && found.divergences.length > 0 ? (
        <div class="scroll" tabIndex={0} role="group" aria-label="Differences">
          <table class="facts" data-testid="divergences">
            <thead>
              <tr>{kTitles.map((title) => <th key={title} scope="col">{title}</th>)}</tr>
            </thead>
            <tbody>
              {found.divergences.map((each, i) => {
                const [a, b] = sidesOf(each);
                return (
                  <tr key={i} class={each === picked ? 'picked' : ''} data-row-id={i}>
                    <th scope="row">
                      <button
                        type="button" class="link" aria-pressed={each === picked}
                        onClick={() => void pickDivergence(i)}
                      >
                        {each.step}
                      </button>
                    </th>
                    <td>{each.places[0] || each.places[1]}</td>
                    <td>{whatDiffers(each)}</td>
                    <td class="wide">{a}</td>
                    <td class="wide">{b}</td>
                  </tr>
                );
              })}
            </tbody>
          </table>
          {found.more ? <p class="hint">There are others behind these.</p> : null}
        </div>
      ) : (
        <p class="hint padded">{found ? 'There is none.' : 'Of two runs, once both are there.'}</p>
      )}
    </Pane>
  );
}
