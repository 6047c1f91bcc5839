// SPDX-License-Identifier: Apache-2.0
// The elements in which two tensors are farthest apart, as the core tells them.
import type { TensorComparison, WorstElement } from 'tern-runtime';
import { formatNumber } from '../model/format.js';

/** "[1, 0, 3]" of a flat position. */
function indexText(flat: number, shape: readonly number[]): string {
  const index = shape.map(() => 0);
  let rest = flat;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    index[axis] = rest % shape[axis]!;
    rest = Math.floor(rest / shape[axis]!);
  }
  return `[${index.join(', ')}]`;
}

const shown = (value: number | string): string =>
  (typeof value === 'number' ? formatNumber(value) : value);

function Worst({ what, worst, shape }: {
  what: string; worst: WorstElement | null; shape: readonly number[] | undefined;
}) {
  return (
    <tr>
      <th scope="row">{what}</th>
      <td class="number">{worst ? shown(worst.value) : '0'}</td>
      <td>{worst && shape ? indexText(worst.index, shape) : null}</td>
      <td class="number">{worst ? shown(worst.a) : null}</td>
      <td class="number">{worst ? shown(worst.b) : null}</td>
    </tr>
  );
}

export function WorstElements({ comparison, shape, names }: {
  comparison: TensorComparison; shape: readonly number[] | undefined;
  names: readonly [string, string];
}) {
  return (
    <table class="listing">
      <thead>
        <tr>
          <th scope="col">largest difference</th><th scope="col" class="number">value</th>
          <th scope="col">at</th>
          {names.map((name) => <th key={name} scope="col" class="number">{name}</th>)}
        </tr>
      </thead>
      <tbody>
        <Worst what="absolute" worst={comparison.maxAbsolute} shape={shape} />
        <Worst what="relative" worst={comparison.maxRelative} shape={shape} />
        <Worst what="ULP" worst={comparison.maxUlps} shape={shape} />
      </tbody>
    </table>
  );
}
