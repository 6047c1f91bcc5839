// SPDX-License-Identifier: Apache-2.0
// Operators by time, as the core's profiler adds them up; beside a baseline where one is kept.
import type { ProfileOperator } from 'tern-runtime';
import { colourIndex } from '../../model/flame.js';
import { formatNanoseconds } from '../../model/format.js';
import { baselineReport, picked, report } from '../../state/profile.js';
import '../../style/profile.css';
import { Pane } from '../pane.js';

const keyOf = ({ name, shapes }: ProfileOperator): string => `${name}\n${shapes}`;

/** More or less than the baseline, in words and signs. */
function Change({ now, before }: { now: number; before: number | undefined }) {
  if (before === undefined) return <td class="number worse">+ new</td>;
  const by = now - before;
  const sign = by > 0 ? '+' : '−';
  return (
    <td class={`number ${by > 0 ? 'worse' : 'better'}`}>
      {by === 0 ? '=' : `${sign} ${formatNanoseconds(Math.abs(by))}`}
    </td>
  );
}

export function OpsPane() {
  const shown = report.value;
  const before = baselineReport.value;
  const old = new Map(before?.operators.map((row) => [keyOf(row), row.nanoseconds / before.runs]));
  const all = shown?.operators.reduce((sum, { nanoseconds }) => sum + nanoseconds, 0) ?? 0;
  return (
    <Pane id="ops" title="Operators" note={shown ? `${shown.operators.length} rows` : null}>
      {shown ? (
        <div class="scroll padded" tabIndex={0} role="group" aria-label="Operators by time">
          <table class="listing operators" data-testid="operators">
            <thead>
              <tr>
                <th scope="col">operator</th><th scope="col" class="number">time a run</th>
                <th scope="col" class="number">share</th><th scope="col" class="number">calls</th>
                {before ? <th scope="col" class="number">change</th> : null}
                <th scope="col">arguments</th>
              </tr>
            </thead>
            <tbody>
              {shown.operators.map((row) => (
                <tr key={keyOf(row)} class={picked.value === row.name ? 'picked' : ''}>
                  <th scope="row">
                    <button
                      type="button" class="small plain" aria-pressed={picked.value === row.name}
                      onClick={() => {
                        picked.value = picked.value === row.name ? undefined : row.name;
                      }}
                    >
                      <span class={`swatch swatch-${colourIndex(row.name)}`} aria-hidden="true" />
                      <span class="operator-name" title={row.name}>{row.name}</span>
                    </button>
                  </th>
                  <td class="number">{formatNanoseconds(row.nanoseconds / shown.runs)}</td>
                  <td class="number">
                    {all > 0 ? `${((100 * row.nanoseconds) / all).toFixed(1)} %` : '—'}
                  </td>
                  <td class="number">{row.hits / shown.runs}</td>
                  {before ? (
                    <Change now={row.nanoseconds / shown.runs} before={old.get(keyOf(row))} />
                  ) : null}
                  <td>{row.shapes}{row.shapesVary ? ' and others' : ''}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ) : <p class="hint padded">Profile a run to see which operators take its time.</p>}
    </Pane>
  );
}
