// SPDX-License-Identifier: Apache-2.0
// Where two runs part: the picked difference, what each has there, and how far tensors are apart.
import { useEffect } from 'preact/hooks';
import type { TensorComparison, TraceDivergence } from 'tern-runtime';
import { sentenceOf, sidesOf, summaryOf } from '../../model/divergences.js';
import {
  comparison, compareProblem, followRuns, goToDivergence, keptRun, pickedDivergence,
  valueDifference,
} from '../../state/compare.js';
import '../../style/compare.css';
import { WorstElements } from '../../widgets/worst-elements.js';
import { Pane } from '../pane.js';

function Tensors({ comparison: found, shape }: {
  comparison: TensorComparison; shape: readonly number[];
}) {
  const { count, equal } = found;
  return (
    <div data-testid="compare-tensors">
      <p>{equal} of {count} elements are equal</p>
      <WorstElements comparison={found} shape={shape} names={['A', 'B']} />
    </div>
  );
}

function Difference({ of }: { of: TraceDivergence }) {
  const [a, b] = sidesOf(of);
  const values = valueDifference.value;
  // Elements come a moment later; those of the difference before must not stand beside this one.
  const tensors = values?.of === of ? values.comparison : undefined;
  return (
    <section aria-label="The picked difference">
      <h3 data-testid="divergence">{sentenceOf(of)}</h3>
      <dl class="compare-sides mono">
        <dt>A</dt><dd data-testid="side-a">{a}</dd>
        <dt>B</dt><dd data-testid="side-b">{b}</dd>
      </dl>
      {a === b && of.frame !== undefined
        ? <p class="hint">The elements that are shown are the same; others differ.</p> : null}
      {tensors && values ? <Tensors comparison={tensors} shape={values.shape} /> : null}
      <button type="button" class="small" data-testid="go-to-divergence"
        onClick={() => void goToDivergence(of)}>Go there in run B</button>
    </section>
  );
}

export function ComparePane() {
  // Each of the four panes follows the runs: any of them may be the only one that is shown.
  useEffect(followRuns, []);
  const found = comparison.value;
  const picked = pickedDivergence.value;
  return (
    <Pane id="compare" title="Compare">
      <div class="scroll padded" tabIndex={0} role="group" aria-label="Comparison">
        {compareProblem.value ? <p role="alert">{compareProblem.value}</p> : null}
        {found ? (
          <p role="status" data-testid="compare-summary">
            <b>{found.divergences.length === 0 ? '✓' : '≠'}</b> {summaryOf(found)}
          </p>
        ) : (
          <p class="hint">
            {keptRun.value ? 'Run again: what is run now is compared with A.'
              : 'Two runs, and the first step at which they part. Keep one as A to begin.'}
          </p>
        )}
        {picked ? <Difference of={picked} /> : null}
      </div>
    </Pane>
  );
}
