// SPDX-License-Identifier: Apache-2.0
// Programs of the gallery that are too long for a file: written when they are opened.

const kFunctions = 100;
const kEach = 100;

/** 10 000 instructions: a hundred functions, each of which calls the next. */
function tenThousand(): string {
  const functions = Array.from({ length: kFunctions }, (_, f) => {
    const isLast = f === kFunctions - 1;
    const name = f === 0 ? 'main' : `step_${f}`;
    const count = kEach - (isLast ? 1 : 2);
    const body = Array.from({ length: count }, (__, i) =>
      (i % 3 === 2 ? `  sub   %0, ${f + i} dst: %0` : `  add   %0, ${(7 * f + i) % 97} dst: %0`));
    const call = isLast ? [] : [`  invoke @step_${f + 1} in: %0 dst: %0`];
    return [`.func @${name}(x: int) -> int`, ...body, ...call, '  ret   ret %0', ''].join('\n');
  });
  return `; Ten thousand instructions, and no loop: what the panes make of a long program.\n${
    functions.join('\n')}`;
}

/** By file name. */
export const kGenerated: Readonly<Record<string, () => string>> = {
  'ten_thousand.tasm': tenThousand,
};
