// SPDX-License-Identifier: Apache-2.0
// Lines of the text and instructions of the program: breakpoints of lines, the line that is next,
// how often lines ran. A text that is edited has other lines than the program that was made of it.
import { computed, effect, signal } from '@preact/signals';
import {
  beginningsOf, hitsByLine, instructionsByLine, movedLines,
} from '../model/text-lines.js';
import { toggleBreakpoint } from './runs.js';
import { currentPc } from './session.js';
import { source } from './source.js';
import { session } from './store.js';

const fileName = computed(() => source.value?.name);
const isEdited = computed(() => source.value?.edited ?? false);
const program = computed(() => session.value.program);

const pcsOfLines = computed(() =>
  instructionsByLine(program.value?.info.instructions ?? [], fileName.value ?? ''));

export const pcsOf = (line: number): readonly number[] => pcsOfLines.value.get(line) ?? [];

export function lineOf(pc: number | undefined): number | undefined {
  const instruction = pc === undefined ? undefined : program.value?.info.instructions[pc];
  return instruction?.source === fileName.value ? instruction?.line : undefined;
}

/** Of the instruction that is next. */
export const currentLine = computed(() =>
  (isEdited.value ? undefined : lineOf(currentPc(session.value))));

const breakpoints = computed(() => session.value.breakpoints);

/** Of the program, by its own lines. */
const programLines = computed(() =>
  [...pcsOfLines.value].filter(([, pcs]) => pcs.some((pc) => breakpoints.value.has(pc)))
    .map(([line]) => line));

/** Of the text while it is edited: they move with it until a program is made of it. */
const editedLines = signal<readonly number[]>([]);

let textBefore = '';
effect(() => {
  const text = source.value?.text ?? '';
  const lines = isEdited.value ? editedLines.peek() : programLines.value;
  editedLines.value = isEdited.value ? movedLines(lines, textBefore, text) : lines;
  textBefore = text;
});

export const breakpointLines = computed(() =>
  (isEdited.value ? editedLines.value : programLines.value));

/** The first line from this one on that has instructions. */
function lineWithCode(line: number): number | undefined {
  const there = [...pcsOfLines.value.keys()].filter((each) => each >= line);
  return there.length > 0 ? Math.min(...there) : undefined;
}

function toggleOfProgram(line: number): void {
  const at = lineWithCode(line);
  if (at === undefined) return;
  const set = pcsOf(at).filter((pc) => breakpoints.value.has(pc));
  for (const pc of set.length > 0 ? set : beginningsOf(pcsOf(at))) toggleBreakpoint(pc);
}

/** Sets breakpoints wherever a line begins, or clears those that it has. */
export function toggleLine(line: number): void {
  if (!isEdited.value) return toggleOfProgram(line);
  const without = editedLines.value.filter((each) => each !== line);
  const had = without.length < editedLines.value.length;
  editedLines.value = had ? without : [...without, line];
}

/** Gives a program that was made of the text the breakpoints that the text had. */
export function restoreLines(lines: readonly number[]): void {
  const wanted = new Set(lines.map(lineWithCode));
  for (const line of wanted) if (line !== undefined) toggleOfProgram(line);
}

/** How often lines ran in the record; `hits` by instruction. A line that is edited has none. */
export function lineHits(hits: readonly number[] | undefined): ReadonlyMap<number, number> {
  return hits && !isEdited.value ? hitsByLine(pcsOfLines.value, hits) : new Map();
}
