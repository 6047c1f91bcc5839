// SPDX-License-Identifier: Apache-2.0
// The worker's side of inspection-protocol.ts. Every figure is the core's; handles are given back
// before the answer goes.
import type { InspectedTensor, Program, Runtime, Value } from 'tern-runtime';
import type { ProgramKind } from '../model/file-kind.js';
import type {
  CompareWith, InspectionAnswer, InspectionRequest, ProfileReport, SharedView, TensorFacts,
  TensorPlace, TensorQuestion,
} from './inspection-protocol.js';
import { machineSpeed } from './machine-speed.js';
import type { Recording } from './recording.js';
import { using } from './using.js';

/** The file that the program was made from. */
export interface ProgramSource {
  kind: ProgramKind;
  bytes: Uint8Array;
}

/** What the worker has to be asked about. */
export interface Inspected {
  runtime: () => Promise<Runtime>;
  program: () => Promise<Program>;
  recording: () => Recording;
  source: ProgramSource | undefined;
}

/** Registers of all frames that look at the storage of a tensor. */
function sharedViews(recording: Recording, { register, frame }: TensorPlace): SharedView[] {
  const tensor = recording.tensor({ register, frame });
  const storage = tensor ? using(tensor, (it) => it.layout().storage) : 0;
  if (storage === 0) return [];
  return recording.registers().flatMap((place) => {
    if (place.register === register && place.frame === frame) return [];
    const other = recording.tensor(place);
    const layout = other && using(other, (it) => it.layout());
    if (!layout || layout.storage !== storage) return [];
    return [{ ...place, offset: layout.offset, bytes: layout.bytes }];
  });
}

async function otherTensor(
  from: Inspected, other: CompareWith,
): Promise<InspectedTensor | undefined> {
  if ('place' in other) return from.recording().tensor(other.place);
  return (await from.runtime()).inspect(other.tensor);
}

async function answerQuestion(
  tensor: InspectedTensor, from: Inspected, place: TensorPlace, question: TensorQuestion,
): Promise<TensorFacts | undefined> {
  const { ask } = question;
  switch (ask) {
    case 'layout':
      return { ask, layout: tensor.layout(), shared: sharedViews(from.recording(), place) };
    case 'hash':
      return { ask, hash: tensor.hash() };
    case 'statistics':
      return { ask, statistics: tensor.statistics(question.options) };
    case 'picture':
      return { ask, picture: tensor.picture(question.options) };
    case 'window':
      return { ask, tensor: tensor.window(question.starts, question.counts) };
    case 'compare': {
      const { atol, rtol } = question;
      const other = await otherTensor(from, question.other);
      if (!other) return undefined;
      return { ask, comparison: using(other, (it) => tensor.compare(it, { atol, rtol })) };
    }
  }
}

async function tensorFacts(
  from: Inspected, place: TensorPlace, question: TensorQuestion,
): Promise<TensorFacts | undefined> {
  const tensor = from.recording().tensor(place);
  if (!tensor) return undefined;
  try {
    return await answerQuestion(tensor, from, place, question);
  } finally {
    tensor.dispose();
  }
}

function profiled(program: Program, name: string, args: Value[], repeat: number): ProfileReport {
  const profile = program.profile(name, args, { repeat });
  try {
    const { nanoseconds, rows, operators, droppedCalls } = profile;
    const files = { chrome: profile.export('chrome'), speedscope: profile.export('speedscope') };
    const events = profile.events();
    return { runs: repeat, nanoseconds, rows, operators, events, droppedCalls, files };
  } finally {
    profile.dispose();
  }
}

/** Handles requests that the worker does not know itself. */
export async function answerInspection(
  request: InspectionRequest, from: Inspected,
): Promise<InspectionAnswer> {
  const { kind } = request;
  switch (kind) {
    case 'tensor':
      return { kind, facts: await tensorFacts(from, request.place, request.question) };
    case 'profile': {
      const { function: name, args, repeat, measure } = request;
      const program = await from.program();
      const cold = profiled(program, name, args, 1);
      const warm = profiled(program, name, args, repeat);
      const machine = measure ? await machineSpeed(await from.runtime()) : undefined;
      return { kind: 'profiled', cold, warm, machine };
    }
    case 'plan': {
      if (from.source?.kind !== 'onnx') return { kind, plan: undefined };
      const runtime = await from.runtime();
      return { kind, plan: runtime.memoryPlan(from.source.bytes, request.sizes) };
    }
    case 'graph': {
      if (from.source?.kind !== 'onnx') return { kind, graph: undefined };
      return { kind, graph: (await from.runtime()).modelGraph(from.source.bytes) };
    }
  }
}
