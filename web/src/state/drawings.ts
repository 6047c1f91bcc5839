// SPDX-License-Identifier: Apache-2.0
// The drawing and what the classifier makes of it: a whole run beside the machine that is stepped.
// Fetched with the pane in which one draws.
import { computed } from '@preact/signals';
import { isTensor, type Tensor } from 'tern-runtime';
import { argmax, drawingImage, kSide, toProbabilities } from '../model/digits.js';
import { kSampleDigits } from '../model/sample-digits.js';
import type { Point, Stroke } from '../model/strokes.js';
import { elementAt } from '../model/elements.js';
import { canClassify } from './session.js';
import { elapsed, engine, guarded, session, update } from './store.js';

export function setStrokes(strokes: readonly Stroke[]): void {
  const image = drawingImage(strokes);
  update({ strokes, image, ...(image ? {} : { classification: undefined }) });
  void classify();
}

export function beginStroke(point: Point): void {
  setStrokes([...session.value.strokes, [point]]);
}

export function extendStroke(...points: Point[]): void {
  const { strokes } = session.value;
  const last = strokes.at(-1);
  if (last) setStrokes([...strokes.slice(0, -1), [...last, ...points]]);
}

export function undoStroke(): void {
  setStrokes(session.value.strokes.slice(0, -1));
}

export function clearDrawing(): void {
  setStrokes([]);
}

export function drawSample(digit: number): void {
  setStrokes(kSampleDigits[digit] ?? []);
}

async function classifyNow(image: Float32Array): Promise<void> {
  const input: Tensor = { dtype: 'f32', shape: [1, 1, kSide, kSide], data: image };
  const { functionName, program } = session.value;
  const answer = await engine.request({ kind: 'call', function: functionName, args: [input] });
  const scores = Object.values(answer.outputs)[0];
  // What was drawn or loaded meanwhile is not what this answer is about.
  if (session.value.program !== program || !session.value.image) return;
  if (!isTensor(scores)) return;
  const numbers = Array.from({ length: scores.data.length }, (_, i) => elementAt(scores, i));
  const probabilities = toProbabilities(numbers);
  const milliseconds = elapsed(answer.milliseconds);
  update({ classification: { digit: argmax(probabilities), probabilities, milliseconds } });
}

let classifying = false;

/** At most one call is under way; a drawing that has changed since is classified after it. */
export function classify(): Promise<void> {
  const { runtime, program } = session.value;
  // Before the engine is there, the program is shown and cannot be run.
  if (classifying || !runtime || program?.executable.length === 0) return Promise.resolve();
  if (!canClassify(session.value)) return Promise.resolve();
  classifying = true;
  return guarded(async () => {
    try {
      let done: Float32Array | undefined;
      while (session.value.image && session.value.image !== done) {
        done = session.value.image;
        await classifyNow(done);
      }
    } finally {
      classifying = false;
    }
  });
}

// Another program classifies what is drawn.
computed(() => session.value.program).subscribe(() => void classify());
