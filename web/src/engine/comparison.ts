// SPDX-License-Identifier: Apache-2.0
// The worker's side of comparison-protocol.ts: a run that is kept while others are recorded, and
// its program with it. Both may still be those that are worked on.
import { type Program, type Runtime, TernError } from 'tern-runtime';
import type { ComparedPlace, ComparisonAnswer, ComparisonRequest } from './comparison-protocol.js';
import type { Recording } from './recording.js';
import { using } from './using.js';

export interface CurrentRun {
  runtime: () => Promise<Runtime>;
  recording: Recording | undefined;
  program: Program | undefined;
}

const kKinds: Readonly<Record<ComparisonRequest['kind'], true>> = {
  keepRun: true, dropKept: true, compareRuns: true, readSaved: true, compareSaved: true,
  compareValues: true,
};

export const isComparison = (request: { kind: string }): request is ComparisonRequest =>
  Object.hasOwn(kKinds, request.kind);

interface Kept {
  readonly recording: Recording;
  readonly program: Program;
  /** The record as it was when it was kept. */
  readonly bytes: Uint8Array;
}

export class Comparison {
  private kept: Kept | undefined;

  /** Gives back what is worked on no longer, unless it is kept. */
  release(recording: Recording | undefined): void {
    if (recording !== this.kept?.recording) recording?.dispose();
  }

  releaseProgram(program: Program | undefined): void {
    if (program !== this.kept?.program) program?.dispose();
  }

  async answer(
    request: ComparisonRequest, now: CurrentRun,
  ): Promise<ComparisonAnswer | { kind: 'done' }> {
    switch (request.kind) {
      case 'keepRun':
        this.keep(now);
        return { kind: 'done' };
      case 'dropKept':
        this.drop(now);
        return { kind: 'done' };
      case 'compareRuns': {
        const [a, b] = [this.a(), this.b(now)];
        const comparison = (await now.runtime()).compareTraces(a.bytes, b.save(), request.most);
        return { kind: 'comparedRuns', comparison };
      }
      case 'readSaved':
        return { kind: 'savedRun', contents: (await now.runtime()).readTrace(request.bytes) };
      case 'compareSaved': {
        const runtime = await now.runtime();
        const comparison = runtime.compareTraces(request.bytes, this.b(now).save(), 1);
        return { kind: 'comparedRuns', comparison };
      }
      case 'compareValues': {
        const [a, b] = [this.a().recording, this.b(now)];
        return { kind: 'comparedValues', ...compareValues(a, b, request.place) };
      }
    }
  }

  private a(): Kept {
    if (!this.kept) throw new TernError('E0606', 'no run is kept to compare with');
    return this.kept;
  }

  private b({ recording }: CurrentRun): Recording {
    if (!recording) throw new TernError('E0606', 'nothing has been run to compare');
    return recording;
  }

  private keep(now: CurrentRun): void {
    const recording = this.b(now);
    if (!now.program) throw new TernError('E0606', 'no program is loaded');
    const bytes = recording.save();
    this.drop(now);
    this.kept = { recording, program: now.program, bytes };
  }

  private drop({ recording, program }: CurrentRun): void {
    const { kept } = this;
    this.kept = undefined;
    if (kept && kept.recording !== recording) kept.recording.dispose();
    if (kept && kept.program !== program) kept.program.dispose();
  }
}

function compareValues(a: Recording, b: Recording, place: ComparedPlace) {
  const mine = a.tensorFromOutermost(place);
  if (!mine) return { comparison: undefined, shape: [] };
  return using(mine, (first) => {
    const { shape, dtype } = first.layout();
    const other = b.tensorFromOutermost(place);
    if (!other) return { comparison: undefined, shape };
    return using(other, (second) => {
      const layout = second.layout();
      // Tensors of two types differ in that, as the values' texts say.
      const isComparable = dtype === layout.dtype && String(shape) === String(layout.shape);
      const comparison = isComparable ? first.compare(second, { atol: 0, rtol: 0 }) : undefined;
      return { comparison, shape };
    });
  });
}
