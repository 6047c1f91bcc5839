// SPDX-License-Identifier: Apache-2.0
// What is wrong: findings of the text that is edited, each leading to its place, and what loading
// or running ended with, in the command line's own layout.
import { useState } from 'preact/hooks';
import type { Diagnostic } from 'tern-runtime';
import type { Finding } from '../../model/diagnostics.js';
import { findings, otherProblems } from '../../state/findings.js';
import type { Problem } from '../../state/session.js';
import { dismissProblems, guarded } from '../../state/store.js';
import '../../style/problems.css';
import { Pane } from '../pane.js';

/** The editor's actions come with it. */
const editor = () => import('../../state/source.js');

function jumpTo(from: number, to: number): void {
  void guarded(async () => (await editor()).goTo(from, to));
}

/** Fetched when it is opened: the texts of all codes are the language worker's, not the page's. */
function Explanation({ code }: { code: string }) {
  const [text, setText] = useState<string>();
  const fetchText = (): void => void guarded(async () => {
    const { language } = await editor();
    setText((await language.request({ kind: 'explain', code })) ?? `${code} has no longer text.`);
  });
  return (
    <details onToggle={(event) => event.currentTarget.open && text === undefined && fetchText()}>
      <summary>What {code} means</summary>
      <p class="explanation">{text ?? 'Fetching…'}</p>
    </details>
  );
}

/** FILE:LINE:COLUMN, as the command line writes places; empty for what has none. */
const placeOf = ({ span }: Diagnostic): string =>
  (span?.line === undefined ? '' : `${span.file ?? ''}:${span.line}:${span.col ?? 1}`);

function Details({ finding }: { finding: Finding }) {
  const { diagnostic, labels } = finding;
  const { context = {}, notes = [], help = [] } = diagnostic;
  return (
    <>
      {Object.entries(context).map(([key, value]) => (
        <p key={key} class="row"><b>{key}</b> <code>{value}</code></p>
      ))}
      {labels.map(({ from, to, text }) => (
        <p key={from} class="row">
          <button type="button" class="link" onClick={() => jumpTo(from, to)}>{text}</button>
        </p>
      ))}
      {notes.map((note) => <p key={note} class="row">note: {note}</p>)}
      {help.map((row) => <p key={row} class="row">help: {row}</p>)}
    </>
  );
}

function Fixes({ diagnostic: { fixes = [] } }: { diagnostic: Diagnostic }) {
  return (
    <>
      {fixes.map((fix) => (
        <button
          key={fix.title} type="button" class="small" data-testid="apply-fix"
          onClick={() => void guarded(async () => (await editor()).applyFix(fix))}
        >
          Fix: {fix.title}
        </button>
      ))}
    </>
  );
}

/** A sign beside the colour, for who cannot tell colours apart. */
const kSigns: Readonly<Record<string, string>> = { error: '✕', warning: '▲' };

function FindingItem({ finding }: { finding: Finding }) {
  const { diagnostic, from, to } = finding;
  const { severity, code, message, label } = diagnostic;
  return (
    <li class={`finding finding-${severity}`}>
      <p class="said">
        <span class="sign" aria-hidden="true">{kSigns[severity] ?? '●'}</span>
        <span class="detail">{severity} {code}</span>{' '}
        <button
          type="button" class="link" data-testid="problem-place" onClick={() => jumpTo(from, to)}
        >
          {placeOf(diagnostic) || 'the program'}
        </button>{' '}
        <span>{message}</span>
        {label ? <span class="detail"> {label}</span> : null}
      </p>
      <Details finding={finding} />
      <div class="do"><Fixes diagnostic={diagnostic} /><Explanation code={code} /></div>
    </li>
  );
}

function ProblemText({ problem: { code, text, explanation } }: { problem: Problem }) {
  return (
    <>
      <pre tabIndex={0} role="group" aria-label={`Problem ${code}`}>{text.trimEnd()}</pre>
      {explanation ? (
        <details>
          <summary>What {code} means</summary>
          <p class="explanation">{explanation}</p>
        </details>
      ) : null}
    </>
  );
}

export function ProblemsPane() {
  const others = otherProblems.value;
  const found = findings.value;
  const count = others.length + found.length;
  if (count === 0) return null;
  const note = others[0]?.code ?? `${count} in the text`;
  // Findings in the text go when it is corrected; only the others can be put away.
  const dismiss = others.length > 0 ? (
    <button type="button" class="small" onClick={dismissProblems} data-testid="dismiss">
      Dismiss
    </button>
  ) : null;
  return (
    <Pane id="problems" title="Problems" note={note} tools={dismiss}>
      <div class="scroll">
        <div role="alert" data-testid="problems">
          {others.map((problem, i) => <ProblemText key={i} problem={problem} />)}
        </div>
        {found.length > 0 ? (
          <ul class="findings" aria-label="Findings in the text" data-testid="findings">
            {found.map((finding, i) => <FindingItem key={i} finding={finding} />)}
          </ul>
        ) : null}
      </div>
    </Pane>
  );
}
