// SPDX-License-Identifier: Apache-2.0
// The recorded run as a line with its tracks: calls, place in the code, allocations, breakpoints,
// NaNs. Every place on it can be gone to; it stays when the run has returned or failed.
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { TimelineView } from 'tern-runtime';
import { formatBytes, formatCount } from '../../model/format.js';
import {
  placeText, timelineMarks, type TimelineRow, timelineRows,
} from '../../model/timeline.js';
import {
  backOver, hasTimeline, recordKey, runTo, seekCall, seekPart, stepInto, stepOut, stepOver,
  useRunView,
} from '../../state/debug.js';
import { run, seek, stepBack, stop } from '../../state/runs.js';
import { links } from '../../state/links.js';
import { goesBack, now } from '../../state/store.js';
import '../../style/debug.css';
import { CanvasPicture } from '../../widgets/canvas-picture.js';
import { Icon } from '../../widgets/icon.js';
import { type Column, DataTable } from '../../widgets/data-table.js';
import { Pane } from '../pane.js';
import { drawTimeline, kTracksHeight } from './draw-timeline.js';

// About as many as the line has pixels on a screen; the worker adds steps up into them.
const kBuckets = 512;

interface ButtonProps {
  id: string;
  title: string;
  keys?: string;
  disabled: boolean;
  act: () => unknown;
  children: ComponentChildren;
}

function Button({ id, title, keys, disabled, act, children }: ButtonProps) {
  return (
    <button
      type="button" class="small" disabled={disabled} onClick={() => act()} data-testid={id}
      title={keys ? `${title} (${keys})` : title} aria-label={title} aria-keyshortcuts={keys}
    >
      {children}
    </button>
  );
}

function Buttons() {
  const { run: state, program, trace } = now;
  const busy = state === 'running' || !program;
  const first = busy || !goesBack.value;
  // Of several instructions, as a node of the graph has them, the first one.
  const [pc] = links.value.pcs;
  return (
    <div class="buttons" role="toolbar" aria-label="Time line controls">
      <Button id="to-start" title="To the beginning" disabled={first || !trace}
        act={() => seek(trace?.first ?? 0)}><Icon name="first" /></Button>
      <Button id="run-back" keys="r" disabled={first} act={() => run(true)}
        title="Run back to the breakpoint before, or to the beginning">◀◀</Button>
      <Button id="back-over" keys="Shift+P" title="Back over a call" disabled={first}
        act={backOver}>↶ Over</Button>
      <Button id="line-back" keys="p" title="One step back" disabled={first}
        act={() => stepBack()}><Icon name="back" /></Button>
      <Button id="into" keys="s" title="One step, into calls" disabled={busy} act={stepInto}>
        <Icon name="step" /> Into
      </Button>
      <Button id="over" keys="Shift+N" title="One step, over calls" disabled={busy}
        act={stepOver}>↷ Over</Button>
      <Button id="out" keys="o" title="Out of this call" disabled={busy || !trace}
        act={stepOut}>↥ Out</Button>
      <Button id="run-to" disabled={busy || pc === undefined}
        title={pc === undefined ? 'Run to the picked instruction: pick one in the bytecode'
          : `Run to instruction ${pc}`}
        act={() => pc !== undefined && runTo(pc)}>⇥ Cursor</Button>
      <Button id="line-run" keys="c" title="Run on to the next breakpoint, or to the end"
        disabled={busy} act={() => run()}>▶▶</Button>
      <Button id="line-stop" keys="Escape" title="Stop" disabled={state !== 'running'}
        act={stop}><Icon name="stop" /></Button>
    </div>
  );
}

/** Digits that are typed on the line, and Enter, go to a step. */
function useDigits() {
  const [typed, setTyped] = useState('');
  const onKey = (event: KeyboardEvent): boolean => {
    const { key } = event;
    // Twelve digits are more steps than can be recorded.
    if (/^\d$/.test(key)) setTyped((typed + key).slice(0, 12));
    else if (typed === '') return false;
    else if (key === 'Backspace') setTyped(typed.slice(0, -1));
    else if (key === 'Enter') {
      setTyped('');
      void seek(Number(typed));
    } else if (key === 'Escape') setTyped('');
    else return false;
    return true;
  };
  return { typed, onKey };
}

/** Where a key of the line leads; false for those of the line itself. */
function onLineKey({ key, shiftKey }: KeyboardEvent): boolean {
  if (key === 'PageUp' || key === 'PageDown') void seekCall(key === 'PageUp');
  else if (shiftKey && key.startsWith('Arrow')) {
    // Tenths of the run; arrows alone are steps, which the slider does itself.
    void seekPart(key === 'ArrowRight' || key === 'ArrowUp' ? 0.1 : -0.1);
  } else return false;
  return true;
}

function Line() {
  const { trace, steps, run: state, machine, program } = now;
  const { typed, onKey } = useDigits();
  if (!trace) return null;
  const place = { steps, end: trace.end, frame: machine?.frames[0] };
  return (
    <div class="line">
      <input
        type="range" min={trace.first} max={trace.end} step={1} value={steps}
        disabled={state === 'running'} aria-label="Step"
        aria-valuetext={placeText(place, program?.info)} data-testid="timeline"
        onInput={(event) => seek(event.currentTarget.valueAsNumber)}
        onKeyDown={(event) => {
          // Those are the browser's.
          if (event.ctrlKey || event.metaKey || event.altKey) return;
          if (onKey(event) || onLineKey(event)) event.preventDefault();
        }}
      />
      <span class="marks" aria-hidden="true">
        {timelineMarks(trace).map(({ at, text }) => (
          <span key={at} style={{ insetInlineStart: `${at}%` }}>{text}</span>
        ))}
      </span>
      {typed ? <output class="typed" data-testid="typed-step">to step {typed} ⏎</output> : null}
    </div>
  );
}

const rangeText = ({ first, last }: TimelineRow): string =>
  (first === last ? String(first) : `${first} – ${last}`);

const kColumns: readonly Column<TimelineRow>[] = [
  { title: 'steps', value: rangeText, cell: (row) => (
    <button type="button" class="link" onClick={() => seek(row.first)}>{rangeText(row)}</button>
  ) },
  { title: 'deepest call', value: ({ depth }) => depth },
  { title: 'allocated', value: ({ allocated }) => allocated,
    cell: ({ allocated }) => (allocated ? formatBytes(allocated) : '') },
  { title: 'breakpoints', value: ({ breakpoints }) => breakpoints,
    cell: ({ breakpoints }) => breakpoints || '' },
  { title: 'NaNs appear', value: ({ notFinite }) => notFinite,
    cell: ({ notFinite }) => notFinite || '' },
];

function Table({ view }: { view: TimelineView }) {
  return (
    <DataTable
      name="timeline-table" label="Time line as a table" class="facts" columns={kColumns}
      rows={timelineRows(view)}
    />
  );
}

function pictureName(view: TimelineView): string {
  const deepest = view.depth.reduce((a, b) => Math.max(a, b), 0);
  const places = view.breakpoints.reduce((a, b) => a + b, 0);
  return `${formatCount(view.end - view.first, 'step')}, calls up to ${deepest} deep, ` +
    `${formatCount(places, 'breakpoint place')} met, NaNs appear at ` +
    `${formatCount(view.notFinite.length, 'step')}`;
}

function Cursor({ first, end }: TimelineView) {
  // A record of no steps has no length to divide by.
  const length = Math.max(end - first, 1);
  const at = Math.min(Math.max((now.steps - first) / length, 0), 1);
  return <i class="cursor" style={{ insetInlineStart: `${100 * at}%` }} aria-hidden="true" />;
}

function Tracks({ view }: { view: TimelineView }) {
  return (
    <div class="tracks">
      <CanvasPicture
        name={pictureName(view)} height={kTracksHeight} of={[view]} testid="timeline-tracks"
        draw={(surface) => drawTimeline(surface, view)}
      />
      <Cursor {...view} />
    </div>
  );
}

const kLegend = ['calls', 'code', 'memory', '● ×'];

export function TimelinePane() {
  const { trace } = now;
  const [asTable, setAsTable] = useState(false);
  // They are on the tracks, so that a new one asks for the view again.
  const { breakpoints } = now;
  const view = useRunView(
    { view: 'timeline', buckets: kBuckets }, `${recordKey()} ${[...breakpoints].join()}`);
  useEffect(() => {
    // The Run pane leaves out its own line while this one is there.
    hasTimeline.value = true;
    return () => {
      hasTimeline.value = false;
    };
  }, []);
  // A long run forgets its first steps, since a record has a limit: then the line begins later than
  // the run.
  const count = trace && (trace.first > 0
    ? `the last ${formatCount(trace.end - trace.first, 'step')} are kept`
    : formatCount(trace.end, 'step'));
  return (
    <Pane
      id="timeline" title="Time line"
      note={count ? <span data-testid="timeline-count">{count}</span> : undefined}
      tools={
        <>
          <Buttons />
          <button type="button" class="small" aria-pressed={asTable} disabled={!view}
            data-testid="timeline-as-table" onClick={() => setAsTable(!asTable)}>
            Table
          </button>
        </>
      }
    >
      {trace && trace.end > 0 ? (
        <div class="time-line" role="group" aria-label="Recorded run">
          {view && !asTable ? (
            <div class="legend" aria-hidden="true">
              {kLegend.map((word) => <span key={word}>{word}</span>)}
            </div>
          ) : null}
          {view ? (asTable ? <Table view={view} /> : <Tracks view={view} />) : null}
          <Line />
        </div>
      ) : (
        <p class="hint padded">Step or run: what is recorded can be walked in both directions.</p>
      )}
    </Pane>
  );
}
