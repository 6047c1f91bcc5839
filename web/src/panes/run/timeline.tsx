// SPDX-License-Identifier: Apache-2.0
// The recorded run as a line: each place on it is a step that can be looked at. It stays when the
// run has returned or failed.
import { formatCount } from '../../model/format.js';
import { placeText, timelineMarks } from '../../model/timeline.js';
import { run, seek } from '../../state/runs.js';
import { goesBack, now } from '../../state/store.js';
import { Icon } from '../../widgets/icon.js';

export function Timeline() {
  const { trace, steps, run: state, machine, program } = now;
  if (!trace || trace.end === 0) return null;
  const busy = state === 'running';
  return (
    <div class="timeline" role="group" aria-label="Recorded run">
      <button
        type="button"
        class="small"
        disabled={busy || !goesBack.value}
        onClick={() => run(true)}
        data-testid="run-back"
        title="To the breakpoint before, or to the beginning"
        aria-label="Run back to the breakpoint before, or to the beginning"
      >
        <Icon name="first" />
      </button>
      <span class="line">
        <input
          type="range"
          min={trace.first}
          max={trace.end}
          step={1}
          value={steps}
          disabled={busy}
          aria-label="Step"
          aria-valuetext={placeText(
            { steps, end: trace.end, frame: machine?.frames[0] }, program?.info,
          )}
          data-testid="timeline"
          onInput={(event) => seek(event.currentTarget.valueAsNumber)}
        />
        <span class="marks" aria-hidden="true">
          {timelineMarks(trace).map(({ at, text }) => (
            <span key={at} style={{ insetInlineStart: `${at}%` }}>
              {text}
            </span>
          ))}
        </span>
      </span>
      <span class="detail count" data-testid="timeline-count">
        {trace.first > 0
          ? `the last ${formatCount(trace.end - trace.first, 'step')} are kept`
          : formatCount(trace.end, 'step')}
      </span>
    </div>
  );
}
