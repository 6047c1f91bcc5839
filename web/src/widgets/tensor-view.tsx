// SPDX-License-Identifier: Apache-2.0
// A value in full: numbers as they are, short vectors as bars, everything else as a heatmap along
// two of its axes, with a table twin.
import { isTensor, type Tensor, type Value } from 'tern-runtime';
import { useMemo, useState } from 'preact/hooks';
import { formatCount, formatNumber, formatShape } from '../model/format.js';
import {
  type Axes, axesOf, heatmap, pictureRatio, type Slice, sliceCount, sliceName, sliceOf,
} from '../model/tensors.js';
import { Disclosure } from './disclosure.js';
import { NumberTable } from './number-table.js';
import { Pixels } from './pixels.js';

// More than that is read faster as a picture.
const kMaxBars = 32;
// Of a picture that is made while the page waits.
const kMostCells = 1 << 20;

function Bars({ slice, name }: { slice: Slice; name: string }) {
  // All zeros have no longest bar.
  const most = Math.max(Math.abs(slice.low), Math.abs(slice.high)) || 1;
  return (
    <table class="bars">
      <caption class="visually-hidden">{name}</caption>
      <tbody>
        {Array.from(slice.values, (value, i) => (
          <tr key={i}>
            <th scope="row">{i}</th>
            <td class="track" aria-hidden="true">
              <span
                class={value < 0 ? 'bar negative' : 'bar'}
                style={{ width: `${(100 * Math.abs(value)) / most || 0}%` }}
              />
            </td>
            <td class="number">{formatNumber(value)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface View {
  axes: Axes;
  slice: number;
}

function ViewPicker({ tensor, view, onView }: {
  tensor: Tensor; view: View; onView: (view: View) => void;
}) {
  const choices = axesOf(tensor);
  const count = sliceCount(tensor, view.axes);
  const name = sliceName(tensor, view.axes, view.slice);
  if (choices.length === 1 && count === 1) return null;
  return (
    <div class="slice">
      <select
        aria-label="Axes shown, down and across" data-testid="axes" value={view.axes.row}
        onChange={(event) => {
          const axes = choices.find(({ row }) => row === Number(event.currentTarget.value));
          // Slices of other axes are others, so their number means nothing here.
          if (axes) onView({ axes, slice: 0 });
        }}
      >
        {choices.map(({ row, column }) => (
          <option key={row} value={row}>axes {row} × {column}</option>
        ))}
      </select>
      <label>
        <code>{name}</code>
        <input
          type="range" min={0} max={count - 1} value={view.slice} data-testid="slice"
          aria-valuetext={`${name}, ${view.slice + 1} of ${count}`} aria-label="Slice"
          onInput={(event) => onView({ ...view, slice: event.currentTarget.valueAsNumber })}
        />
      </label>
    </div>
  );
}

// Its bar of colours has no words: the numbers at its ends say it all.
function Scale({ low, high }: Slice) {
  return (
    <div class="scale">
      <span>{formatNumber(low)}</span>
      <i aria-hidden="true" />
      <span>{formatNumber(high)}</span>
    </div>
  );
}

function Picture({ tensor, name, view }: { tensor: Tensor; name: string; view: View }) {
  const { axes, slice: number } = view;
  const slice = useMemo(() => sliceOf(tensor, axes, number), [tensor, axes.row, number]);
  const pixels = useMemo(() => heatmap(slice), [slice]);
  const { rows, columns, low, high } = slice;
  if (rows === 1 && columns <= kMaxBars) return <Bars slice={slice} name={name} />;
  const title = `${name} ${sliceName(tensor, axes, number)}`;
  const range = `${formatNumber(low)} to ${formatNumber(high)}`;
  const label = `Heatmap of ${title}, ${rows} × ${columns}, ${range}`;
  return (
    <>
      <Pixels
        width={columns} height={rows} pixels={pixels} label={label} testid="heatmap"
        ratio={pictureRatio(slice)}
      />
      <Scale {...slice} />
      <Disclosure summary="View as table" testid="heatmap-table">
        {() => <NumberTable name="slice-table" caption={title} {...slice} />}
      </Disclosure>
    </>
  );
}

function TensorView({ tensor, name }: { tensor: Tensor; name: string }) {
  const [wanted, setWanted] = useState<View>();
  if (tensor.data.length === 0) return <p class="hint">no elements</p>;
  const choices = axesOf(tensor);
  // What was chosen for another tensor holds as far as this one has it too.
  const axes = choices.find(({ row }) => row === wanted?.axes.row) ?? choices[0]!;
  const cells = (tensor.shape[axes.row] ?? 1) * (tensor.shape[axes.column] ?? 1);
  if (cells > kMostCells) {
    return (
      <p class="hint">
        {formatCount(cells, 'element')} are too many for a picture here. Pick the register that
        holds them: the <b>Inspector</b> shows it in parts.
      </p>
    );
  }
  const slice = Math.min(wanted?.slice ?? 0, sliceCount(tensor, axes) - 1);
  const view = { axes, slice };
  return (
    <>
      <ViewPicker tensor={tensor} view={view} onView={setWanted} />
      <Picture tensor={tensor} name={name} view={view} />
    </>
  );
}

export function ValueView({ name, value }: { name: string; value: Value }) {
  if (Array.isArray(value)) {
    return (
      <>
        {value.map((item, i) => <ValueView key={i} name={`${name}.${i}`} value={item} />)}
      </>
    );
  }
  const type = isTensor(value) ? `${value.dtype}${formatShape(value.shape)}` : '';
  return (
    <div class="value-view" data-testid={`value-${name}`}>
      <h3><code>{name}</code> <span class="detail">{type}</span></h3>
      {isTensor(value)
        ? <TensorView tensor={value} name={name} />
        : <p class="number">{value === null ? 'none' : String(value)}</p>}
    </div>
  );
}
