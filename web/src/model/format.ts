// SPDX-License-Identifier: Apache-2.0
// Numbers, sizes and types as short text.
import type { Parameter } from 'tern-runtime';

const kByteUnits = ['KiB', 'MiB', 'GiB', 'TiB'];

export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  let value = bytes / 1024;
  let unit = 0;
  while (value >= 1024 && unit < kByteUnits.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${value >= 100 ? value.toFixed(0) : value.toFixed(1)} ${kByteUnits[unit]}`;
}

/** Four significant digits, with a real minus sign. */
export function formatNumber(value: number | bigint): string {
  if (typeof value === 'bigint') return String(value).replace('-', '−');
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '∞' : '−∞';
  if (Object.is(value, -0)) return '−0';
  const whole = Number.isInteger(value) && Math.abs(value) < 1e7;
  const text = whole ? String(value) : value.toPrecision(4).replace(/\.?0+(e|$)/, '$1');
  return text.replaceAll('-', '−');
}

export function formatMilliseconds(ms: number): string {
  if (ms < 1) return `${(ms * 1000).toFixed(0)} µs`;
  if (ms < 1000) return ms < 100 ? `${ms.toFixed(1)} ms` : `${ms.toFixed(0)} ms`;
  return `${(ms / 1000).toFixed(1)} s`;
}

export function formatNanoseconds(ns: number): string {
  return ns < 1000 ? `${ns.toFixed(0)} ns` : formatMilliseconds(ns / 1e6);
}

export function formatShape(shape: readonly (number | string)[]): string {
  return `[${shape.join(', ')}]`;
}

export function formatType({ type, dtype, shape }: Partial<Parameter>): string {
  return type ?? (dtype && shape ? dtype + formatShape(shape) : 'any');
}

/** Digits in groups of three; the engine's own way to group them takes several times as long. */
export function formatWhole(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, '\u202f');
}

/** "1 row", "2 rows", "12 000 rows". */
export function formatCount(count: number, noun: string, nouns = `${noun}s`): string {
  return `${formatWhole(count)} ${count === 1 ? noun : nouns}`;
}
