// SPDX-License-Identifier: Apache-2.0
// ONNX models small enough to write by hand: one float vector through a chain of operators.

const utf8 = new TextEncoder();

function varint(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return [...bytes, rest];
    bytes.push((rest % 128) | 128);
  }
}

const number = (field: number, value: number): number[] => [...varint(field * 8), ...varint(value)];
const bytes = (field: number, value: readonly number[]): number[] =>
  [...varint(field * 8 + 2), ...varint(value.length), ...value];
const text = (field: number, value: string): number[] => bytes(field, [...utf8.encode(value)]);

/** ValueInfoProto: a tensor of float32 with one dimension. */
function valueInfo(name: string, extent: number): number[] {
  const dimension = bytes(1, number(1, extent));
  const tensor = [...number(1, 1), ...bytes(2, dimension)];
  return [...text(1, name), ...bytes(2, bytes(1, tensor))];
}

/** A model that passes `x` of `extent` elements through the operators, in order, to `y`. */
export function chainModel(operators: readonly string[], extent = 4): Uint8Array {
  const names = ['x', ...operators.slice(1).map((_, i) => `t${i}`), 'y'];
  const nodes = operators.flatMap((operator, i) => bytes(1, [
    ...text(1, names[i]!), ...text(2, names[i + 1]!), ...text(3, `${operator}_${i}`),
    ...text(4, operator),
  ]));
  const graph = [
    ...nodes, ...text(2, 'chain'), ...bytes(11, valueInfo('x', extent)),
    ...bytes(12, valueInfo('y', extent)),
  ];
  const opset = [...text(1, ''), ...number(2, 13)];
  return new Uint8Array([...number(1, 7), ...bytes(7, graph), ...bytes(8, opset)]);
}
