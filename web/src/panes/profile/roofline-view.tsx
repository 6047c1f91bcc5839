// SPDX-License-Identifier: Apache-2.0
// Operators below what the machine does at best: a circle where memory is the limit, a square where
// computing is, with a number by time; arrows go from one to the next.
import { useState } from 'preact/hooks';
import { colourIndex } from '../../model/flame.js';
import { formatCount } from '../../model/format.js';
import { beside, formatRate, kPlot, type Roofline, type RoofMark } from '../../model/roofline.js';
import { picked, profiles, roofline } from '../../state/profile.js';
import { type Column, DataTable } from '../../widgets/data-table.js';
import { Disclosure } from '../../widgets/disclosure.js';
import { SavePicture } from '../../widgets/save-picture.js';

/** Numbers beside more marks would lie over each other; the table has all. */
const kMostNumbers = 9;

const percent = (share: number): string => `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;

const reached = ({ operations, roof }: RoofMark): number | undefined =>
  (roof === undefined ? undefined : operations / roof);

function words(mark: RoofMark): string {
  const { operator, operations, bytes, intensity, share, limit } = mark;
  const part = reached(mark);
  return `${operator.name} of ${operator.shapes}: ${formatRate(operations)} Gop/s, ${
    formatRate(bytes)} GB/s, ${formatRate(intensity)} op/byte, ${percent(share)} of the time${
    part === undefined ? '' : `, ${percent(part)} of what ${limit} allows`}`;
}

function Axes({ xTicks, yTicks }: Roofline) {
  const { width, height, left, right, top, bottom } = kPlot;
  const base = height - bottom;
  return (
    <>
      {xTicks.map(({ at, text }) => (
        <g key={text}>
          <line class="grid-line" x1={at} x2={at} y1={top} y2={base} />
          <text x={at} y={base + 15} text-anchor="middle">{text}</text>
        </g>
      ))}
      {yTicks.map(({ at, text }) => (
        <g key={text}>
          <line class="grid-line" x1={left} x2={width - right} y1={at} y2={at} />
          <text x={left - 6} y={at + 4} text-anchor="end">{text}</text>
        </g>
      ))}
      <text x={(left + width - right) / 2} y={height - 6} text-anchor="middle">
        operations for a byte
      </text>
      <text
        x="12" y={(top + base) / 2} text-anchor="middle"
        transform={`rotate(-90 12 ${(top + base) / 2})`}
      >
        Gop/s
      </text>
    </>
  );
}

function Roof({ roof }: Roofline) {
  const machine = profiles.value?.machine;
  const [first, ridge, last] = roof;
  if (!machine || !first || !ridge || !last) return null;
  return (
    <>
      <polyline class="roof" points={roof.map(([x, y]) => `${x},${y}`).join(' ')} />
      <text class="roof-name" x={last[0]} y={last[1] - 5} text-anchor="end">
        {formatRate(machine.operations)} Gop/s
      </text>
      <text class="roof-name" x={(first[0] + ridge[0]) / 2 + 8} y={(first[1] + ridge[1]) / 2 + 12}>
        {formatRate(machine.bytes)} GB/s
      </text>
    </>
  );
}

function Mark({ mark, isAt, onPick }: { mark: RoofMark; isAt: boolean; onPick: () => void }) {
  const { operator: { name }, rank, limit, radius, x, y } = mark;
  const classes = ['operator-mark', `swatch-fill-${colourIndex(name)}`, isAt ? 'at' : '',
    picked.value === name ? 'picked-mark' : ''];
  const shape = { class: classes.join(' '), onClick: onPick };
  const title = <title>{words(mark)}</title>;
  return (
    <g data-limit={limit} data-operator={name}>
      {limit === 'computing' ? (
        <rect
          {...shape} x={x - radius} y={y - radius} width={2 * radius} height={2 * radius}
        >
          {title}
        </rect>
      ) : <circle {...shape} cx={x} cy={y} r={radius}>{title}</circle>}
      {rank <= kMostNumbers ? (
        <text class="mark-number" x={x + radius + 3} y={y + 4}>{rank}</text>
      ) : null}
    </g>
  );
}

function Plot({ shown, label }: { shown: Roofline; label: string }) {
  const [at, setAt] = useState(0);
  const { marks } = shown;
  const current = marks[Math.min(at, marks.length - 1)];
  const go = (i: number): void => {
    setAt(i);
    picked.value = marks[i]?.operator.name;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const here = Math.min(at, marks.length - 1);
    if (event.key === 'ArrowRight') go(beside(marks, here, 1));
    else if (event.key === 'ArrowLeft') go(beside(marks, here, -1));
    // By time: up to what takes more of it.
    else if (event.key === 'ArrowDown') go(Math.min(here + 1, marks.length - 1));
    else if (event.key === 'ArrowUp') go(Math.max(here - 1, 0));
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <>
      <div
        class="roofline" tabIndex={0} role="application" aria-roledescription="roofline plot"
        aria-label="Operators; left and right move by operations for a byte, up and down by time"
        aria-describedby="roofline-mark" data-testid="roofline" onKeyDown={onKeyDown}
      >
        <svg
          class="roofline-picture" viewBox={`0 0 ${kPlot.width} ${kPlot.height}`} role="img"
          data-testid="roofline-picture" aria-label={label}
        >
          <Axes {...shown} />
          <Roof {...shown} />
          {marks.map((mark, i) => (
            <Mark key={i} mark={mark} isAt={mark === current} onPick={() => go(i)} />
          ))}
        </svg>
      </div>
      <p id="roofline-mark" class="detail mono" aria-live="polite" data-testid="roofline-mark">
        {current ? `${current.rank}. ${words(current)}` : null}
      </p>
    </>
  );
}

const kColumns: readonly Column<RoofMark>[] = [
  { title: 'operator', value: ({ operator }) => operator.name },
  { title: 'by time', class: 'number', value: ({ rank }) => rank },
  { title: 'share', class: 'number', value: ({ share }) => share,
    cell: ({ share }) => percent(share) },
  { title: 'op/byte', class: 'number', value: ({ intensity }) => intensity,
    cell: ({ intensity }) => formatRate(intensity) },
  { title: 'Gop/s', class: 'number', value: ({ operations }) => operations,
    cell: ({ operations }) => formatRate(operations) },
  { title: 'GB/s', class: 'number', value: ({ bytes }) => bytes,
    cell: ({ bytes }) => formatRate(bytes) },
  { title: 'roof, Gop/s', class: 'number', value: ({ roof }) => roof,
    cell: ({ roof }) => formatRate(roof) },
  { title: 'of the roof', class: 'number', value: reached,
    cell: (mark) => (mark.roof === undefined ? '–' : percent(reached(mark)!)) },
  { title: 'limit', value: ({ limit }) => limit, cell: ({ limit }) => limit ?? '–' },
  { title: 'arguments', value: ({ operator }) => operator.shapes },
];

/** What is not in the plot, and why. */
function Missing({ marks, left }: Roofline) {
  const machine = profiles.value?.machine;
  return (
    <>
      {machine ? null : (
        <p class="hint">Without a roof: what this machine does at best could not be measured.</p>
      )}
      {left > 0 && marks.length > 0 ? (
        <p class="hint">
          {formatCount(left, 'row')} of the operators’ table stand for no known work, and are not
          drawn.
        </p>
      ) : null}
    </>
  );
}

export function RooflineView() {
  const shown = roofline.value;
  const machine = profiles.value?.machine;
  if (shown.marks.length === 0)
    return <p class="hint">No operator of this profile has known operations, bytes and time.</p>;
  const roof = machine
    ? `below ${formatRate(machine.operations)} Gop/s and ${formatRate(machine.bytes)} GB/s`
    : 'without a roof';
  const label = `Roofline of ${formatCount(shown.marks.length, 'operator')}, ${roof}`;
  return (
    <>
      <Plot shown={shown} label={label} />
      <p class="hint">
        The larger a mark, the more time. Circles: memory is the limit; squares: computing is. The
        line is what this machine does at best.
      </p>
      <Missing {...shown} />
      <SavePicture name="roofline" title="Roofline" selector=".roofline-picture" about={label} />
      <Disclosure summary="View as table" testid="roofline-as-table">
        {() => (
          <DataTable
            name="roofline-table" label="The roofline as a table" rows={shown.marks}
            columns={kColumns} bare
            row={({ operator: { name } }) => ({ class: picked.value === name ? 'picked' : '' })}
          />
        )}
      </Disclosure>
    </>
  );
}
