// SPDX-License-Identifier: Apache-2.0
// Where tensors lie in memory while the program runs: across the bindings of the function, up the
// bytes. A tensor that is picked selects the node that makes it.
import { useEffect } from 'preact/hooks';
import type { PlacedMemory, PlannedFunction } from 'tern-runtime';
import { formatBytes } from '../../model/format.js';
import {
  arrangement, followPlan, kArrangements, pickedTensor, plan, type PlanArrangement, planProblem,
} from '../../state/plan.js';
import { pin } from '../../state/selection.js';
import { now } from '../../state/store.js';
import '../../style/plan.css';
import { DataTable } from '../../widgets/data-table.js';
import { Disclosure } from '../../widgets/disclosure.js';
import { SavePicture } from '../../widgets/save-picture.js';
import { Pane } from '../pane.js';

// Units of the drawing, which is stretched to the pane.
const kWidth = 720;
const kHeight = 220;

interface Placed {
  readonly planned: PlannedFunction;
  readonly at: PlacedMemory;
}

function pick(index: number, at: PlacedMemory): void {
  pickedTensor.value = index;
  const origin = at.tensors[index]?.origin;
  if (origin) pin({ kind: 'node', name: origin });
}

/** What is alive at each binding, as an area: no arrangement can lie below it. */
function LiveArea({ at, highest }: { at: PlacedMemory; highest: number }) {
  const step = kWidth / Math.max(at.liveBy.length, 1);
  // Bytes grow upwards, coordinates of SVG downwards.
  const y = (bytes: number): number => kHeight - (bytes / highest) * kHeight;
  const points = at.liveBy.flatMap((bytes, i) =>
    [`${i * step},${y(bytes)}`, `${(i + 1) * step},${y(bytes)}`]);
  return <polygon class="live" points={`0,${kHeight} ${points.join(' ')} ${kWidth},${kHeight}`} />;
}

/** By `storage`: what the table says, and how the picture draws it. */
const kMemory: Record<number, { text: string; class: string }> = {
  [-1]: { text: 'its own', class: 'own' },
  0: { text: 'arena', class: 'fixed' },
  1: { text: 'arena, placed at entry', class: 'sized' },
};

const boundOf = ({ before, planned, live }: PlacedMemory, how: PlanArrangement): number =>
  ({ planned, alone: before, live })[how];

function Picture({ planned, at }: Placed) {
  const how = arrangement.value;
  // Each arrangement fills the height, so that its gaps are seen; the figures above compare them.
  const highest = Math.max(boundOf(at, how), 1);
  const step = kWidth / Math.max(at.liveBy.length, 1);
  const scale = kHeight / highest;
  return (
    <svg
      class="plan-picture" viewBox={`0 -4 ${kWidth} ${kHeight + 8}`} role="img"
      preserveAspectRatio="none" data-testid="plan-picture"
      aria-label={`${planned.tensors.length} tensors over ${at.liveBy.length} bindings, ${
        formatBytes(highest)} high, ${kArrangements[how]}`}
    >
      <LiveArea at={at} highest={highest} />
      {how === 'live' ? null : planned.tensors.map(({ name, first, last, storage }, i) => {
        const { bytes, base, alone } = at.tensors[i]!;
        const bottom = how === 'alone' ? alone : base;
        // A small tensor is still one line.
        const height = Math.max(bytes * scale, 1);
        const classes = [
          'tensor', kMemory[storage]?.class, pickedTensor.value === i ? 'picked' : '',
        ];
        return (
          <rect
            key={name} class={classes.join(' ')} x={first * step}
            y={kHeight - bottom * scale - height}
            width={Math.max((last - first + 1) * step - 1, 1)} height={height}
            onClick={() => pick(i, at)}
          >
            <title>{name}: {formatBytes(bytes)} at {bottom}</title>
          </rect>
        );
      })}
    </svg>
  );
}

function Table({ planned, at }: Placed) {
  const isPicked = (i: number): boolean => pickedTensor.value === i;
  return (
    <DataTable
      name="plan-table" label="The plan as a table" rows={planned.tensors}
      row={(_, i) => ({ class: isPicked(i) ? 'picked' : '' })}
      columns={[
        { title: 'tensor', value: ({ name }) => name, cell: ({ name }, i) => (
          <button
            type="button" class="small plain" aria-pressed={isPicked(i)}
            onClick={() => pick(i, at)}
          >
            {name}
          </button>
        ) },
        { title: 'type', value: ({ type }) => type },
        { title: 'bytes', class: 'number', value: (_, i) => at.tensors[i]!.bytes },
        { title: 'at', class: 'number', value: (_, i) => at.tensors[i]!.base },
        { title: 'memory', value: ({ storage }) => kMemory[storage]?.text },
        { title: 'from', class: 'number', value: ({ first }) => first },
        { title: 'to', class: 'number', value: ({ last }) => last },
        { title: 'made by', value: (_, i) => at.tensors[i]!.origin },
      ]}
    />
  );
}

function Tools() {
  return (
    <div role="group" aria-label="Arrangement" class="segments">
      {(Object.keys(kArrangements) as PlanArrangement[]).map((name) => (
        <button
          key={name} type="button" class="small" aria-pressed={arrangement.value === name}
          data-testid={`plan-${name}`}
          onClick={() => {
            arrangement.value = name;
          }}
        >
          {kArrangements[name]}
        </button>
      ))}
    </div>
  );
}

function Content({ planned, at }: Placed) {
  const { before, planned: arena, live } = at;
  // Against every tensor having memory of its own.
  const saved = before > 0 ? 100 * (1 - arena / before) : 0;
  return (
    <>
      <p class="detail" data-testid="plan-sums">
        <b>{formatBytes(arena)}</b> planned, {formatBytes(before)} without reuse (
        {saved.toFixed(1)} % saved), {formatBytes(live)} alive at once
      </p>
      <Picture planned={planned} at={at} />
      <SavePicture
        name="plan" title="Memory plan" selector=".plan-picture"
        about={`@${planned.name}: ${kArrangements[arrangement.value]}`}
      />
      <Disclosure summary="View as table" testid="plan-as-table">
        {() => <Table planned={planned} at={at} />}
      </Disclosure>
    </>
  );
}

export function PlanPane() {
  useEffect(followPlan, []);
  const { functionName } = now;
  const planned = plan.value?.functions.find(({ name }) => name === functionName);
  const at = planned?.at;
  return (
    <Pane
      id="plan" title="Memory plan" note={planned ? `@${planned.name}` : null}
      tools={at ? <Tools /> : null}
    >
      <div class="scroll padded" tabIndex={0} role="group" aria-label="Memory plan">
        {planProblem.value ? <p role="alert">{planProblem.value}</p> : null}
        {planned && at ? <Content planned={planned} at={at} /> : (
          <p class="hint">
            {planned
              ? 'Some sizes are known only when it runs.'
              : 'Of ONNX models: where the compiler lays each tensor, and for how long.'}
          </p>
        )}
      </div>
    </Pane>
  );
}
