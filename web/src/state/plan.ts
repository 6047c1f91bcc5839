// SPDX-License-Identifier: Apache-2.0
// The memory plan of the program, as the compiler made it, at the sizes that are chosen.
import { effect, signal, untracked } from '@preact/signals';
import type { MemoryPlan } from 'tern-runtime';
import { engine, guarded, session } from './store.js';

export const kArrangements = {
  planned: 'planned', alone: 'no reuse', live: 'lower bound',
} as const;
export type PlanArrangement = keyof typeof kArrangements;

export const plan = signal<MemoryPlan | undefined>(undefined);
export const planProblem = signal('');
export const arrangement = signal<PlanArrangement>('planned');
/** Of the tensors of the function that is shown. */
export const pickedTensor = signal<number | undefined>(undefined);

let asked = 0;

function fetchPlan(sizes: Record<string, number>): void {
  const mine = ++asked;
  void guarded(async () => {
    const answer = await engine.request({ kind: 'plan', sizes });
    if (mine !== asked) return;
    plan.value = answer.plan;
    planProblem.value = '';
  }, (error) => {
    if (mine !== asked) return;
    plan.value = undefined;
    planProblem.value = error instanceof Error ? error.message : String(error);
  });
}

/** Follows program and sizes for as long as the pane is shown. */
export function followPlan(): () => void {
  let seen: readonly unknown[] = [];
  return effect(() => {
    const { program, symbols } = session.value;
    if (seen[0] === program && seen[1] === symbols) return;
    seen = [program, symbols];
    untracked(() => {
      pickedTensor.value = undefined;
      plan.value = undefined;
      if (program) fetchPlan({ ...symbols });
    });
  });
}
