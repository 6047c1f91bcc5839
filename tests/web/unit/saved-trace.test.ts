// SPDX-License-Identifier: Apache-2.0
// Records of runs as files: which of them the page runs again, and what it says of the others.
import type { TraceContents, Value } from 'tern-runtime';
import { describe, expect, it } from 'vitest';
import { looksLikeTrace } from '../../../web/src/model/file-kind.js';
import { InputError } from '../../../web/src/model/inputs.js';
import { callOf, isOf } from '../../../web/src/model/saved-trace.js';

const kFunctions = [{ name: 'main', first: 0, count: 3 }];

const recordOf = (change: Partial<TraceContents>): TraceContents =>
  ({ first: 0, end: 3, functions: kFunctions, call: { function: 'main', args: [] }, ...change });

const withArguments = (...args: Value[]): TraceContents =>
  recordOf({ call: { function: 'main', args } });

function refusal(contents: TraceContents): InputError {
  try {
    callOf('a.terntrace', contents);
  } catch (error) {
    if (error instanceof InputError) return error;
    throw error;
  }
  throw new Error('it was not refused');
}

describe('records of runs', () => {
  it('are told by their mark', () => {
    const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
    expect(looksLikeTrace(bytes('TERNTRC1 and more'))).toBe(true);
    expect(looksLikeTrace(bytes('TERNTRC'))).toBe(false);
    expect(looksLikeTrace(bytes('TERNEXEC'))).toBe(false);
  });

  it('say what their run began with', () => {
    const shared = [1, 'x'];
    const args = [4, [shared, shared], new Map<Value, Value>([['key', shared]])];
    expect(callOf('a', withArguments(...args))).toEqual({ function: 'main', args });
  });

  it('are refused where their arguments would be copied without end', () => {
    // Each list has the one before it twice: the last would have two to the power of 40 items.
    let doubled: Value = [1];
    for (let i = 0; i < 40; i++) doubled = [doubled, doubled];
    const { code, message } = refusal(withArguments(doubled));
    expect(code).toBe('E0604');
    expect(message).toContain('more than 1000000 parts');
    const keyed = new Map<Value, Value>([['key', doubled]]);
    expect(refusal(withArguments(keyed)).message).toContain('parts');
  });

  it('are refused without their beginning, and where they are too long', () => {
    const { call, ...rest } = recordOf({});
    expect(call).toBeDefined();
    expect(refusal(rest).message).toContain('the beginning of its run');
    expect(refusal(recordOf({ first: 5 })).message).toContain('the beginning of its run');
    expect(refusal(recordOf({ end: 2_000_000 })).message).toContain('2000000 steps');
  });

  it('belong to a program of the same functions at the same places', () => {
    expect(isOf(kFunctions, kFunctions)).toBe(true);
    expect(isOf(kFunctions, [{ name: 'main', first: 0, count: 4 }])).toBe(false);
    expect(isOf(kFunctions, [])).toBe(false);
  });
});
