// SPDX-License-Identifier: Apache-2.0
// What is drawn anew, and what is left alone: members of a state, rows with the same props.
import { effect, signal } from '@preact/signals';
import { describe, expect, it } from 'vitest';
import { membersOf } from '../../../web/src/state/members.js';
import { whenChanged } from '../../../web/src/widgets/when-changed.js';

interface State {
  steps: number;
  program: { name: string } | undefined;
}

describe('members of a state', () => {
  const begin = (): State => ({ steps: 0, program: undefined });

  it('tell who reads them of their own changes alone', () => {
    const state = signal(begin());
    const members = membersOf(state);
    const seen: (string | undefined)[] = [];
    const end = effect(() => {
      seen.push(members.program?.name);
    });
    state.value = { ...state.value, steps: 1 };
    const program = { name: 'digits' };
    state.value = { ...state.value, program };
    state.value = { steps: 2, program };
    end();
    state.value = begin();
    expect(seen).toEqual([undefined, 'digits']);
    expect({ ...members }).toEqual(begin());
  });

  it('are told of in each effect, also of several at once', () => {
    const state = signal(begin());
    const { steps } = membersOf(state);
    expect(steps).toBe(0);
    const members = membersOf(state);
    let count = 0;
    const end = effect(() => {
      count++;
      return void [members.steps, members.program];
    });
    state.value = { steps: 1, program: { name: 'x' } };
    end();
    expect(count).toBe(2);
  });

  it('cannot be set', () => {
    const members = membersOf(signal(begin())) as State;
    expect(() => {
      members.steps = 3;
    }).toThrow(TypeError);
  });
});

describe('a component that is drawn when it has changed', () => {
  const Row = whenChanged(({ text }: { text: string; at?: number }) => text);
  const isDrawn = (before: object, after: object): boolean =>
    new Row(before as { text: string }).shouldComponentUpdate(after as { text: string });

  it('is left alone where its props are the same', () => {
    expect(isDrawn({ text: 'a', at: 1 }, { at: 1, text: 'a' })).toBe(false);
    expect(isDrawn({ text: 'a', at: NaN }, { text: 'a', at: NaN })).toBe(false);
    expect(new Row({ text: 'a' }).render()).toBe('a');
  });

  it('is drawn for one that is another, more, or gone', () => {
    expect(isDrawn({ text: 'a' }, { text: 'b' })).toBe(true);
    expect(isDrawn({ text: 'a' }, { text: 'a', at: 1 })).toBe(true);
    expect(isDrawn({ text: 'a', at: 1 }, { text: 'a' })).toBe(true);
  });
});
