// SPDX-License-Identifier: Apache-2.0
// From bytes to the program that the page shows.
import { signal } from '@preact/signals';
import { readProgramInfo } from 'tern-runtime';
import type { LoadedProgram } from '../engine/protocol.js';
import type { ProgramKind } from '../model/file-kind.js';
import { defaultExtents, type InputChoice, isFloat, takesDrawing } from '../model/inputs.js';
import { kEmptySession, kNoRun, type Session } from './session.js';
import { elapsed, engine, guarded, session, update } from './store.js';

export interface OpenedFile {
  readonly kind: ProgramKind;
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Inputs and sizes of a function as they are before anything is chosen. */
export function defaults(program: LoadedProgram, functionName: string): Partial<Session> {
  const info = program.info.functions.find((f) => f.name === functionName);
  const inputs: Record<string, InputChoice> = {};
  for (const param of info?.params ?? []) {
    // Integers are often indices, for which only zero is sure to be right.
    const fill = param.dtype && !isFloat(param.dtype) ? 'zeros' : 'random';
    inputs[param.name] = { fill: takesDrawing(param) ? 'drawing' : fill, seed: 1 };
  }
  return { functionName, inputs, symbols: info ? defaultExtents(info) : {} };
}

async function compile(name: string, bytes: Uint8Array): Promise<LoadedProgram> {
  update({ loading: name });
  try {
    const { program } = await engine.request({ kind: 'load', name, bytes });
    const { infoJson, ...facts } = program;
    return { ...facts, info: readProgramInfo(infoJson) };
  } catch (error) {
    update({ refused: name });
    throw error;
  } finally {
    update({ loading: undefined });
  }
}

/** What was opened last, as its file has it. */
export const openedFile = signal<OpenedFile | undefined>(undefined);

function show(program: LoadedProgram): void {
  const { functions } = program.info;
  const first = functions.find((f) => f.name === 'main') ?? functions[0];
  const { runtime, wasmBytes, strokes, image } = session.value;
  update({
    ...kEmptySession, runtime, wasmBytes, strokes, image, run: 'idle',
    program: { ...program, milliseconds: elapsed(program.milliseconds) },
    ...defaults(program, first?.name ?? ''),
  });
}

export async function loadNow(name: string, bytes: Uint8Array): Promise<void> {
  const program = await compile(name, bytes);
  show(program);
  openedFile.value = { kind: program.fileKind, name, bytes };
}

/** A program whose text has been compiled already: the file is the text. */
export async function loadMade(file: OpenedFile, executable: Uint8Array): Promise<void> {
  const program = await compile(file.name, executable);
  show({ ...program, fileKind: file.kind, fileBytes: file.bytes.length });
  openedFile.value = file;
}

export function setFunction(name: string): Promise<void> {
  return guarded(async () => {
    const { program } = session.value;
    if (!program) return;
    await engine.request({ kind: 'reset' });
    update({ ...kNoRun, run: 'idle', problems: [], ...defaults(program, name) });
  });
}
