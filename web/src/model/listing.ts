// SPDX-License-Identifier: Apache-2.0
// What an executable holds, as rows: constants, primitives, sections.
import type { ProgramInfo } from 'tern-runtime';
import { formatBytes, formatCount } from './format.js';
import { primitiveParts } from './instructions.js';

export interface ListingRow {
  name: string;
  detail: string;
  /** "1.2 KiB"; empty where there is none. */
  size: string;
}

export function constantRows({ constants }: ProgramInfo): ListingRow[] {
  return constants.map(({ index, type, bytes, splat }) => ({
    name: `c[${index}]`,
    detail: `${type}${splat ? ', one value repeated' : ''}`,
    size: Number(bytes) > 0 ? formatBytes(Number(bytes)) : '',
  }));
}

/** Each primitive with its attributes and how often the code calls it. */
export function primitiveRows({ primitives, instructions }: ProgramInfo): ListingRow[] {
  const calls = new Map<number, number>();
  for (const { operands } of instructions) {
    for (const { name, kind, value } of operands) {
      if (name !== 'callee' || kind !== 'primitive' || value === undefined) continue;
      calls.set(value, (calls.get(value) ?? 0) + 1);
    }
  }
  return primitives.map((primitive, index) => {
    const [name, detail] = primitiveParts(primitive);
    const count = calls.get(index);
    return { name, detail, size: count ? formatCount(count, 'call') : '' };
  });
}

export function sectionRows({ sections }: ProgramInfo): ListingRow[] {
  return sections.map(({ name, count, bytes }) => ({
    name: String(name),
    detail: formatCount(Number(count), 'entry').replace(/entrys$/, 'entries'),
    size: Number(bytes) > 0 ? formatBytes(Number(bytes)) : '',
  }));
}
