// SPDX-License-Identifier: Apache-2.0
// One paragraph about what is selected, else about the instruction that is next. The same sentences
// are announced while stepping, as much of them as is wanted.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import {
  announcement, explainInstruction, explainRegister, type Facts, type Verbosity,
} from '../../model/explain.js';
import { barsOf } from '../../model/lifetimes.js';
import { placeText } from '../../model/timeline.js';
import { recordKey, useRunView } from '../../state/debug.js';
import { links } from '../../state/links.js';
import { highlighted } from '../../state/selection.js';
import { currentPc } from '../../state/session.js';
import { now } from '../../state/store.js';
import { announced, setAnnounced } from '../../state/explain.js';
import '../../style/debug.css';
import { Pane } from '../pane.js';

const kLevels: readonly [Verbosity, string][] = [
  ['off', 'announce nothing'], ['short', 'announce the place'], ['full', 'announce all'],
];

/** At most two announcements in a second. */
const kThrottle = 500;

/** The text, no more often than it can be listened to; the last one always comes. */
function useThrottled(text: string): string {
  const [said, setSaid] = useState(text);
  const last = useRef(0);
  useEffect(() => {
    const wait = Math.max(0, last.current + kThrottle - performance.now());
    const timer = setTimeout(() => {
      last.current = performance.now();
      setSaid(text);
    }, wait);
    return () => clearTimeout(timer);
  }, [text]);
  return said;
}

function useFacts(): Facts | undefined {
  const { program, machine, before, frame } = now;
  const state = before ?? machine;
  const frames = machine?.frames;
  const shown = frames?.length ? Math.min(frame, frames.length - 1) : 0;
  const place = `${frames?.length ?? 0} ${frames?.[shown]?.function} ${frames?.[shown]?.entered}`;
  const view = useRunView({ view: 'lifetimes', frame: shown }, `${recordKey()} ${place}`);
  const bars = useMemo(() => (view ? barsOf(view) : []), [view]);
  return program && { info: program.info, state, frame: shown, bars };
}

/** What is explained: the selection, else the next instruction. */
function explain(facts: Facts): string {
  const { steps, machine } = now;
  const selection = highlighted.value;
  if (selection?.kind === 'register' && machine) {
    return explainRegister(selection.index, steps, facts);
  }
  const [selected] = links.value.pcs;
  const pc = selected ?? currentPc(now);
  if (pc !== undefined) return explainInstruction(pc, facts);
  return machine ? 'The run has returned. Any step of it can be gone to on the time line.'
    : 'Step or run, or pick an instruction: what it does is told here.';
}

export function ExplainPane() {
  const { steps, trace, machine, program } = now;
  const facts = useFacts();
  const text = facts ? explain(facts) : '';
  const place = trace
    ? placeText({ steps, end: trace.end, frame: machine?.frames[0] }, program?.info) : '';
  const level = announced.value;
  const said = useThrottled(announcement(level, place, text));
  return (
    <Pane
      id="explain" title="Explain"
      tools={
        <select aria-label="Announcements" value={level} data-testid="announcements"
          onChange={(event) => setAnnounced(event.currentTarget.value as Verbosity)}>
          {kLevels.map(([id, word]) => <option key={id} value={id}>{word}</option>)}
        </select>
      }
    >
      <p class="explained" data-testid="explained">{text}</p>
      <p class="visually-hidden" role="status" aria-live="polite" data-testid="announcement">
        {said}
      </p>
    </Pane>
  );
}
