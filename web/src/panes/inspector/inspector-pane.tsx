// SPDX-License-Identifier: Apache-2.0
// One tensor in full: what it is, and its elements as a picture, a table, figures or bytes.
import { useEffect } from 'preact/hooks';
import { formatBytes, formatShape } from '../../model/format.js';
import { viewName } from '../../model/tensor-picture.js';
import { csvText, npyBytes } from '../../model/tensor-text.js';
import {
  fetchTensor, followSelection, inspector, type InspectorTab, kTabs, media, setTab, setView,
  shownTab,
} from '../../state/inspector.js';
import '../../style/inspector.css';
import { saveFile } from '../../widgets/save-file.js';
import { Pane } from '../pane.js';
import { AxisSlider } from './axis-slider.js';
import { CompareTab } from './compare-tab.js';
import { EditInput } from './edit-input.js';
import { HeatmapTab } from './heatmap-tab.js';
import { MediaTab } from './media-tab.js';
import { HistogramTab, StatsTab } from './statistics-tabs.js';
import { HexTab, LayoutTab } from './memory-tabs.js';
import { TableTab } from './table-tab.js';

const kTabNames = Object.keys(kTabs) as InspectorTab[];
const kMediaNames = { image: 'Picture', sound: 'Sound' } as const;
// A new way to look is a component here and its name in kTabs.
const kContents = {
  heatmap: HeatmapTab, media: MediaTab, table: TableTab, histogram: HistogramTab, stats: StatsTab,
  layout: LayoutTab, hex: HexTab, compare: CompareTab,
};

function TabBar() {
  // The one for pictures and sounds is there for tensors that may be one.
  const names = kTabNames.filter((name) => name !== 'media' || media.value);
  const move = (event: KeyboardEvent): void => {
    // The pattern of tabs: one of them is in the order of Tab, arrows go between them.
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const count = names.length;
    const next = names[(names.indexOf(shownTab.value) + by + count) % count]!;
    setTab(next);
    document.getElementById(`inspect-${next}`)?.focus();
  };
  return (
    <div class="inspector-tabs" role="tablist" aria-label="Ways to look at it" onKeyDown={move}>
      {names.map((name) => (
        <button
          key={name} type="button" role="tab" class="small" id={`inspect-${name}`}
          aria-selected={shownTab.value === name} aria-controls="inspect-panel"
          tabIndex={shownTab.value === name ? 0 : -1} data-testid={`inspect-${name}`}
          onClick={() => setTab(name)}
        >
          {name === 'media' && media.value ? kMediaNames[media.value.kind] : kTabs[name]}
        </button>
      ))}
    </div>
  );
}

/** The type, and how it lies in memory. */
function Facts() {
  const { layout, name, hash } = inspector.value;
  if (!layout) return null;
  const { dtype, shape, strides, offset, bytes, storageBytes, contiguous } = layout;
  const facts: [string, string][] = [
    ['strides', formatShape(strides)],
    ['offset', `${offset} B`],
    ['size', formatBytes(bytes)],
    // A view shows how large the memory is that it looks into; other libraries' memory has no known
    // size.
    ['storage', storageBytes > 0 ? formatBytes(storageBytes) : 'from outside'],
    ['layout', contiguous ? 'contiguous' : 'strided'],
    ['hash', hash ?? '…'],
  ];
  return (
    <div class="tensor-facts">
      <p class="tensor-type" data-testid="inspected-type">
        <code>{name}</code> <b>{dtype}{formatShape(shape)}</b>
      </p>
      <dl>
        {facts.map(([what, value]) => (
          <div key={what}><dt>{what}</dt><dd class="mono">{value}</dd></div>
        ))}
      </dl>
    </div>
  );
}

function AxisPicker({ label, value, onPick }: {
  label: string; value: number; onPick: (axis: number) => void;
}) {
  const { shape } = inspector.value.layout!;
  return (
    <label>
      {label}{' '}
      <select value={value} onChange={(event) => onPick(Number(event.currentTarget.value))}>
        <option value={-1}>none</option>
        {shape.map((extent, axis) => (
          <option key={axis} value={axis}>axis {axis} ({extent})</option>
        ))}
      </select>
    </label>
  );
}

/** Which axes lie down and across, and where the others are held. */
function AxisPickers() {
  const { layout, view } = inspector.value;
  if (!layout || !view || layout.shape.length < 2) return null;
  const { rowAxis, columnAxis } = view;
  // The axis that was there before is taken by the other one, so that they stay different.
  const pickRow = (axis: number): void => setView({
    ...view, rowAxis: axis, columnAxis: axis === columnAxis && axis >= 0 ? rowAxis : columnAxis,
  });
  const pickColumn = (axis: number): void => setView({
    ...view, columnAxis: axis, rowAxis: axis === rowAxis && axis >= 0 ? columnAxis : rowAxis,
  });
  return (
    <div class="axis-pickers">
      <AxisPicker label="down" value={rowAxis} onPick={pickRow} />
      <AxisPicker label="across" value={columnAxis} onPick={pickColumn} />
      {layout.shape.map((extent, axis) => (axis === rowAxis || axis === columnAxis || extent < 2
        ? null : <AxisSlider key={axis} axis={axis} />))}
      <span class="detail mono">{viewName(view)}</span>
    </div>
  );
}

async function saveNpy(): Promise<void> {
  const tensor = await fetchTensor(true);
  // Nothing for types that NumPy has not.
  const bytes = tensor && npyBytes(tensor);
  if (bytes) saveFile('tensor.npy', bytes);
}

async function saveCsv(): Promise<void> {
  const tensor = await fetchTensor(false);
  if (tensor) saveFile('slice.csv', new TextEncoder().encode(csvText(tensor)));
}

function Tools() {
  if (!inspector.value.layout) return null;
  return (
    <>
      <button type="button" class="small" data-testid="save-npy" onClick={() => void saveNpy()}>
        .npy
      </button>
      <button type="button" class="small" data-testid="save-csv" onClick={() => void saveCsv()}>
        CSV
      </button>
    </>
  );
}

function Contents() {
  const { layout, place, problem } = inspector.value;
  if (!place) {
    return <p class="hint padded">Step, then pick a register to look into the tensor it holds.</p>;
  }
  const shown = shownTab.value;
  const Content = kContents[shown];
  const tools = shown === 'heatmap' || shown === 'table' || shown === 'hex';
  return (
    <>
      <Facts />
      {layout ? <TabBar /> : null}
      {layout && tools ? <AxisPickers /> : null}
      {problem ? <p class="inspector-problem" role="alert">{problem}</p> : null}
      {layout ? (
        <div
          id="inspect-panel" role="tabpanel" class="inspector-content"
          aria-labelledby={`inspect-${shown}`}
        >
          <Content />
          {shown === 'heatmap' || shown === 'table' ? <EditInput /> : null}
        </div>
      ) : <p class="hint padded">{inspector.value.name} holds no tensor now.</p>}
    </>
  );
}

export function InspectorPane() {
  useEffect(followSelection, []);
  const { isBusy, step, layout } = inspector.value;
  const note = layout ? `at step ${step}${isBusy ? ' · reading…' : ''}` : null;
  return (
    <Pane id="inspector" title="Tensor" note={note} tools={<Tools />}>
      <div class="scroll inspector-body" tabIndex={0} role="group" aria-label="Tensor">
        <Contents />
      </div>
    </Pane>
  );
}
