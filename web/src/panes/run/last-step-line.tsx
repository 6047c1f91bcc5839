// SPDX-License-Identifier: Apache-2.0
// What the last step did, on one line: for screens where bytecode and registers are out of sight.
import { lastStep } from '../../model/last-step.js';
import { now } from '../../state/store.js';

export function LastStepLine() {
  const { program, machine, trace, steps } = now;
  if (!program || !machine || !trace) return null;
  const done = lastStep(program.info, machine);
  return (
    <p class="last-step" aria-hidden="true" data-testid="last-step">
      {steps} of {trace.end}
      {done ? (
        <>
          {' '}
          · <code>{done.what}</code>
          {done.result ? <code class="detail"> → {done.result}</code> : null}
        </>
      ) : (
        ' · nothing was executed yet'
      )}
    </p>
  );
}
