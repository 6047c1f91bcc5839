// SPDX-License-Identifier: Apache-2.0
// The two runs that are compared, each with the instructions around the picked difference.
import { useEffect } from 'preact/hooks';
import type { LoadedProgram } from '../../engine/protocol.js';
import { linesAround } from '../../model/divergences.js';
import { formatCount } from '../../model/format.js';
import {
  followRuns, forgetRun, hasRun, keepRun, keptRun, pickedDivergence,
} from '../../state/compare.js';
import { now } from '../../state/store.js';
import '../../style/compare.css';
import { Pane } from '../pane.js';

function Code({ program, pc, side }: { program: LoadedProgram; pc: number; side: string }) {
  if (pc < 0) return <p class="hint padded">This run has ended there.</p>;
  return (
    <ol class="compare-code mono" aria-label={`Instructions of run ${side}`} tabIndex={0}>
      {linesAround(program.info, pc).map(({ pc: at, text }) => (
        <li
          key={at} class={at === pc ? 'differs' : ''}
          aria-current={at === pc ? 'step' : undefined}
        >
          <span class="detail">{at}</span> {text}
        </li>
      ))}
    </ol>
  );
}

interface RunProps {
  side: 'A' | 'B';
  of: { program: LoadedProgram; functionName: string; steps: number; outcome: string };
  pc: number | undefined;
}

function Run({ side, of: { program, functionName, steps, outcome }, pc }: RunProps) {
  return (
    <>
      <p class="padded" data-testid={`compare-run-${side.toLowerCase()}`}>
        <b>{program.name}</b> @{functionName}{' '}
        <span class="detail">{formatCount(steps, 'step')}, {outcome}</span>
      </p>
      {pc === undefined ? null : <Code program={program} pc={pc} side={side} />}
    </>
  );
}

export function RunAPane() {
  useEffect(followRuns, []);
  const kept = keptRun.value;
  return (
    <Pane
      id="compare-a" title="Run A"
      tools={
        <>
          {kept ? (
            <button type="button" class="small" data-testid="forget-run"
              onClick={() => void forgetRun()}>Forget</button>
          ) : null}
          <button type="button" class="small" data-testid="keep-run" disabled={!hasRun.value}
            onClick={() => void keepRun()}>Keep this run</button>
        </>
      }
    >
      {kept ? <Run side="A" of={kept} pc={pickedDivergence.value?.pcs[0]} /> : (
        <p class="hint padded">
          Run a program and keep the run. Then change the text, an input or the file, and run again.
        </p>
      )}
    </Pane>
  );
}

export function RunBPane() {
  useEffect(followRuns, []);
  const { program, functionName, trace, stopReason } = now;
  const isThere = program && trace && keptRun.value;
  return (
    <Pane id="compare-b" title="Run B">
      {isThere ? (
        <Run
          side="B" pc={pickedDivergence.value?.pcs[1]}
          of={{ program, functionName, steps: trace.end, outcome: stopReason || 'not at its end' }}
        />
      ) : <p class="hint padded">The run that the page shows, once another is kept as A.</p>}
    </Pane>
  );
}
