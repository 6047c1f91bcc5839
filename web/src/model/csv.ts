// SPDX-License-Identifier: Apache-2.0
// A table as other programs read it: RFC 4180, numbers exact and without units.

export type TableValue = string | number | bigint | boolean | null | undefined;

export interface TableData {
  readonly titles: readonly string[];
  readonly rows: readonly (readonly TableValue[])[];
}

function field(value: TableValue): string {
  // What String makes of it would lose the sign.
  if (Object.is(value, -0)) return '-0';
  const text = String(value ?? '');
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The same table gives the same text. */
export function csvOf({ titles, rows }: TableData): string {
  return [titles, ...rows].map((row) => `${row.map(field).join(',')}\r\n`).join('');
}
