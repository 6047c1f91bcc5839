// SPDX-License-Identifier: Apache-2.0
// The one place from which tables leave the page: as a file, or to scripts.
import { useEffect, useRef } from 'preact/hooks';
import { csvOf, type TableData } from '../model/csv.js';
import { saveFile } from './save-file.js';

/** Tables that are on the page, by the names of their files. */
const shown = new Map<string, () => TableData>();

export const tableOf = (name: string): TableData | null => shown.get(name)?.() ?? null;

export interface SaveCsvProps {
  /** Of the file, without its ending. */
  name: string;
  /** What a screen reader calls the table. */
  label: string;
  /** All rows, also those that the page leaves out. */
  table: () => TableData;
}

export function SaveCsv({ name, label, table }: SaveCsvProps) {
  const latest = useRef(table);
  latest.current = table;
  useEffect(() => {
    const read = (): TableData => latest.current();
    shown.set(name, read);
    return () => {
      if (shown.get(name) === read) shown.delete(name);
    };
  }, [name]);
  return (
    <button
      type="button" class="small save-csv" data-testid={`csv-${name}`}
      aria-label={`Save as CSV: ${label}`}
      onClick={() => saveFile(`${name}.csv`, new TextEncoder().encode(csvOf(table())))}
    >
      CSV
    </button>
  );
}
