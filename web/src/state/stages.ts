// SPDX-License-Identifier: Apache-2.0
// What the compiler makes of the program, stage by stage: asked for when it is looked at, and again
// for another program.
import { computed, signal } from '@preact/signals';
import { EngineError } from '../engine/client.js';
import type { Stage } from '../engine/language-protocol.js';
import { diffLines, hunks } from '../model/line-diff.js';
import { linkedStages } from './links.js';
import { type OpenedFile, openedFile } from './loading.js';
import type { Problem } from './session.js';
import { language } from './source.js';
import { guarded, report } from './store.js';

export interface StagesState {
  /** The program that they are of. */
  readonly of: OpenedFile | undefined;
  readonly stages: readonly Stage[];
  readonly problem: Problem | undefined;
}

export const stages = signal<StagesState>({ of: undefined, stages: [], problem: undefined });
export const chosenStage = signal('');
export const showsDiff = signal(false);
/** Also passes that changed nothing. */
export const showsAll = signal(false);

/** Of the stage that is shown; the last one where the chosen one is not made. */
export const stageIndex = computed(() => {
  const all = stages.value.stages;
  const at = all.findIndex(({ name }) => name === chosenStage.value);
  return at < 0 ? all.length - 1 : at;
});

/** Which stages differ from the one before: passes that had nothing to do are told apart. */
export const changedStages = computed(() =>
  stages.value.stages.map(({ text }, i, all) => i === 0 || all[i - 1]!.text !== text));

/** By index: those that changed something, and the one that is shown; or all. */
export const listedStages = computed(() =>
  stages.value.stages.flatMap((_, i) =>
    (showsAll.value || changedStages.value[i] || i === stageIndex.value ? [i] : [])));

/** Lines that differ from the stage before, with a few around them. */
export const stageDiff = computed(() => {
  const all = stages.value.stages;
  const at = stageIndex.value;
  return at > 0 ? hunks(diffLines(all[at - 1]!.text, all[at]!.text)) : [];
});

export function refreshStages(): Promise<void> {
  const file = openedFile.value;
  if (!file || stages.value.of === file) return Promise.resolve();
  return guarded(async () => {
    try {
      const made = await language.latest({ kind: 'stages', program: file });
      if (!made) return;
      stages.value = { of: file, stages: made, problem: undefined };
      linkedStages.value = made;
    } catch (error) {
      if (!(error instanceof EngineError)) return report(error);
      stages.value = { of: file, stages: [], problem: error.failure };
      linkedStages.value = [];
    }
  });
}

export function moveStage(by: 1 | -1): void {
  const listed = listedStages.value;
  const at = listed.indexOf(stageIndex.value);
  const next = listed[Math.min(Math.max(at + by, 0), listed.length - 1)];
  if (next !== undefined) chosenStage.value = stages.value.stages[next]!.name;
}
