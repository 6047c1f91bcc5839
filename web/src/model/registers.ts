// SPDX-License-Identifier: Apache-2.0
// Register rows: a step of the record as a table, with what the instruction before it changed.
import type { DebugState } from 'tern-runtime';
import { formatBytes, formatNumber, formatShape } from './format.js';

export interface RegisterRow {
  index: number;
  name: string;
  /** "tensor", "int", "none", …: as the machine says. */
  kind: string;
  type: string;
  value: string;
  changed: boolean;
  empty: boolean;
}

/** The machine's JSON of a value (object/graph/print.h), as far as rows use it. */
interface ValueJson {
  kind?: string;
  dtype?: string;
  shape?: number[];
  value?: unknown;
  text?: string;
  size?: number;
  min?: number;
  mean?: number;
  max?: number;
  nan?: number;
  inf?: number;
  elements?: unknown[];
}

const kBits: Record<string, number> = {
  f64: 64, i64: 64, u64: 64, f32: 32, i32: 32, u32: 32, f16: 16, bf16: 16, i16: 16, u16: 16,
  i8: 8, u8: 8, bool: 8,
};
const kInline = 4;

function plain(value: unknown): string {
  if (typeof value === 'number') return formatNumber(value);
  return Array.isArray(value) ? formatShape(value.map(plain)) : String(value);
}

function typeOf({ kind, dtype, shape, size }: ValueJson): string {
  if (kind === 'tensor') return `${dtype}${formatShape(shape ?? [])}`;
  return size === undefined ? (kind ?? 'none') : `${kind} of ${size}`;
}

function oddities({ nan = 0, inf = 0 }: ValueJson): string {
  return (nan > 0 ? ` · ${nan} NaN` : '') + (inf > 0 ? ` · ${inf} ∞` : '');
}

function shortTensor(value: ValueJson): string {
  const count = (value.shape ?? []).reduce((a, b) => a * b, 1);
  if (count <= kInline && value.elements) return value.elements.map(plain).join(', ');
  const size = formatBytes((count * (kBits[value.dtype ?? ''] ?? 8)) / 8);
  const { min, mean, max } = value;
  if (min === undefined || mean === undefined || max === undefined) return size + oddities(value);
  const range = `${formatNumber(min)} … ${formatNumber(max)}, mean ${formatNumber(mean)}`;
  return `${range} · ${size}${oddities(value)}`;
}

function shortValue(value: ValueJson): string {
  if (value.kind === 'tensor') return shortTensor(value);
  if (value.value !== undefined) return plain(value.value);
  return value.text ?? '';
}

type RegisterState = DebugState['frames'][number]['registers'][number];

function toRow(register: RegisterState): RegisterRow {
  const value = register.value as ValueJson;
  const kind = value.kind ?? 'none';
  return {
    index: register.index,
    name: register.name ?? '',
    kind,
    type: typeOf(value),
    value: shortValue(value),
    changed: register.changed,
    empty: kind === 'none',
  };
}

/** The registers of a frame, by default of the innermost. */
export function registerRows(
  state: Pick<DebugState, 'frames'> | undefined, frame = 0,
): RegisterRow[] {
  return (state?.frames[frame]?.registers ?? []).map(toRow);
}
