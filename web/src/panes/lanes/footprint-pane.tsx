// SPDX-License-Identifier: Apache-2.0
// What one iteration touches of memory, in cache lines: the picked one, or the last.
import { footprintOf, type FootprintStream } from '../../model/footprint.js';
import { kStrategyWords, partName, rowAt, rowsOf } from '../../model/lanes.js';
import { lanesNow, runOf } from '../../state/lanes.js';
import { DataTable } from '../../widgets/data-table.js';
import { Disclosure } from '../../widgets/disclosure.js';
import { Pane } from '../pane.js';

/** Pixels of a line of memory, with the gap behind it. */
const kCell = 10;

/** The picture is hidden from screen readers: the text beside it and the table say the same. */
function Lines({ stream }: { stream: FootprintStream }) {
  const width = Math.max(stream.cells.length, 1) * kCell;
  return (
    <svg class="lines" viewBox={`0 0 ${width} 18`} width={width} height="18" aria-hidden="true">
      {stream.cells.map(({ line, touched }, i) => (
        <rect
          key={line} class={touched ? 'line-touched' : 'line-free'} x={i * kCell + 1} y="2"
          width={kCell - 2} height="14"
        />
      ))}
    </svg>
  );
}

// One access of the iteration: which buffer it reads or writes, with the lines around those it
// touches.
function Stream({ stream }: { stream: FootprintStream }) {
  const { name, op, bytes, masked, lines, before, after } = stream;
  return (
    <div class="stream">
      <span class="mono">{op} {name}</span>
      <span class="strip-of-lines">
        {before > 0 ? <span class="detail">{before} …</span> : null}
        <Lines stream={stream} />
        {after > 0 ? <span class="detail">… {after}</span> : null}
      </span>
      <span class="detail">
        {bytes} B in {lines} {lines === 1 ? 'line' : 'lines'}{masked > 0 ? `, ${masked} B off` : ''}
      </span>
    </div>
  );
}

/** Numbers of lines within the buffer, from 0. */
const touched = ({ cells }: FootprintStream): string =>
  cells.filter((cell) => cell.touched).map(({ line }) => line).join(', ') || 'none';

function Table({ streams }: { streams: readonly FootprintStream[] }) {
  return (
    <DataTable
      name="footprint-table" label="Cache lines as a table" rows={streams} bare
      columns={[
        { title: 'access', value: ({ op, name }) => `${op} ${name}` },
        { title: 'bytes', class: 'number', value: ({ bytes }) => bytes },
        { title: 'masked off', class: 'number', value: ({ masked }) => masked },
        { title: 'lines', value: touched },
      ]}
    />
  );
}

export function FootprintPane() {
  // Where no cell is picked, the strategy is that of the Stages pane.
  const { cursor, strategy } = lanesNow;
  const name = cursor?.strategy ?? strategy;
  const run = runOf(name);
  // Cache lines are those of one iteration, which a row that stands for several is not: then the
  // last single one is taken.
  const row = (cursor && rowAt(run, cursor.k)) ?? rowsOf(run).filter((r) => r.folded === 1).at(-1);
  const note = row
    ? `${kStrategyWords[name].letter}, iteration ${row.k} (${partName(row, name)})` : null;
  const streams = row ? footprintOf(row, run?.buffers ?? []) : [];
  return (
    <Pane id="footprint" title="Cache lines" note={note}>
      <div class="scroll padded" tabIndex={0} role="group" aria-label="Cache lines of an iteration">
        {streams.map((stream, i) => <Stream key={i} stream={stream} />)}
        {row ? (
          <Disclosure summary="As a table" testid="footprint-as-table">
            {() => <Table streams={streams} />}
          </Disclosure>
        ) : <p class="hint">No iteration runs.</p>}
      </div>
    </Pane>
  );
}
