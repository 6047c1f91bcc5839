// SPDX-License-Identifier: Apache-2.0
// What stands behind the # of the page's address:
// "#v=1&view=lanes&ex=dot&vs=4&n=18&step=120&sel=pc:37&panes=registers,run"; of a loop program of
// one's own its text (packed-text.ts) as z=… in place of ex, where as=tn or as=tasm tells that it
// is one for the machine. Links of all versions are read for ever.
import { isPresetName, type PresetName, readPaneList } from './presets.js';
import { clampSize, clampVScale } from './vscale.js';

export interface ProgramAddress {
  /** A program of the page; undefined for one's own. */
  example?: string;
  /** The text of one's own. */
  packed?: string;
  /** Which language that is; undefined for loops. */
  ending?: ProgramEnding;
}

export interface LoopAddress extends ProgramAddress {
  vscale?: number;
  n?: number;
}

/** What of a selection a link can carry: what does not depend on a run. */
export type Selected =
  | { readonly kind: 'pc'; readonly pc: number }
  | { readonly kind: 'step'; readonly step: number }
  | { readonly kind: 'register'; readonly index: number; readonly frame: number };

export interface Address {
  /** undefined: of a link debugging, else the preset that the visitor had last. */
  preset?: PresetName;
  loops: LoopAddress;
  /** Of the recorded run. */
  step?: number;
  selected?: Selected;
  panes?: readonly string[];
}

export type ProgramEnding = 'tn' | 'tasm';
const kEndings: readonly string[] = ['tn', 'tasm'] satisfies ProgramEnding[];

const kVersion = '1';
export const kLoopAddress: LoopAddress = {};

/** Older links call presets by the views that were there before them. */
const kOldViews = new Map<string, PresetName>([['lanes', 'vector'], ['machine', 'debug']]);
const kViewOf: Readonly<Partial<Record<PresetName, string>>> = { vector: 'lanes' };

type Fields = URLSearchParams;

/** From the fields of a version to those of this one; later versions are not guessed at. */
const kMigrations = new Map<string, (fields: Fields) => Fields>([[kVersion, (fields) => fields]]);

/** Whole numbers that a double holds exactly; nothing for anything else. */
function wholeOf(text: string | null | undefined): number | undefined {
  return text && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

export function readSelected(text: string | null): Selected | undefined {
  const [kind, first, second] = (text ?? '').split(/[:.]/);
  const at = wholeOf(first);
  if (at === undefined) return undefined;
  if (kind === 'pc') return { kind, pc: at };
  if (kind === 'step') return { kind, step: at };
  return kind === 'reg' ? { kind: 'register', index: at, frame: wholeOf(second) ?? 0 } : undefined;
}

export function writeSelected(selected: Selected): string {
  switch (selected.kind) {
    case 'pc':
      return `pc:${selected.pc}`;
    case 'step':
      return `step:${selected.step}`;
    case 'register':
      return `reg:${selected.index}.${selected.frame}`;
  }
}

function readLoops(fields: Fields): LoopAddress {
  const loops: LoopAddress = {};
  const example = fields.get('ex');
  if (example && /^\w{1,64}$/.test(example)) loops.example = example;
  const packed = fields.get('z');
  if (packed && /^[\w-]+$/.test(packed)) loops.packed = packed;
  const ending = fields.get('as');
  if (loops.packed && kEndings.includes(ending ?? '')) loops.ending = ending as ProgramEnding;
  const [vscale, n] = [wholeOf(fields.get('vs')), wholeOf(fields.get('n'))];
  if (vscale !== undefined) loops.vscale = clampVScale(vscale);
  if (n !== undefined) loops.n = clampSize(n);
  return loops;
}

/** What is not understood is left out: a damaged link leads at least to the page. */
export function readAddress(hash: string): Address {
  const given = new URLSearchParams(hash.replace(/^#/, ''));
  const fields = kMigrations.get(given.get('v') ?? '')?.(given);
  if (!fields) return { loops: {} };
  const address: Address = { loops: readLoops(fields) };
  const view = fields.get('view') ?? '';
  const preset = kOldViews.get(view) ?? (isPresetName(view) ? view : undefined);
  if (preset) address.preset = preset;
  const step = wholeOf(fields.get('step'));
  if (step) address.step = step;
  const selected = readSelected(fields.get('sel'));
  if (selected) address.selected = selected;
  const panes = readPaneList(fields.get('panes'));
  if (panes) address.panes = panes;
  return address;
}

/** Empty for the page as it is at first. */
export function writeAddress({ preset, loops, step, selected, panes }: Address): string {
  const fields: [name: string, value: string][] = [];
  if (preset && preset !== 'debug') fields.push(['view', kViewOf[preset] ?? preset]);
  if (loops.example) fields.push(['ex', loops.example]);
  else if (loops.packed) fields.push(['z', loops.packed]);
  if (!loops.example && loops.packed && loops.ending) fields.push(['as', loops.ending]);
  if (loops.vscale !== undefined) fields.push(['vs', String(loops.vscale)]);
  if (loops.n !== undefined) fields.push(['n', String(loops.n)]);
  if (step) fields.push(['step', String(step)]);
  if (selected) fields.push(['sel', writeSelected(selected)]);
  if (panes) fields.push(['panes', panes.join(',')]);
  if (fields.length === 0) return '';
  return `#${[['v', kVersion], ...fields].map((field) => field.join('=')).join('&')}`;
}
