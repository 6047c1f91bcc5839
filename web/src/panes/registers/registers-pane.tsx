// SPDX-License-Identifier: Apache-2.0
// The registers of the innermost frame at the cursor, and what the last step changed.
import { useMemo } from 'preact/hooks';
import type { TensorPicture } from 'tern-runtime';
import { formatBytes } from '../../model/format.js';
import { type RegisterRow, registerRows } from '../../model/registers.js';
import { picturePixels, rangeOf } from '../../model/tensor-picture.js';
import { cursorKey, useRunView } from '../../state/debug.js';
import { inspect, showFrame } from '../../state/runs.js';
import { now } from '../../state/store.js';
import { Pixels } from '../../widgets/pixels.js';
import { whenChanged } from '../../widgets/when-changed.js';
import { Pane } from '../pane.js';

// A list that is still looked through; a recursion may be thousands deep.
const kMostFrames = 200;
/** Of a frame with more tensors, the first ones have pictures. */
const kMostPictures = 64;

interface RowProps extends RegisterRow {
  picked: boolean;
  picture: TensorPicture | undefined;
}

/** What the text beside it sums up: for eyes alone. */
function Picture({ picture }: { picture: TensorPicture }) {
  const { rows, columns } = picture;
  const pixels = useMemo(() => picturePixels(picture, rangeOf(picture), 1), [picture]);
  return <Pixels width={columns} height={rows} pixels={pixels} />;
}

const Row = whenChanged(({ picked, picture, ...row }: RowProps) => {
  const classes = [row.changed && 'changed', row.empty && 'empty', picked && 'picked'];
  return (
    <tr
      class={classes.filter(Boolean).join(' ')}
      data-row-id={row.index}
      data-changed={row.changed}
    >
      <td class="mark">{row.changed ? <abbr title="changed by the last step">Δ</abbr> : null}</td>
      <th scope="row">
        <button
          type="button"
          class="register"
          aria-pressed={picked}
          aria-label={`Show all of register ${row.index}${row.name ? `, ${row.name}` : ''}`}
          onClick={() => inspect(picked ? undefined : row.index)}
        >
          %{row.index}
        </button>
      </th>
      <td class="name" title={row.name}>
        {row.name}
      </td>
      <td class="what">
        {row.empty ? (
          <span class="detail">empty</span>
        ) : (
          <>
            {picture ? <Picture picture={picture} /> : null}
            <span class={`kind kind-${row.kind}`}>{row.type}</span>
            <span class="value">{row.value}</span>
          </>
        )}
      </td>
    </tr>
  );
});

function note(): string | undefined {
  const { machine, before, frame: index } = now;
  const shown = before ?? machine;
  const frame = shown?.frames[index];
  if (!frame) return undefined;
  if (before) return `@${frame.function}, as it was before the return`;
  const depth = shown.frames.length > 1 ? `, depth ${shown.frames.length}` : '';
  return `@${frame.function}${depth} · ${formatBytes(shown.memory.live)} live`;
}

/** Frames of calls that have not returned; the innermost is first. */
function Frames() {
  const { machine, before, frame } = now;
  const frames = (before ?? machine)?.frames ?? [];
  if (frames.length < 2) return null;
  return (
    <label class="frames">
      frame{' '}
      <select
        value={frame}
        data-testid="frames"
        onChange={(event) => showFrame(Number(event.currentTarget.value))}
      >
        {frames.slice(0, kMostFrames).map(({ function: name, pc }, i) => (
          <option key={i} value={i}>
            {i} @{name} pc {pc}
          </option>
        ))}
      </select>
    </label>
  );
}

/** By register. A program without tensors asks for none. */
function usePictures(rows: readonly RegisterRow[]): ReadonlyMap<number, TensorPicture> {
  const { frame } = now;
  const registers = rows.filter(({ kind }) => kind === 'tensor').map(({ index }) => index);
  const query = registers.length > 0
    ? { view: 'thumbnails' as const, registers: registers.slice(0, kMostPictures), frame }
    : undefined;
  const found = useRunView(query, cursorKey());
  return useMemo(
    () => new Map(found?.map(({ register, picture }) => [register, picture])), [found]);
}

export function RegistersPane() {
  const { machine, before, inspected, frame } = now;
  const rows = registerRows(before ?? machine, frame);
  const pictures = usePictures(rows);
  return (
    <Pane id="registers" title="Registers" note={note()} tools={<Frames />}>
      {rows.length === 0 ? (
        <p class="hint padded">
          {machine ? 'The function has no registers.' : 'Step to watch the registers fill.'}
        </p>
      ) : (
        <div class="scroll" tabIndex={0} role="group" aria-label="Register table">
          <table class="registers" data-testid="registers">
            <thead class="visually-hidden">
              <tr>
                <th scope="col">changed</th>
                <th scope="col">register</th>
                <th scope="col">name</th>
                <th scope="col">value</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <Row key={row.index} {...row} picked={inspected?.index === row.index}
                  picture={row.kind === 'tensor' ? pictures.get(row.index) : undefined} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Pane>
  );
}
