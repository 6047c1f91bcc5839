// SPDX-License-Identifier: Apache-2.0
// The table twin of a picture of numbers; what does not fit is counted, not hidden.
import { formatCount, formatNumber } from '../model/format.js';

const kMaxRows = 40;
const kMaxColumns = 40;

export interface NumberTableProps {
  caption: string;
  rows: number;
  columns: number;
  values: ArrayLike<number>;
  testid?: string;
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

export function NumberTable({ caption, rows, columns, values, testid }: NumberTableProps) {
  const shownRows = upTo(Math.min(rows, kMaxRows));
  const shownColumns = upTo(Math.min(columns, kMaxColumns));
  const hidden = rows * columns - shownRows.length * shownColumns.length;
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label={caption}>
      <table class="numbers" data-testid={testid}>
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            <td />
            {shownColumns.map((x) => (
              <th key={x} scope="col">
                {x}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shownRows.map((y) => (
            <tr key={y}>
              <th scope="row">{y}</th>
              {shownColumns.map((x) => (
                <td key={x}>{formatNumber(values[y * columns + x]!)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {hidden > 0 ? (
        <p class="hint">and {formatCount(hidden, 'more value')} outside of this table</p>
      ) : null}
    </div>
  );
}
