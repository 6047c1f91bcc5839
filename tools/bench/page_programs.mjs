// SPDX-License-Identifier: Apache-2.0
// What tools/bench/page loads: programs as long as a measurement needs them.

/** `count` instructions in a row. */
export function straight(count) {
  const lines = Array.from({ length: count - 1 }, () => '  add   %0, 1 dst: %0');
  return `.func @main(x: int) -> int\n${lines.join('\n')}\n  ret   ret %0\n`;
}

/** Never returns: a record of any length can be made of it. */
export const kEndless = `.func @main(x: int) -> int
again:
  add   %0, 1 dst: %0
  goto  again
`;

/** 3 instructions for each of `count` turns. */
export const countingTo = (count) => `.func @main(x: int) -> int
again:
  add   %0, 1 dst: %0
  lt    %0, ${count} dst: %1
  if    %1 true: again false: done
done:
  ret   ret %0
`;

/** A tensor of `extent` × `extent` that is passed on. */
export const square = (extent) => `.func @main(x: f32[${extent}, ${extent}])
  move  %0 dst: %1
  ret   ret %1
`;

/** The palette lists every function. */
export const functions = (count) =>
  Array.from({ length: count }, (_, i) => {
    const name = i === 0 ? 'main' : `function_${i}`;
    return `.func @${name}(x: int) -> int\n  ret   ret %0\n`;
  }).join('\n');

/** A text of the language of `lines` lines. */
export function longText(lines) {
  const body = Array.from({ length: lines - 4 }, (_, i) => `  let v${i + 1} = v${i} + ${i};`);
  return `fn main(v0: int) -> int {\n${body.join('\n')}\n  v${lines - 4}\n}\n`;
}
