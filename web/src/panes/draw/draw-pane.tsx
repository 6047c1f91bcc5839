// SPDX-License-Identifier: Apache-2.0
// Draw a digit and see it classified: by mouse, pen, touch or keyboard, or let the page draw one.
import { useEffect, useState } from 'preact/hooks';
import { kSide } from '../../model/digits.js';
import { formatMilliseconds } from '../../model/format.js';
import { clearDrawing, classify, drawSample, undoStroke } from '../../state/drawings.js';
import { loadDigits } from '../../state/programs.js';
import { canClassify } from '../../state/session.js';
import { now } from '../../state/store.js';
import { Disclosure } from '../../widgets/disclosure.js';
import { NumberTable } from '../../widgets/number-table.js';
import { Pixels } from '../../widgets/pixels.js';
import { Pane } from '../pane.js';
import { DrawingArea } from './drawing-area.js';

const kDigits = Array.from({ length: 10 }, (_, digit) => digit);
// A stroke gives a result at each of its points. Screen readers would read them all.
const kQuietMilliseconds = 600;

const percent = (fraction: number): string => `${(100 * fraction).toFixed(1)} %`;

/** A text once it has stood still for a while: fit for a live region. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), kQuietMilliseconds);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

// Values of 0 to 255, white on black as in the data that the model learnt from.
function grey(image: Float32Array | undefined): Uint8ClampedArray<ArrayBuffer> {
  const pixels = new Uint8ClampedArray(4 * kSide * kSide);
  for (let i = 0; i < kSide * kSide; i++) {
    const ink = image?.[i] ?? 0;
    pixels.set([ink, ink, ink, 255], 4 * i);
  }
  return pixels;
}

// The digit changes with each point of a stroke, hence aria-live="off"; the hidden text is what is
// spoken.
function Verdict() {
  const { classification, image } = now;
  const digit = classification?.digit;
  const sure = classification ? percent(classification.probabilities[classification.digit]!) : '';
  const spoken = useSettled(digit === undefined ? '' : `It looks like a ${digit}, ${sure}`);
  return (
    <div class="verdict">
      <output class="digit" data-testid="digit" aria-live="off">
        {digit ?? '–'}
      </output>
      <span class="sure" data-testid="sure">
        {sure || (image ? '' : 'nothing drawn')}
      </span>
      <span class="detail">
        {classification ? formatMilliseconds(classification.milliseconds) : ''}
      </span>
      <span class="visually-hidden" role="status">
        {spoken}
      </span>
    </div>
  );
}

/** Bars are pictures of the numbers beside them, so that they are hidden from screen readers. */
function Probabilities() {
  const { classification } = now;
  const values = classification?.probabilities;
  return (
    <table class="probabilities" data-testid="probabilities">
      <caption class="visually-hidden">Probability of each digit</caption>
      <thead class="visually-hidden">
        <tr>
          <th scope="col">digit</th>
          <th scope="col">probability</th>
        </tr>
      </thead>
      <tbody>
        {kDigits.map((digit) => (
          <tr key={digit} class={digit === classification?.digit ? 'best' : ''}>
            <th scope="row">{digit}</th>
            <td>
              <span class="track" aria-hidden="true">
                <span class="bar" style={{ width: `${100 * (values?.[digit] ?? 0)}%` }} />
              </span>
              <span class="number">{values ? percent(values[digit]!) : '–'}</span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Seen() {
  const { image } = now;
  const label = image ? 'What the model sees, 28 by 28 pixels' : 'What the model sees: nothing yet';
  return (
    <div class="seen">
      <Pixels width={kSide} height={kSide} pixels={grey(image)} label={label} testid="seen" />
      <span class="detail" aria-hidden="true">
        as the model sees it
      </span>
    </div>
  );
}

function Samples() {
  return (
    <div class="samples" role="group" aria-label="Draw for me">
      <span class="detail" aria-hidden="true">
        or take
      </span>
      {kDigits.map((digit) => (
        <button
          key={digit}
          type="button"
          class="small"
          aria-label={`Draw a ${digit} for me`}
          data-testid={`sample-${digit}`}
          onClick={() => drawSample(digit)}
        >
          {digit}
        </button>
      ))}
    </div>
  );
}

function Table() {
  const { image } = now;
  const values = image ?? new Float32Array(kSide * kSide);
  // As whole numbers: the sampling gives fractions that nobody reads.
  const rounded = Array.from(values, Math.round);
  return (
    <NumberTable
      caption="The drawing as numbers"
      rows={kSide}
      columns={kSide}
      values={rounded}
      name="drawing-table"
    />
  );
}

/** Programs that do not take drawings have no use for the pane, and it says the way back. */
function Elsewhere() {
  return (
    <p class="hint padded">
      This function does not read a drawing of 28 × 28 and give ten scores.{' '}
      <button type="button" class="small" onClick={() => loadDigits()}>
        Load the digit classifier
      </button>
    </p>
  );
}

export function DrawPane() {
  const { image, program, strokes } = now;
  // Without a program the area is there all the same: the digits are on their way.
  if (program && !canClassify(now))
    return (
      <Pane id="draw" title="Draw a digit">
        <Elsewhere />
      </Pane>
    );
  const tools = (
    <>
      <button type="button" disabled={strokes.length === 0} onClick={undoStroke} data-testid="undo">
        Undo
      </button>
      <button
        type="button"
        disabled={strokes.length === 0}
        onClick={clearDrawing}
        data-testid="clear"
      >
        Clear
      </button>
      <button
        type="button"
        class="primary"
        disabled={!image || !program}
        onClick={() => classify()}
        data-testid="classify"
      >
        Classify
      </button>
    </>
  );
  return (
    <Pane id="draw" title="Draw a digit" tools={tools}>
      <div class="drawing">
        <DrawingArea />
        <div class="side">
          <Verdict />
          <Seen />
        </div>
      </div>
      <Samples />
      <Probabilities />
      <Disclosure summary="View drawing as table" testid="drawing-as-table">
        {() => <Table />}
      </Disclosure>
    </Pane>
  );
}
