// SPDX-License-Identifier: Apache-2.0
// A state that is one object in one signal, seen member by member.
import { computed, type ReadonlySignal } from '@preact/signals';

/**
 * The state, of which whoever reads a member is told when that member has changed, and not when
 * another has. Its members are those that it has now.
 */
export function membersOf<State extends object>(state: ReadonlySignal<State>): Readonly<State> {
  const members = {} as State;
  for (const key of Object.keys(state.peek()) as (keyof State)[]) {
    const member = computed(() => state.value[key]);
    Object.defineProperty(members, key, { enumerable: true, get: () => member.value });
  }
  return members;
}
