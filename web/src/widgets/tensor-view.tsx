// SPDX-License-Identifier: Apache-2.0
// A value in full: numbers as they are, short vectors as bars, everything else as a heatmap of the
// last two axes with a table twin.
import { isTensor, type Tensor, type Value } from 'tern-runtime';
import { useMemo, useState } from 'preact/hooks';
import { formatNumber, formatShape } from '../model/format.js';
import { heatmap, type Slice, sliceCount, sliceName, sliceOf } from '../model/tensors.js';
import { Disclosure } from './disclosure.js';
import { NumberTable } from './number-table.js';
import { Pixels } from './pixels.js';

const kMaxBars = 32;

function Bars({ slice, name }: { slice: Slice; name: string }) {
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

function SlicePicker({ tensor, slice, onSlice }: {
  tensor: Tensor; slice: number; onSlice: (slice: number) => void;
}) {
  const count = sliceCount(tensor);
  return (
    <label class="slice">
      slice <code>{sliceName(tensor, slice)}</code>
      <input
        type="range" min={0} max={count - 1} value={slice} data-testid="slice"
        aria-valuetext={`${sliceName(tensor, slice)}, ${slice + 1} of ${count}`}
        onInput={(event) => onSlice(event.currentTarget.valueAsNumber)}
      />
    </label>
  );
}

function Picture({ tensor, name, slice: number }: { tensor: Tensor; name: string; slice: number }) {
  const slice = useMemo(() => sliceOf(tensor, number), [tensor, number]);
  const pixels = useMemo(() => heatmap(slice), [slice]);
  const { rows, columns, low, high } = slice;
  if (rows === 1 && columns <= kMaxBars) return <Bars slice={slice} name={name} />;
  const range = `${formatNumber(low)} to ${formatNumber(high)}`;
  const label = `Heatmap of ${name} ${sliceName(tensor, number)}, ${rows} × ${columns}, ${range}`;
  return (
    <>
      <Pixels width={columns} height={rows} pixels={pixels} label={label} testid="heatmap" />
      <div class="scale"><span>{formatNumber(low)}</span><i aria-hidden="true" /><span>{formatNumber(high)}</span></div>
      <Disclosure summary="View as table" testid="heatmap-table">
        {() => <NumberTable caption={`${name} ${sliceName(tensor, number)}`} {...slice} />}
      </Disclosure>
    </>
  );
}

function TensorView({ tensor, name }: { tensor: Tensor; name: string }) {
  const [wanted, setSlice] = useState(0);
  const count = sliceCount(tensor);
  const slice = Math.min(wanted, count - 1);
  if (tensor.data.length === 0) return <p class="hint">no elements</p>;
  return (
    <>
      {count > 1 ? <SlicePicker tensor={tensor} slice={slice} onSlice={setSlice} /> : null}
      <Picture tensor={tensor} name={name} slice={slice} />
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
