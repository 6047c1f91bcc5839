// SPDX-License-Identifier: Apache-2.0
// What an executable holds, as rows: constants, primitives, sections.
import type { ProgramInfo } from 'tern-runtime';
import { formatBytes, formatCount } from './format.js';

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
  const calls = new Map<string, number>();
  for (const { text } of instructions) {
    const callee = /^\s*(?:call|invoke_packed)\s+(\S+?(?:\{[^}]*\})?)(?=\s|$)/.exec(text)?.[1];
    if (callee) calls.set(callee, (calls.get(callee) ?? 0) + 1);
  }
  return primitives.map((primitive) => {
    const brace = primitive.indexOf('{');
    const name = brace < 0 ? primitive : primitive.slice(0, brace);
    const detail = brace < 0 ? '' : primitive.slice(brace + 1, -1);
    const count = calls.get(primitive);
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
