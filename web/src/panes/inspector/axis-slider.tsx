// SPDX-License-Identifier: Apache-2.0
// Where an axis is held that is not shown.
import { inspector, setView } from '../../state/inspector.js';

export function AxisSlider({ axis }: { axis: number }) {
  const { layout, view } = inspector.value;
  if (!layout || !view) return null;
  const extent = layout.shape[axis]!;
  const at = view.index[axis]!;
  return (
    <label>
      axis {axis}{' '}
      <input
        type="range" min="0" max={extent - 1} value={at} data-testid={`axis-${axis}`}
        aria-valuetext={`${at} of ${extent}`}
        onInput={(event) => {
          const to = Number(event.currentTarget.value);
          setView({ ...view, index: view.index.map((each, i) => (i === axis ? to : each)) });
        }}
      />
      <output class="mono">{at}</output>
    </label>
  );
}
