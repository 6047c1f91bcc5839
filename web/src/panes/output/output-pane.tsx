// SPDX-License-Identifier: Apache-2.0
// Values in full: a register that was picked, and the results of a run that has returned.
import { isLarge } from '../../engine/protocol.js';
import { formatBytes, formatMilliseconds, formatShape } from '../../model/format.js';
import { inspect } from '../../state/runs.js';
import { now } from '../../state/store.js';
import { ValueView } from '../../widgets/tensor-view.js';
import { Pane } from '../pane.js';

function Inspected() {
  const { inspected, machine, before, frame, outputs } = now;
  if (!inspected) return null;
  const { index, value } = inspected;
  const register = (before ?? machine)?.frames[frame]?.registers[index];
  const name = register?.name ? `%${index} ${register.name}` : `%${index}`;
  return (
    <div class={outputs ? 'inspected apart' : 'inspected'} data-testid="inspected">
      <button type="button" class="small close" onClick={() => inspect(undefined)}>
        Close %{index}
      </button>
      {value === undefined || value === null ? (
        <p class="hint">
          <code>{name}</code> holds nothing now.
        </p>
      ) : isLarge(value) ? (
        <p class="hint" data-testid="inspected-large">
          <code>{name}</code> is {value.dtype}{formatShape(value.shape)}
          {' '}of {formatBytes(value.bytes)}: the <b>Inspector</b> shows it in parts.
        </p>
      ) : (
        <ValueView name={name} value={value} />
      )}
    </div>
  );
}

export function OutputPane() {
  const { outputs, inspected, stopReason, milliseconds } = now;
  const note =
    outputs && stopReason === 'returned' ? `in ${formatMilliseconds(milliseconds)}` : null;
  return (
    <Pane id="output" title="Output" note={note}>
      <div class="scroll padded" tabIndex={0} role="group" aria-label="Values">
        <Inspected />
        {Object.entries(outputs ?? {}).map(([name, value]) => (
          <ValueView key={name} name={name} value={value} />
        ))}
        {outputs || inspected ? null : (
          <p class="hint">
            Run to the end to see the results, or pick a register to see all of its values.
          </p>
        )}
      </div>
    </Pane>
  );
}
