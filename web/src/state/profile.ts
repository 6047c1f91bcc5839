// SPDX-License-Identifier: Apache-2.0
// Profiles: the function run under the core's profiler with the inputs that are chosen, once cold
// and then warm; and a profile that is kept, which others are compared with.
import { computed, signal } from '@preact/signals';
import type { ProfileFormat } from 'tern-runtime';
import type { MachineSpeed, ProfileReport } from '../engine/inspection-protocol.js';
import { leftHeavy, sandwich, timeOrder } from '../model/flame.js';
import { rooflineOf } from '../model/roofline.js';
import { makeArguments } from './runs.js';
import { elapsed, engine, guarded, isRepeatable, session } from './store.js';

export interface Profiles {
  readonly program: string;
  readonly function: string;
  readonly cold: ProfileReport;
  readonly warm: ProfileReport;
  /** undefined: it could not be measured, or times are frozen. */
  readonly machine: MachineSpeed | undefined;
}

export const profiles = signal<Profiles | undefined>(undefined);
/** What later profiles are compared with. */
export const baseline = signal<Profiles | undefined>(undefined);
export const temperature = signal<'cold' | 'warm'>('warm');
export const repeat = signal(5);
export const isProfiling = signal(false);
export const profileProblem = signal('');

export const report = computed(() => profiles.value?.[temperature.value]);
export const baselineReport = computed(() => baseline.value?.[temperature.value]);
export const boxes = computed(() => (report.value ? timeOrder(report.value.events) : []));
export const heavy = computed(() => leftHeavy(boxes.value));
export const roofline = computed(() =>
  rooflineOf(report.value?.operators ?? [], profiles.value?.machine));
export const rows = computed(() => sandwich(boxes.value));
/** In percent of the baseline: changes up to so much are none, since times vary anyway. */
export const threshold = signal(5);
/** The name that is looked at, in all views. */
export const picked = signal<string | undefined>(undefined);

/** With frozen times everything takes no time, so that what is shown is repeatable. */
function frozen(profile: ProfileReport): ProfileReport {
  const still = <T extends { nanoseconds: number }>(item: T): T =>
    ({ ...item, nanoseconds: elapsed(item.nanoseconds) });
  return still({
    ...profile, rows: profile.rows.map(still), operators: profile.operators.map(still),
    events: { ...profile.events, events: profile.events.events.map(still) },
  });
}

export function profile(): Promise<void> {
  const { program, functionName } = session.value;
  if (!program || isProfiling.value) return Promise.resolve();
  isProfiling.value = true;
  profileProblem.value = '';
  return guarded(async () => {
    const answer = await engine.request({
      kind: 'profile', function: functionName, args: makeArguments(), repeat: repeat.value,
      measure: !isRepeatable,
    });
    profiles.value = {
      program: program.name, function: functionName, cold: frozen(answer.cold),
      warm: frozen(answer.warm), machine: answer.machine,
    };
    isProfiling.value = false;
  }, (error) => {
    isProfiling.value = false;
    profileProblem.value = error instanceof Error ? error.message : String(error);
  });
}

export function keepBaseline(): void {
  baseline.value = profiles.value;
}

export function forgetBaseline(): void {
  baseline.value = undefined;
}

/** One operator a line, for tools that read streams. */
export function jsonLines({ operators }: ProfileReport): string {
  return `${operators.map((row) => JSON.stringify(row)).join('\n')}\n`;
}

export function profileFile(format: ProfileFormat | 'jsonl'): string | undefined {
  const shown = report.value;
  if (!shown) return undefined;
  return format === 'jsonl' ? jsonLines(shown) : shown.files[format];
}

/** For automation. */
export function profileReport(): Record<string, unknown> | null {
  const shown = profiles.value;
  if (!shown) return null;
  const summary = ({ runs, nanoseconds, operators, droppedCalls }: ProfileReport) =>
    ({ runs, nanoseconds, operators, droppedCalls });
  return { function: shown.function, cold: summary(shown.cold), warm: summary(shown.warm) };
}
