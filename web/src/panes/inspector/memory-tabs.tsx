// SPDX-License-Identifier: Apache-2.0
// How the tensor lies in memory: axes, its part of the storage, others there; and its bytes.
import type { TensorLayout } from 'tern-runtime';
import { formatBytes } from '../../model/format.js';
import { hexLines } from '../../model/tensor-text.js';
import { inspector, inspectRegister } from '../../state/inspector.js';

function StorageMap({ layout }: { layout: TensorLayout }) {
  const { shared } = inspector.value;
  const { offset, bytes, storageBytes } = layout;
  const total = Math.max(storageBytes, offset + bytes, 1);
  const kWide = 500;
  const bar = (at: number, size: number): { x: number; width: number } =>
    ({ x: (at / total) * kWide, width: Math.max((size / total) * kWide, 1) });
  const height = 34 + shared.length * 14;
  return (
    <svg
      class="storage-map" viewBox={`0 0 ${kWide} ${height}`} role="img"
      aria-label={`${bytes} bytes from byte ${offset} on, of a storage of ${total}`}
    >
      <rect class="storage" x="0" y="6" width={kWide} height="20" />
      <rect class="own" {...bar(offset, bytes)} y="6" height="20" />
      {shared.map((view, i) => (
        <rect key={i} class="other" {...bar(view.offset, view.bytes)} y={32 + i * 14} height="9" />
      ))}
    </svg>
  );
}

export function LayoutTab() {
  const { layout, shared } = inspector.value;
  if (!layout) return null;
  const { shape, strides, elementBits, offset, bytes, storageBytes } = layout;
  const unused = storageBytes - offset - bytes;
  return (
    <>
      <StorageMap layout={layout} />
      <p class="detail">
        {offset > 0 ? `${formatBytes(offset)} before it, ` : null}
        {formatBytes(bytes)} of elements
        {unused > 0 ? `, ${formatBytes(unused)} behind it unused or another's` : null}.
      </p>
      <table class="listing" data-testid="axes-table">
        <thead>
          <tr>
            <th scope="col">axis</th><th scope="col" class="number">extent</th>
            <th scope="col" class="number">stride</th><th scope="col" class="number">bits apart</th>
          </tr>
        </thead>
        <tbody>
          {shape.map((extent, axis) => (
            <tr key={axis}>
              <th scope="row">{axis}</th>
              <td class="number">{extent}</td>
              <td class="number">{strides[axis]}</td>
              <td class="number">{strides[axis]! * elementBits}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {shared.length > 0 ? (
        <p>
          The same storage:{' '}
          {shared.map(({ register, frame }) => (
            <button
              key={`${frame}.${register}`} type="button" class="small"
              onClick={() => inspectRegister(register)}
            >
              %{register}{frame > 0 ? ` of frame ${frame}` : ''}
            </button>
          ))}
        </p>
      ) : <p class="detail">No other register looks at this storage.</p>}
    </>
  );
}

export function HexTab() {
  const { window } = inspector.value;
  if (!window) return <p class="hint">reading…</p>;
  const { tensor } = window;
  return (
    <>
      <p class="detail">
        {formatBytes(tensor.data.byteLength)} of {tensor.dtype}[{tensor.shape.join(', ')}], little
        end first, as they are in memory row by row.
      </p>
      <pre class="scroll hex" tabIndex={0} data-testid="hex">{hexLines(tensor).join('\n')}</pre>
    </>
  );
}
