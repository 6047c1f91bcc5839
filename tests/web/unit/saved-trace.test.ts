// SPDX-License-Identifier: Apache-2.0
// Records of runs as files: what the page takes from them, and what it refuses, in words that help.
import { describe, expect, it } from 'vitest';
import { looksLikeTrace } from '../../../web/src/model/file-kind.js';
import { InputError } from '../../../web/src/model/inputs.js';
import { isOf, readTrace } from '../../../web/src/model/saved-trace.js';

const kFunctions = [{ name: 'main', first: 0, count: 3 }];

interface Parts { first?: number; steps?: number; json?: unknown; length?: number }

function trace({ first = 0, steps = 3, json, length }: Parts): Uint8Array {
  const text = new TextEncoder().encode(typeof json === 'string' ? json : JSON.stringify(json));
  const bytes = new Uint8Array(40 + text.length);
  bytes.set(new TextEncoder().encode('TERNTRC1'));
  const view = new DataView(bytes.buffer);
  view.setBigUint64(8, BigInt(first), true);
  view.setUint32(16, steps, true);
  view.setUint32(36, length ?? text.length, true);
  bytes.set(text, 40);
  return bytes;
}

function withArguments(nodes: unknown[], values: unknown[]): Uint8Array {
  const root = { kind: 'adt', tag: 0, values };
  const graph = { nodes: [...nodes, root], value: { ref: nodes.length } };
  const call = { function: 'main', arguments: JSON.stringify(graph) };
  return trace({ json: { functions: kFunctions, call } });
}

function refusal(bytes: Uint8Array): InputError {
  try {
    readTrace('a.terntrace', bytes);
  } catch (error) {
    if (error instanceof InputError) return error;
    throw error;
  }
  throw new Error('it was not refused');
}

describe('records of runs', () => {
  it('are told by their mark', () => {
    expect(looksLikeTrace(trace({ json: {} }))).toBe(true);
    expect(looksLikeTrace(new TextEncoder().encode('TERNTRC'))).toBe(false);
    expect(looksLikeTrace(new TextEncoder().encode('TERNEXEC'))).toBe(false);
  });

  it('give function and arguments: numbers, texts, lists and tensors', () => {
    const tensor = { kind: 'tensor', dtype: 'f32', dims: [2], data: 'AACAPwAAAEA=', values: [] };
    const list = { kind: 'list', values: [1, { ref: 0 }] };
    const parts = [4, { float: 2.5 }, { float: '-inf' }, 'x', true, { ref: 0 }, { ref: 1 }];
    const { args, steps, function: name } = readTrace('a', withArguments([tensor, list], parts));
    const made = { dtype: 'f32', shape: [2], data: Float32Array.from([1, 2]) };
    expect(args).toEqual([4, 2.5, -Infinity, 'x', true, made, [1, made]]);
    expect({ steps, name }).toEqual({ steps: 3, name: 'main' });
  });

  it('are refused where they are damaged', () => {
    for (const bytes of [
      trace({ json: 'no json' }), trace({ json: {} }), trace({ json: 'null' }),
      trace({ json: { functions: 3 } }), trace({ json: {}, length: 0xffffffff }),
      new TextEncoder().encode('TERNTRC1'), new TextEncoder().encode(`TERNTRC1${'x'.repeat(60)}`),
    ]) {
      expect(refusal(bytes).code).toBe('E0604');
      expect(refusal(bytes).message).toContain('damaged');
    }
  });

  it('are refused where arguments have more parts than the file has letters', () => {
    // Each list has the one before it twice: the last would have two to the power of 40 items.
    const lists: unknown[] = [{ kind: 'list', values: [1] }];
    for (let i = 0; i < 40; i++) lists.push({ kind: 'list', values: [{ ref: i }, { ref: i }] });
    const { code, message } = refusal(withArguments(lists, [{ ref: 40 }]));
    expect(code).toBe('E0604');
    expect(message).toContain('cannot make');
  });

  it('are refused without their beginning, or with arguments that cannot be made', () => {
    const json = { functions: kFunctions };
    expect(refusal(trace({ json })).message).toContain('the beginning of its run');
    expect(refusal(trace({ json, first: 5 })).message).toContain('the beginning of its run');
    const loop = { kind: 'list', values: [{ ref: 0 }] };
    const odd = { kind: 'tensor', dtype: 'f31', dims: [1], data: '' };
    const torn = { kind: 'tensor', dtype: 'f32', dims: [1], data: '***' };
    for (const node of [loop, odd, torn, { kind: 'closure' }])
      expect(refusal(withArguments([node], [{ ref: 0 }])).message).toContain('arguments');
    expect(refusal(withArguments([], [{ ref: 7 }])).message).toContain('arguments');
    const call = { function: 'main', arguments: '{' };
    const many = trace({ json: { ...json, call }, steps: 2_000_000 });
    expect(refusal(many).message).toContain('2000000 steps');
  });

  it('belong to a program of the same functions at the same places', () => {
    const saved = readTrace('a', withArguments([], []));
    expect(isOf(saved, kFunctions)).toBe(true);
    expect(isOf(saved, [{ name: 'main', first: 0, count: 4 }])).toBe(false);
    expect(isOf(saved, [])).toBe(false);
  });
});
