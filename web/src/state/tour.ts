// SPDX-License-Identifier: Apache-2.0
// Where the visitor is in the tour, kept in this browser as drafts are, and what its lessons look
// at.
import { computed, effect, signal, untracked } from '@preact/signals';
import { isTensor } from 'tern-runtime';
import { galleryEntry } from '../model/gallery.js';
import {
  advance, kLessons, kNoProgress, type Progress, readProgress, type TourFacts,
} from '../model/tour.js';
import { openProgramExample } from './examples.js';
import { lanes, openExample, runOf, setVscale } from './lanes.js';
import { pointedPane, preset, reveal } from './layout.js';
import { store, stored } from './storage.js';
import { session } from './store.js';

const kKey = 'tern-tour';

export const progress = signal<Progress>(readProgress(stored(kKey)));

effect(() => {
  if (progress.value !== kNoProgress) store(kKey, JSON.stringify(progress.value));
});

export const facts = computed<TourFacts>(() => {
  const { program, steps, trace, stopReason, machine, before, inspected } = session.value;
  const { example, n, vscale, cursor, picture } = lanes.value;
  const value = inspected?.value;
  const added = program?.info.instructions.find(({ opcode }) => opcode === 'add');
  return {
    program: program?.name ?? '', codeLength: program?.info.instructions.length ?? 0,
    step: steps, end: trace?.end ?? 0, hasReturned: stopReason === 'returned',
    depth: (before ?? machine)?.frames.length ?? 0,
    addedTo: added?.operands.find(({ role }) => role.startsWith('w'))?.value,
    tensor: isTensor(value) ? { shape: value.shape, bytes: value.data.byteLength } : undefined,
    loop: example, n, vscale, hasCell: cursor !== undefined,
    // Figures of other sizes than those that are asked for would answer another question.
    runs: picture && runOf('fixed')?.n === n && runOf('cleanup')?.vscale === vscale
      ? { fixed: runOf('fixed')!, cleanup: runOf('cleanup')!, predicated: runOf('predicated')! }
      : {},
  };
});

export const lesson = computed(() => kLessons[progress.value.lesson]!);
export const tasksDone = computed(() => progress.value.tasks[lesson.value.id] ?? 0);

/** A screen with room for one pane shows the lesson again, which says what comes next. */
const hasOnePane = (): boolean =>
  globalThis.matchMedia?.('(max-width: 719px)').matches ?? false;

/** What is to be looked at after a task, or at first. */
function showTask(): void {
  const pane = lesson.value.tasks[tasksDone.value]?.pane;
  if (hasOnePane()) reveal('lesson');
  else if (pane) reveal(pane);
}

let isFollowing = false;

/** From the first lesson on, tasks are ticked as soon as they are done in the tour's preset. */
export function followTour(): void {
  if (isFollowing) return;
  isFollowing = true;
  effect(() => {
    if (preset.value !== 'learn') return;
    const next = advance(progress.value, facts.value);
    if (next === progress.value) return;
    progress.value = next;
    untracked(showTask);
  });
  effect(() => {
    pointedPane.value = preset.value === 'learn'
      ? (lesson.value.tasks[tasksDone.value]?.pane ?? '') : '';
  });
}

export async function openLesson(): Promise<void> {
  const { opens, vscale } = lesson.value;
  if (galleryEntry(opens)?.kind === 'loops') {
    await openExample(opens);
    if (vscale !== undefined) await setVscale(vscale);
    for (const pane of ['sweep', 'counters', 'lanes']) reveal(pane);
  } else {
    await openProgramExample(opens);
    for (const pane of ['timeline', 'bytecode']) reveal(pane);
  }
  showTask();
}

export function goToLesson(index: number): void {
  const lessonIndex = Math.min(Math.max(index, 0), kLessons.length - 1);
  progress.value = { ...progress.value, lesson: lessonIndex };
}

export function answered(): void {
  const { answered: before } = progress.value;
  const { id } = lesson.value;
  if (!before.includes(id)) progress.value = { ...progress.value, answered: [...before, id] };
}

export function beginAgain(): void {
  progress.value = { ...kNoProgress };
}
