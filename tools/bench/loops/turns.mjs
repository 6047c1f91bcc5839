// SPDX-License-Identifier: Apache-2.0
// Functions timed in turns, so that a busy machine disturbs them alike.

export const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];

/** Milliseconds per call of each function, one list per function with an entry per round. */
export function turns(functions, { calls, rounds }) {
  const times = functions.map(() => []);
  for (let round = 0; round < rounds; ++round) {
    functions.forEach((f, i) => {
      const start = performance.now();
      for (let call = 0; call < calls; ++call) f();
      times[i].push((performance.now() - start) / calls);
    });
  }
  return times;
}
