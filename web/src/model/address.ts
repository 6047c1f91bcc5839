// SPDX-License-Identifier: Apache-2.0
// What stands behind the # of the page's address: "#v=1&view=lanes&ex=dot&vs=4&n=18"; of a program
// of one's own its text (packed-text.ts) as z=… in place of ex.
import { clampSize, clampVScale } from './vscale.js';

export interface LoopAddress {
  /** A program of the page; undefined for one's own. */
  example?: string;
  /** The text of one's own. */
  packed?: string;
  vscale?: number;
  n?: number;
}

export interface Address {
  view: 'machine' | 'lanes';
  loops: LoopAddress;
}

const kVersion = '1';
export const kLoopAddress: LoopAddress = {};

/** What is not understood is left out: an old link leads at least to the page. */
export function readAddress(hash: string): Address {
  const fields = new URLSearchParams(hash.replace(/^#/, ''));
  const loops: LoopAddress = {};
  if (fields.get('v') !== kVersion) return { view: 'machine', loops };
  const example = fields.get('ex');
  if (example && /^\w+$/.test(example)) loops.example = example;
  const packed = fields.get('z');
  if (packed && /^[\w-]+$/.test(packed)) loops.packed = packed;
  const [vscale, n] = [fields.get('vs'), fields.get('n')];
  if (vscale !== null && /^\d+$/.test(vscale)) loops.vscale = clampVScale(Number(vscale));
  if (n !== null && /^\d+$/.test(n)) loops.n = clampSize(Number(n));
  return { view: fields.get('view') === 'lanes' ? 'lanes' : 'machine', loops };
}

export function writeAddress({ view, loops }: Address): string {
  if (view === 'machine') return '';
  const fields = new URLSearchParams({ v: kVersion, view });
  if (loops.example) fields.set('ex', loops.example);
  else if (loops.packed) fields.set('z', loops.packed);
  if (loops.vscale !== undefined) fields.set('vs', String(loops.vscale));
  if (loops.n !== undefined) fields.set('n', String(loops.n));
  return `#${fields.toString()}`;
}
