// SPDX-License-Identifier: Apache-2.0
// The table twin of a picture of numbers; what does not fit is counted, not hidden.
import type { TableData } from '../model/csv.js';
import { formatCount, formatNumber } from '../model/format.js';
import { SaveCsv } from './save-csv.js';

// A table of thousands of cells would hold up the page and be read by nobody.
const kMaxRows = 40;
const kMaxColumns = 40;

export interface NumberTableProps {
  caption: string;
  rows: number;
  columns: number;
  values: ArrayLike<number>;
  /** Of its file, and the test id. */
  name: string;
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

export function NumberTable({ caption, rows, columns, values, name }: NumberTableProps) {
  const shownRows = upTo(Math.min(rows, kMaxRows));
  const shownColumns = upTo(Math.min(columns, kMaxColumns));
  const hidden = rows * columns - shownRows.length * shownColumns.length;
  const table = (): TableData => ({
    titles: ['', ...upTo(columns).map(String)],
    rows: upTo(rows).map((y) => [y, ...upTo(columns).map((x) => values[y * columns + x])]),
  });
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label={caption}>
      <SaveCsv name={name} label={caption} table={table} />
      <table class="numbers" data-testid={name}>
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
        <p class="hint">
          and {formatCount(hidden, 'more value')} outside of this table; the file has all
        </p>
      ) : null}
    </div>
  );
}
