// SPDX-License-Identifier: Apache-2.0
// Reads CSV as RFC 4180 has it, with code of its own; anything else is refused.

const kField = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/y;

export function readCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (let at = 0; at < text.length;) {
    kField.lastIndex = at;
    const found = kField.exec(text);
    if (!found) throw new Error(`not CSV at ${at}: ${text.slice(at, at + 20)}`);
    const [all, quoted, bare = '', end] = found;
    row.push(quoted === undefined ? bare : quoted.replaceAll('""', '"'));
    at += all.length;
    if (end === ',') continue;
    rows.push(row);
    row = [];
  }
  return rows;
}
