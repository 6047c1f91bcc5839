// SPDX-License-Identifier: Apache-2.0
// Where jumps lead, as lines beside the code. The rows say the same in words ("→ 12").
import { type Arrow, kLanes } from '../../model/bytecode-view.js';

const kWidth = 26;
const kHeight = 28;
const kLaneWidth = 5;

// Arrows beyond the last lane share it.
const x = (lane: number): number => kWidth - 6 - kLaneWidth * Math.min(lane, kLanes - 1);

/** The piece of one arrow that a row shows. */
function piece({ from, to, lane }: Arrow, pc: number): string {
  const middle = kHeight / 2;
  // An arrow is drawn row by row, since rows out of sight are not there.
  const [low, high] = from < to ? [from, to] : [to, from];
  const top = pc === low ? middle : 0;
  const bottom = pc === high ? middle : kHeight;
  const down = `M${x(lane)} ${top}V${bottom}`;
  if (pc === from) return `${down}M${x(lane)} ${middle}H${kWidth}`;
  if (pc !== to) return down;
  const head = `M${kWidth - 4} ${middle - 3}L${kWidth - 1} ${middle}L${kWidth - 4} ${middle + 3}`;
  return `${down}M${x(lane)} ${middle}H${kWidth - 1}${head}`;
}

export function Gutter({ pc, arrows }: { pc: number; arrows: readonly Arrow[] }) {
  if (arrows.length === 0) return null;
  return (
    <svg width={kWidth} height={kHeight} aria-hidden="true" focusable="false">
      {arrows.map((arrow, i) => (
        <path key={i} class={arrow.to < arrow.from ? 'arrow up' : 'arrow'} d={piece(arrow, pc)} />
      ))}
    </svg>
  );
}
