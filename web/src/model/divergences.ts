// SPDX-License-Identifier: Apache-2.0
// What two runs differ in, in words. What is told are the fields that the core gives.
import type { ProgramInfo, TraceComparison, TraceDivergence } from 'tern-runtime';
import { formatCount } from './format.js';

/** "%2 sum", "%2". */
export function registerText({ register, name }: TraceDivergence): string {
  if (register === undefined) return '';
  return name ? `%${register} ${name}` : `%${register}`;
}

const kWhat: Readonly<Record<TraceDivergence['kind'], string>> = {
  range: 'no step is in both records', start: 'begins otherwise', place: 'is elsewhere',
  change: 'changes other registers', value: 'gives another value', end: 'only one goes on',
};

/** A few words for a row of a list. */
export function whatDiffers(divergence: TraceDivergence): string {
  const register = divergence.frame === undefined ? '' : registerText(divergence);
  if (divergence.kind === 'value') return `gives ${register} another value`;
  if (divergence.kind === 'start' && register) return `begins with another ${register}`;
  return kWhat[divergence.kind];
}

/** What each of the two has there. */
export function sidesOf({ kind, places, a, b }: TraceDivergence): readonly [string, string] {
  return kind === 'place' ? places : [a, b];
}

export function sentenceOf(divergence: TraceDivergence): string {
  const { kind, step, places } = divergence;
  if (kind === 'range') return 'The records have no step in common.';
  if (kind === 'place') return `Step ${step} is at another instruction.`;
  if (kind === 'end') return `Only one goes on after step ${step}.`;
  const at = kind === 'start' ? `Step ${step}` : `Step ${step}, ${places[0]},`;
  return `${at} ${whatDiffers(divergence)}.`;
}

/** The whole comparison in a sentence. */
export function summaryOf({ common, divergences, more }: TraceComparison): string {
  const steps = formatCount(common, 'step');
  if (divergences.length === 0) return `${steps} in common, all the same.`;
  const count = formatCount(divergences.length, 'difference');
  return `${more ? `The first ${count}` : count} in ${steps} that both have.`;
}

/** The state that has the value: where the runs begin, or behind the step that wrote it. */
export const stateOf = ({ kind, step }: TraceDivergence): number =>
  (kind === 'start' ? step : step + 1);

export interface CodeLine {
  readonly pc: number;
  readonly text: string;
}

/** Instructions around one, of its function. */
export function linesAround(
  { instructions }: Pick<ProgramInfo, 'instructions'>, pc: number, around = 5,
): readonly CodeLine[] {
  const first = Math.max(0, pc - around);
  return instructions.slice(first, pc + around + 1).map(({ pc: at, text }) => ({ pc: at, text }));
}
