// SPDX-License-Identifier: Apache-2.0
// Registers over time as bars: one for each value, from the step that wrote it to its end.
import type { LifetimesView, VersionEnd } from 'tern-runtime';
import { formatBytes } from './format.js';

export interface Bar {
  readonly register: number;
  /** Of the register's values, from 1. */
  readonly number: number;
  readonly defined: number;
  readonly lastUse: number;
  readonly ended: number;
  readonly uses: number;
  readonly definedPc: number;
  readonly endedPc: number;
  readonly end: VersionEnd;
  readonly wasThere: boolean;
  readonly bytes: number;
  readonly kind: string;
  readonly type: string;
}

export function barsOf({ versions: v }: LifetimesView): Bar[] {
  return v.register.map((register, i) => ({
    register, number: v.number[i]!, defined: v.defined[i]!, lastUse: v.lastUse[i]!,
    ended: v.ended[i]!, uses: v.uses[i]!, definedPc: v.definedPc[i]!, endedPc: v.endedPc[i]!,
    end: v.end[i]!, wasThere: v.wasThere[i]!, bytes: v.bytes[i]!, kind: v.kind[i]!,
    type: v.type[i]!,
  }));
}

export type LifetimeOrder = 'register' | 'first' | 'bytes';

/** The registers that held anything, in the order asked for. */
export function rowsOf(view: LifetimesView, bars: readonly Bar[], order: LifetimeOrder): number[] {
  const first = new Map<number, number>();
  const weight = new Map<number, number>();
  for (const { register, defined, ended, bytes } of bars) {
    first.set(register, Math.min(first.get(register) ?? Infinity, defined));
    weight.set(register, (weight.get(register) ?? 0) + bytes * (ended - defined));
  }
  for (const register of view.cells.register) first.set(register, first.get(register) ?? 0);
  const rows = [...first.keys()].sort((a, b) => a - b);
  if (order === 'first') rows.sort((a, b) => first.get(a)! - first.get(b)!);
  if (order === 'bytes') rows.sort((a, b) => (weight.get(b) ?? 0) - (weight.get(a) ?? 0));
  return rows;
}

/** "37 % of byte-steps are dead"; nothing where nothing has bytes. */
export function deadShare({ byteSteps, deadByteSteps }: LifetimesView): string | undefined {
  if (byteSteps === 0) return undefined;
  return `${Math.round((100 * deadByteSteps) / byteSteps)} % of byte-steps are held but dead`;
}

/** "%5·3 f32[4, 128]": the third value of register 5. */
export const barLabel = ({ register, number, type }: Bar): string =>
  `%${register}·${number} ${type}`;

const kEnds: Record<VersionEnd, string> = {
  held: 'is still held', overwritten: 'was overwritten', killed: 'was killed',
  returned: 'went with its frame',
};

/** What a bar says, in words. */
export function barSentence(bar: Bar): string {
  const { defined, lastUse, ended, uses, end, wasThere, bytes } = bar;
  const born = wasThere ? 'was there from the beginning' : `was written by step ${defined}`;
  const read = uses === 0 ? 'was never read'
    : `was read ${uses === 1 ? 'once, by' : `${uses} times, last by`} step ${lastUse}`;
  const died = end === 'held' ? kEnds.held : `${kEnds[end]} at step ${ended}`;
  const idle = ended - lastUse;
  const dead = idle > 1 && bytes > 0 ? `, ${idle} steps after its last use` : '';
  const size = bytes > 0 ? ` (${formatBytes(bytes)})` : '';
  return `${barLabel(bar)}${size} ${born}, ${read} and ${died}${dead}.`;
}
