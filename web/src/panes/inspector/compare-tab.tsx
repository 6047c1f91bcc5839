// SPDX-License-Identifier: Apache-2.0
// The tensor beside another one: of another step, another register or a file.
import { useState } from 'preact/hooks';
import type { TensorComparison } from 'tern-runtime';
import {
  compareWithFile, compareWithRegister, compareWithStep, inspector,
} from '../../state/inspector.js';
import { now } from '../../state/store.js';
import { FilePicker } from '../../widgets/file-picker.js';
import { WorstElements } from '../../widgets/worst-elements.js';

function Result({ comparison, other }: { comparison: TensorComparison; other: string }) {
  const { count, equal, outside, passed } = comparison;
  return (
    <div data-testid="comparison">
      <p class={passed ? 'verdict passed' : 'verdict failed'} role="status">
        <b>{passed ? '✓ within the tolerance' : '✗ not within the tolerance'}</b> of {other}:{' '}
        {equal} of {count} equal, {outside} outside
      </p>
      <WorstElements
        comparison={comparison} shape={inspector.value.layout?.shape} names={['this', 'other']}
      />
    </div>
  );
}

// What is no number counts as 0, so that an emptied field is not NaN.
function NumberField({ label, value, onValue, testid, step = 'any' }: {
  label: string; value: number; onValue: (value: number) => void; testid: string; step?: string;
}) {
  return (
    <label>
      {label}{' '}
      <input
        type="number" min="0" step={step} value={value} data-testid={testid}
        onChange={(event) => onValue(Number(event.currentTarget.value) || 0)}
      />
    </label>
  );
}

export function CompareTab() {
  const { trace } = now;
  const [step, setStep] = useState(0);
  const [register, setRegister] = useState(0);
  // The tolerances of the standard's own tests; they are the tab's, so they end with it.
  const [atol, setAtol] = useState(1e-7);
  const [rtol, setRtol] = useState(1e-3);
  const { comparison, comparedWith } = inspector.value;
  return (
    <>
      <div class="compare-with">
        <NumberField label="atol" value={atol} onValue={setAtol} testid="atol" />
        <NumberField label="rtol" value={rtol} onValue={setRtol} testid="rtol" />
      </div>
      <div class="compare-with">
        <NumberField
          label="step" value={step} onValue={setStep} testid="other-step" step="1"
        />
        <button
          type="button" class="small" data-testid="compare-step" disabled={!trace}
          onClick={() => compareWithStep(Math.floor(step), atol, rtol)}
        >
          Compare with that step
        </button>
      </div>
      <div class="compare-with">
        <NumberField
          label="register" value={register} onValue={setRegister} testid="other-register" step="1"
        />
        <button
          type="button" class="small" data-testid="compare-register"
          onClick={() => compareWithRegister(Math.floor(register), atol, rtol)}
        >
          Compare with that register
        </button>
        <FilePicker
          label="Compare with .npy…" accept=".npy" testid="compare-file"
          onFile={(file) => void compareWithFile(file, atol, rtol)}
        />
      </div>
      {comparison ? <Result comparison={comparison} other={comparedWith} />
        : <p class="hint">Elements differ where |a − b| &gt; atol + rtol · |b|; NaN equals NaN.</p>}
    </>
  );
}
