// SPDX-License-Identifier: Apache-2.0
// What becomes of the program, stage by stage, under the strategy that is picked; the loop of the
// picked iteration is marked. LLVM IR says what its scalable vectors are at this vscale; then come
// a listing of AArch64 code and the text of the WebAssembly module.
import {
  kCodeStages, kStrategyNames, kStrategyWords, linesOfPart, rowAt,
} from '../../model/lanes.js';
import { listingOf } from '../../model/listings.js';
import { code, lanesNow, runOf, setStage, setStrategy, stages } from '../../state/lanes.js';
import { whenChanged } from '../../widgets/when-changed.js';
import { Pane } from '../pane.js';

// Stages without an entry are called as the core calls them, so that a new pass shows without a
// change here.
const kStageWords: Record<string, string> = {
  te: 'as it was written', loops: 'loops: the schedule applied',
};
/** How the core begins what it writes behind a line of LLVM IR about its vectors. */
const kHint = '  ; vscale ';

const Line = whenChanged(({ text, marked }: { text: string; marked: boolean }) => {
  const at = text.indexOf(kHint);
  return (
    <span class={marked ? 'line marked' : 'line'}>
      {at < 0 ? text : text.slice(0, at)}
      {at < 0 ? null : <span class="hint-text">{text.slice(at)}</span>}
      {'\n'}
    </span>
  );
});

/** Of one of kCodeStages, which are in no list, because they are made when they are looked at. */
function codeText(): string {
  const { stage, strategy } = lanesNow;
  if (kCodeStages[stage]?.form !== 'listing') return code.value;
  const { listings, text } = lanesNow;
  return stages.value.length > 0 ? listingOf(listings, text, strategy) : '';
}

export function StagesPane() {
  const { stage, strategy, cursor } = lanesNow;
  // The stage that was picked may not be there in another program: then the last one is shown.
  const found = stages.value.find((each) => each.stage === stage) ?? stages.value.at(-1);
  const isCode = kCodeStages[stage] !== undefined;
  const shown = isCode ? stage : (found?.stage ?? stage);
  const text = isCode ? codeText() : (found?.text ?? '');
  const row = cursor && rowAt(runOf(cursor.strategy), cursor.k);
  // Lines belong to the strategy that is shown, so a cursor in another one marks none.
  const marked = linesOfPart(text, cursor?.strategy === strategy ? row?.part : undefined);
  return (
    <Pane id="loop-stages" title="Stages">
      <div class="stage-tools">
        <label>
          <span class="detail">Stage</span>
          <select
            value={shown} data-testid="stage"
            onChange={(event) => void setStage(event.currentTarget.value)}
          >
            {stages.value.map((each) => (
              <option key={each.stage} value={each.stage}>
                {kStageWords[each.stage] ?? each.stage.replaceAll('_', ' ')}
              </option>
            ))}
            {Object.entries(kCodeStages).map(([id, { title }]) => (
              <option key={id} value={id}>{title}</option>
            ))}
          </select>
        </label>
        <label>
          <span class="detail">Strategy</span>
          <select
            value={strategy} data-testid="stage-strategy"
            onChange={(event) => {
              const name = kStrategyNames.find((each) => each === event.currentTarget.value);
              if (name) void setStrategy(name);
            }}
          >
            {kStrategyNames.map((name) => (
              <option key={name} value={name}>
                {kStrategyWords[name].letter}: {kStrategyWords[name].title}
              </option>
            ))}
          </select>
        </label>
      </div>
      <pre class="stage-text" tabIndex={0} role="group" aria-label="Text of the stage"
        data-testid="stage-text">
        {text.trimEnd().split('\n').map((line, i) => (
          <Line key={i} text={line} marked={marked.has(i)} />
        ))}
      </pre>
    </Pane>
  );
}
