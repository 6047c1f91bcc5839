// SPDX-License-Identifier: Apache-2.0
// What panes ask about tensors, profiles, plans and graphs. Handled by inspection.ts, in order with
// the other requests of protocol.ts.
import type {
  HistogramOptions, MemoryPlan, ModelGraph, PictureOptions, ProfileEvents, ProfileFormat,
  ProfileOperator, ProfileRow, Tensor, TensorComparison, TensorLayout, TensorPicture,
  TensorStatistics, Value,
} from 'tern-runtime';

/** A register of the recorded run. step: where it is not the one that is looked at. */
export interface TensorPlace {
  register: number;
  /** 0 is the innermost. */
  frame: number;
  step?: number;
}

export type CompareWith = { place: TensorPlace } | { tensor: Tensor };

export type TensorQuestion =
  | { ask: 'layout' }
  | { ask: 'hash' }
  | { ask: 'statistics'; options: HistogramOptions }
  | { ask: 'picture'; options: PictureOptions }
  | { ask: 'window'; starts: number[]; counts: number[] }
  | { ask: 'compare'; other: CompareWith; atol: number; rtol: number };

/** A register that looks at the same memory. */
export interface SharedView {
  register: number;
  frame: number;
  offset: number;
  bytes: number;
}

export type TensorFacts =
  | { ask: 'layout'; layout: TensorLayout; shared: SharedView[] }
  | { ask: 'hash'; hash: string }
  | { ask: 'statistics'; statistics: TensorStatistics }
  | { ask: 'picture'; picture: TensorPicture }
  | { ask: 'window'; tensor: Tensor }
  | { ask: 'compare'; comparison: TensorComparison };

/** Runs under the profiler. */
export interface ProfileReport {
  runs: number;
  nanoseconds: number;
  rows: ProfileRow[];
  operators: ProfileOperator[];
  events: ProfileEvents;
  droppedCalls: number;
  files: Partial<Record<ProfileFormat, string>>;
}

/** What the engine of this page does at best on this machine; measured. */
export interface MachineSpeed {
  /** Of a product of matrices, in a nanosecond. */
  operations: number;
  /** Read and written of tensors that no cache holds, in a nanosecond. */
  bytes: number;
}

export type InspectionRequest =
  | { kind: 'tensor'; place: TensorPlace; question: TensorQuestion }
  // measure: also what the machine does at best.
  | { kind: 'profile'; function: string; args: Value[]; repeat: number; measure: boolean }
  | { kind: 'plan'; sizes: Record<string, number> }
  | { kind: 'graph' };

/** tensor: undefined where the register holds none. */
export type InspectionAnswer =
  | { kind: 'tensor'; facts: TensorFacts | undefined }
  | { kind: 'profiled'; cold: ProfileReport; warm: ProfileReport;
    machine: MachineSpeed | undefined }
  | { kind: 'plan'; plan: MemoryPlan | undefined }
  | { kind: 'graph'; graph: ModelGraph | undefined };

export interface InspectionAnswerKinds {
  tensor: 'tensor';
  profile: 'profiled';
  plan: 'plan';
  graph: 'graph';
}
