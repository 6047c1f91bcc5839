// SPDX-License-Identifier: Apache-2.0
// Where the time goes: calls in the order of time, equal stacks together, a row for each name, or
// operators below what the machine does at best.
import { signal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { colourIndex, type FlameBox, type SandwichRow } from '../../model/flame.js';
import { formatCount, formatNanoseconds } from '../../model/format.js';
import {
  baseline, boxes, forgetBaseline, heavy, isProfiling, keepBaseline, picked, profile, profileFile,
  profileProblem, profiles, repeat, report, rows, temperature,
} from '../../state/profile.js';
import { now } from '../../state/store.js';
import '../../style/profile.css';
import { type Column, DataTable } from '../../widgets/data-table.js';
import { saveFile } from '../../widgets/save-file.js';
import { Pane } from '../pane.js';
import { RooflineView } from './roofline-view.js';

const kViews = { time: 'Time order', heavy: 'Left heavy', sandwich: 'Sandwich',
  roofline: 'Roofline' } as const;
type View = keyof typeof kViews;
const view = signal<View>('time');

// Pixels of one level of calls.
const kLine = 22;

/** The range of nanoseconds in sight. */
interface Range {
  from: number;
  to: number;
}

// Read from the sheet, so that themes and forced colours change them.
const colours = (element: HTMLElement): string[] =>
  Array.from({ length: 8 }, (_, i) =>
    getComputedStyle(element).getPropertyValue(`--flame-${i}`).trim() || 'gray');

function draw(
  canvas: HTMLCanvasElement, shown: readonly FlameBox[], { from, to }: Range, at: number,
): void {
  const { clientWidth: width, clientHeight: height } = canvas;
  const ratio = globalThis.devicePixelRatio || 1;
  // Setting it also clears what was drawn.
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  const context = canvas.getContext('2d');
  if (!context) return;
  const style = getComputedStyle(canvas);
  const palette = colours(canvas);
  const edge = style.getPropertyValue('--flame-edge'); // with forced colours only
  context.scale(ratio, ratio);
  context.font = `12px ${style.getPropertyValue('--mono')}`;
  context.textBaseline = 'middle';
  const scale = width / Math.max(to - from, 1);
  let drawn = -1;
  let drawnDepth = -1;
  shown.forEach((box, i) => {
    const x = (box.start - from) * scale;
    const wide = box.duration * scale;
    // Out of sight.
    if (x > width || x + wide < 0) return;
    // Of boxes narrower than a pixel one stands for all.
    if (wide < 1 && box.depth === drawnDepth && x - drawn < 1 && i !== at) return;
    drawn = x;
    drawnDepth = box.depth;
    const y = box.depth * kLine;
    const isPicked = picked.value === box.name;
    context.fillStyle = palette[colourIndex(box.name)]!;
    context.fillRect(x, y + 1, Math.max(wide - 0.5, 0.7), kLine - 2);
    if (edge) {
      context.strokeStyle = edge;
      context.lineWidth = 1;
      context.strokeRect(x + 0.5, y + 1.5, Math.max(wide - 1.5, 0), kLine - 3);
    }
    if (isPicked || i === at) {
      context.strokeStyle = style.getPropertyValue('--text');
      context.lineWidth = i === at ? 2.5 : 1.5;
      context.strokeRect(x + 1, y + 2, Math.max(wide - 2.5, 1), kLine - 4);
    }
    const left = Math.max(x, 0) + 5;
    const room = Math.min(x + wide, width) - left - 4;
    // Less than three letters say nothing.
    if (room < 24) return;
    context.fillStyle = style.getPropertyValue('--flame-text');
    const letters = Math.floor(room / 7.3);
    const text = box.name.length > letters ? `${box.name.slice(0, letters - 1)}…` : box.name;
    context.fillText(text, left, y + kLine / 2 + 0.5);
  });
}

const words = ({ name, duration, self, count }: FlameBox): string =>
  `${name}: ${formatNanoseconds(duration)}, itself ${formatNanoseconds(self)}${
    count > 1 ? `, ${formatCount(count, 'call')}` : ''}`;

/** The whole, or around one box. */
function endOf(shown: readonly FlameBox[]): number {
  return shown.reduce((end, { start, duration }) => Math.max(end, start + duration), 1);
}

/** Another box by keys: up to who called, down to the first called, to the sides of equal depth. */
function neighbour(shown: readonly FlameBox[], at: number, key: string): number {
  const { depth } = shown[at] ?? { depth: 0 };
  const find = (step: 1 | -1, wanted: number): number => {
    for (let i = at + step; i >= 0 && i < shown.length; i += step) {
      if (shown[i]!.depth === wanted) return i;
      // Boxes are in the order of calls: one above both ends the search.
      if (shown[i]!.depth < Math.min(depth, wanted)) return at;
    }
    return at;
  };
  if (key === 'ArrowUp') return depth > 0 ? find(-1, depth - 1) : at;
  if (key === 'ArrowDown') return shown[at + 1]?.depth === depth + 1 ? at + 1 : at;
  if (key === 'ArrowRight') return find(1, depth);
  if (key === 'ArrowLeft') return find(-1, depth);
  return at;
}

/** The range in sight, and moving it. */
function useZoom(shown: readonly FlameBox[]) {
  const end = endOf(shown);
  const [range, setRange] = useState<Range>({ from: 0, to: end });
  useEffect(() => setRange({ from: 0, to: end }), [shown]);
  const zoom = (factor: number, around: number): void => setRange(({ from, to }) => {
    // Never more than the whole, and what is around stays in its place.
    const length = Math.min((to - from) * factor, end);
    const start = Math.max(0, Math.min(around - (around - from) * factor, end - length));
    return { from: start, to: start + Math.max(length, 10) };
  });
  const fit = ({ start, duration }: FlameBox): void =>
    setRange({ from: start, to: start + Math.max(duration, 10) });
  return { range, zoom, fit, showAll: () => setRange({ from: 0, to: end }) };
}

/** Draws the boxes, anew when the room for them changes. */
function useDrawing(
  shown: readonly FlameBox[], range: Range, at: number,
): RefObject<HTMLCanvasElement | null> {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [size, setSize] = useState(0);
  useEffect(() => {
    const observer = new ResizeObserver(() => setSize(canvas.current?.clientWidth ?? 0));
    // Splitters and the window change the width without a render.
    observer.observe(canvas.current!);
    return () => observer.disconnect();
  }, []);
  const depth = shown.reduce((most, box) => Math.max(most, box.depth), 0) + 1;
  useLayoutEffect(() => {
    // Deeper stacks than 60 calls are cut off; tables show all.
    canvas.current!.style.height = `${Math.min(depth, 60) * kLine}px`;
    draw(canvas.current!, shown, range, at);
  }, [shown, range, at, size, picked.value]);
  return canvas;
}

/** Which box lies there in a canvas. */
function boxAt(event: MouseEvent, canvas: Element, shown: readonly FlameBox[], range: Range) {
  const bounds = canvas.getBoundingClientRect();
  const time = range.from +
    ((event.clientX - bounds.left) / bounds.width) * (range.to - range.from);
  const row = Math.floor((event.clientY - bounds.top) / kLine);
  return shown.findIndex(({ depth, start, duration }) =>
    depth === row && start <= time && time < start + duration);
}

function Flame({ shown }: { shown: readonly FlameBox[] }) {
  const [at, setAt] = useState(0);
  const { range, zoom, fit, showAll } = useZoom(shown);
  const canvas = useDrawing(shown, range, at);
  const pick = (i: number): void => {
    setAt(i);
    picked.value = shown[i]?.name;
  };
  const current = shown[at];
  return (
    <>
      <div
        class="flame" tabIndex={0} role="application" aria-roledescription="flame chart"
        aria-label="Calls; arrows move, Enter zooms, plus and minus zoom, 0 shows all"
        aria-describedby="flame-box" data-testid="flame"
        onKeyDown={(event) => {
          const middle = current ? current.start + current.duration / 2 : 0;
          if (event.key === 'Enter' && current) fit(current);
          else if (event.key === '+') zoom(0.5, middle);
          else if (event.key === '-') zoom(2, middle);
          else if (event.key === '0') showAll();
          else if (event.key.startsWith('Arrow')) pick(neighbour(shown, at, event.key));
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      >
        <canvas
          ref={canvas} role="img" aria-label={`Flame chart of ${shown.length} calls`}
          onClick={(event) => {
            const i = boxAt(event, event.currentTarget, shown, range);
            if (i >= 0) pick(i);
          }}
          onDblClick={(event) => {
            const box = shown[boxAt(event, event.currentTarget, shown, range)];
            if (box) fit(box);
          }}
          onWheel={(event) => {
            // Without Ctrl the wheel scrolls the page, as everywhere.
            if (!event.ctrlKey) return;
            event.preventDefault();
            const { left, width } = event.currentTarget.getBoundingClientRect();
            const share = (event.clientX - left) / width;
            zoom(event.deltaY > 0 ? 1.25 : 0.8, range.from + share * (range.to - range.from));
          }}
        />
      </div>
      <p id="flame-box" class="detail mono" aria-live="polite" data-testid="flame-box">
        {current ? words(current) : null}
      </p>
    </>
  );
}

const kColumns: readonly Column<SandwichRow>[] = [
  { title: 'name', value: ({ name }) => name, cell: ({ name }) => (
    <button
      type="button" class="small plain" aria-pressed={picked.value === name}
      onClick={() => {
        picked.value = name;
      }}
    >
      {name}
    </button>
  ) },
  { title: 'itself', class: 'number', value: ({ self }) => self,
    cell: ({ self }) => formatNanoseconds(self) },
  { title: 'in all', class: 'number', value: ({ total }) => total,
    cell: ({ total }) => formatNanoseconds(total) },
  { title: 'calls', class: 'number', value: ({ count }) => count },
];

function Sandwich() {
  const row = rows.value.find(({ name }) => name === picked.value);
  return (
    <>
      <DataTable
        name="sandwich" label="Names by time" rows={rows.value} columns={kColumns} bare
        row={({ name }) => ({ class: picked.value === name ? 'picked' : '' })}
      />
      {row ? (
        <div class="sandwich-halves">
          {([['callers', row.callers], ['callees', row.callees]] as const).map(([what, list]) => (
            <div key={what}>
              <h3>{what}</h3>
              <ul>
                {list.map(([name, time]) => (
                  <li key={name}><code>{name}</code> {formatNanoseconds(time)}</li>
                ))}
                {list.length === 0 ? <li class="detail">none</li> : null}
              </ul>
            </div>
          ))}
        </div>
      ) : null}
    </>
  );
}

const kFiles = { chrome: 'Chrome trace', speedscope: 'speedscope', jsonl: 'JSONL' } as const;

function save(format: keyof typeof kFiles): void {
  const text = profileFile(format);
  const ending = format === 'jsonl' ? 'jsonl' : `${format}.json`;
  if (text !== undefined) saveFile(`profile.${ending}`, new TextEncoder().encode(text));
}

function Tools() {
  return (
    <>
      <label class="detail">
        warm runs{' '}
        <input
          type="number" min="1" max="1000" value={repeat.value} data-testid="profile-runs"
          onChange={(event) => {
            // What is no number is one run.
            const asked = Math.floor(Number(event.currentTarget.value)) || 1;
            repeat.value = Math.min(Math.max(asked, 1), 1000);
          }}
        />
      </label>
      <button
        type="button" class="small primary" data-testid="profile-run"
        disabled={isProfiling.value || !now.program} onClick={() => void profile()}
      >
        {isProfiling.value ? 'Profiling…' : 'Profile'}
      </button>
    </>
  );
}

function Choices() {
  return (
    <div class="profile-choices">
      <div role="group" aria-label="View" class="segments">
        {(Object.keys(kViews) as View[]).map((name) => (
          <button
            key={name} type="button" class="small" aria-pressed={view.value === name}
            data-testid={`profile-${name}`}
            onClick={() => {
              view.value = name;
            }}
          >
            {kViews[name]}
          </button>
        ))}
      </div>
      <div role="group" aria-label="Runs" class="segments">
        {(['cold', 'warm'] as const).map((name) => (
          <button
            key={name} type="button" class="small" aria-pressed={temperature.value === name}
            data-testid={`profile-${name}`}
            onClick={() => {
              temperature.value = name;
            }}
          >
            {name}
          </button>
        ))}
      </div>
      <div role="group" aria-label="Save as">
        {(Object.keys(kFiles) as (keyof typeof kFiles)[]).map((name) => (
          <button
            key={name} type="button" class="small" data-testid={`save-${name}`}
            onClick={() => save(name)}
          >
            {kFiles[name]}
          </button>
        ))}
      </div>
      {baseline.value ? (
        <button type="button" class="small" onClick={forgetBaseline}>Forget baseline</button>
      ) : (
        <button type="button" class="small" data-testid="keep-baseline" onClick={keepBaseline}>
          Keep as baseline
        </button>
      )}
    </div>
  );
}

export function ProfilePane() {
  const shown = report.value;
  const made = profiles.value;
  const note = shown && made
    ? `@${made.function} · ${formatNanoseconds(shown.nanoseconds)} in ${
      formatCount(shown.runs, `${temperature.value} run`)}`
    : null;
  return (
    <Pane id="profile" title="Profile" note={note} tools={<Tools />}>
      {profileProblem.value ? (
        <p class="profile-problem" role="alert">{profileProblem.value}</p>
      ) : null}
      {shown ? <Choices /> : null}
      <div class="scroll padded" tabIndex={0} role="group" aria-label="Profile">
        {!shown ? (
          <p class="hint">
            Profile runs the function under the core’s profiler, with the inputs that are chosen:
            once cold, then warm.
          </p>
        ) : null}
        {shown && view.value === 'time' ? <Flame key="time" shown={boxes.value} /> : null}
        {shown && view.value === 'heavy' ? <Flame key="heavy" shown={heavy.value} /> : null}
        {shown && view.value === 'sandwich' ? <Sandwich /> : null}
        {shown && view.value === 'roofline' ? <RooflineView /> : null}
        {shown && shown.droppedCalls > 0 ? (
          <p class="hint">{shown.droppedCalls} calls are counted but not drawn.</p>
        ) : null}
      </div>
    </Pane>
  );
}
