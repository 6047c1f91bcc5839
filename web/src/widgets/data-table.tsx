// SPDX-License-Identifier: Apache-2.0
// A table of rows of one kind: what a column shows, and what a file has in its place.
import type { ComponentChildren, HTMLAttributes } from 'preact';
import type { TableValue } from '../model/csv.js';
import { formatCount } from '../model/format.js';
import { SaveCsv } from './save-csv.js';

export interface Column<Row> {
  title: string;
  /** What stands above it in place of the title. */
  head?: ComponentChildren;
  value: (row: Row, index: number) => TableValue;
  /** Where the table shows something else than the value: rounded, with a unit, a button. */
  cell?: (row: Row, index: number) => ComponentChildren;
  class?: 'number' | 'wide';
}

export interface DataTableProps<Row> {
  /** Of its file, and the test id. */
  name: string;
  label: string;
  /** The first one names the rows. */
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** Rows that are shown; files have all of them. */
  most?: number;
  /** How the shown ones were chosen where there are more: "the largest". */
  chosen?: string;
  row?: (row: Row, index: number) => HTMLAttributes<HTMLTableRowElement>;
  class?: string;
  /** Where it does not scroll by itself. */
  bare?: boolean;
}

function Cells<Row>({ columns, row, index }: {
  columns: readonly Column<Row>[]; row: Row; index: number;
}) {
  return (
    <>
      {columns.map(({ title, value, cell, class: name }, i) => {
        const content = cell ? cell(row, index) : value(row, index);
        return i === 0
          ? <th key={title} scope="row" class={name}>{content}</th>
          : <td key={title} class={name}>{content}</td>;
      })}
    </>
  );
}

function Left({ most, all, chosen }: { most: number; all: number; chosen: string }) {
  return all > most
    ? <p class="hint">{chosen} {most} of {formatCount(all, 'row')}; the file has all</p> : null;
}

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { name, label, columns, rows, row, most = rows.length, chosen = 'the first' } = props;
  const save = (
    <SaveCsv
      name={name} label={label} table={() => ({
        titles: columns.map(({ title }) => title),
        rows: rows.map((each, i) => columns.map(({ value }) => value(each, i))),
      })}
    />
  );
  const table = (
    <table class={props.class ?? 'listing'} data-testid={name}>
      <thead>
        <tr>
          {columns.map(({ title, head = title, class: kind }) => (
            <th key={title} scope="col" class={kind}>{head}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.slice(0, most).map((each, i) => (
          <tr key={i} {...row?.(each, i)}>
            <Cells columns={columns} row={each} index={i} />
          </tr>
        ))}
      </tbody>
    </table>
  );
  const below = <Left most={most} all={rows.length} chosen={chosen} />;
  if (props.bare) return <>{save}{table}{below}</>;
  return (
    <>
      {save}
      <div class="scroll" tabIndex={0} role="group" aria-label={label}>{table}{below}</div>
    </>
  );
}
