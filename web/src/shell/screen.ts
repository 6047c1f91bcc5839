// SPDX-License-Identifier: Apache-2.0
// How wide the window is, as far as the layout cares: three columns, two, or one pane.
import { signal } from '@preact/signals';

export const kNarrow = '(max-width: 719px)';

const query = globalThis.matchMedia?.(kNarrow);
export const isNarrow = signal(query?.matches ?? false);
query?.addEventListener('change', ({ matches }) => {
  isNarrow.value = matches;
});
