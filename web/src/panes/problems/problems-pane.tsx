// SPDX-License-Identifier: Apache-2.0
// Diagnostics, in the command line's own layout. Not shown while there are none.
import { dismissProblems, session } from '../../state/store.js';
import { Pane } from '../pane.js';

export function ProblemsPane() {
  const { problems } = session.value;
  const dismiss = (
    <button type="button" class="small" onClick={dismissProblems} data-testid="dismiss">
      Dismiss
    </button>
  );
  return (
    <div role="alert" class={problems.length > 0 ? 'alert' : 'alert quiet'} data-testid="problems">
      {problems.length > 0 ? (
        <Pane id="problems" title="Problems" note={problems[0]!.code} tools={dismiss}>
          {problems.map(({ code, text, explanation }) => (
            <>
              <pre key={text} tabIndex={0} role="group" aria-label={`Problem ${code}`}>
                {text.trimEnd()}
              </pre>
              {explanation ? (
                <details>
                  <summary>What {code} means</summary>
                  <p class="explanation">{explanation}</p>
                </details>
              ) : null}
            </>
          ))}
        </Pane>
      ) : null}
    </div>
  );
}
