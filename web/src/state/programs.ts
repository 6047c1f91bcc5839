// SPDX-License-Identifier: Apache-2.0
// Loading programs: files of the visitor, and the digit classifier that comes with the page.
import type { LoadedProgram } from '../engine/protocol.js';
import { looksLikeLoops } from '../model/file-kind.js';
import { defaultExtents, type InputChoice, isFloat, takesDrawing } from '../model/inputs.js';
import { classify } from './drawings.js';
import { kEmptySession, kNoRun, type Session } from './session.js';
import { elapsed, engine, guarded, session, start, update } from './store.js';
import { showView } from './view.js';

const kDigits = new URL('../../../tests/models/digits/model.onnx', import.meta.url);

/** Inputs and sizes of a function as they are before anything is chosen. */
function defaults(program: LoadedProgram, functionName: string): Partial<Session> {
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
    return (await engine.request({ kind: 'load', name, bytes })).program;
  } catch (error) {
    update({ refused: name });
    throw error;
  } finally {
    update({ loading: undefined });
  }
}

/** Loop programs have a view of their own. */
async function openInLanes(name: string, bytes: Uint8Array): Promise<void> {
  const { openLoops } = await import('./lanes.js');
  showView('lanes');
  await openLoops(name, new TextDecoder().decode(bytes));
}

async function loadNow(name: string, bytes: Uint8Array): Promise<void> {
  const program = await compile(name, bytes);
  const { functions } = program.info;
  const first = functions.find((f) => f.name === 'main') ?? functions[0];
  const { runtime, wasmBytes, strokes, image } = session.value;
  update({
    ...kEmptySession, runtime, wasmBytes, strokes, image, run: 'idle',
    program: { ...program, milliseconds: elapsed(program.milliseconds) },
    ...defaults(program, first?.name ?? ''),
  });
  void classify();
}

async function open(name: string, bytes: Uint8Array): Promise<void> {
  if (looksLikeLoops(bytes, name)) return openInLanes(name, bytes);
  showView('machine');
  await loadNow(name, bytes);
}

export function load(name: string, bytes: Uint8Array): Promise<void> {
  return guarded(() => open(name, bytes));
}

export function loadFile(file: File): Promise<void> {
  return guarded(async () => open(file.name, new Uint8Array(await file.arrayBuffer())));
}

export function loadDigits(): Promise<void> {
  return guarded(async () => {
    const response = await fetch(kDigits);
    if (!response.ok) throw new Error(`the digit classifier: the server said ${response.status}`);
    await loadNow('digits.onnx', new Uint8Array(await response.arrayBuffer()));
  });
}

/** The engine, then the program that comes with the page. */
export async function begin(): Promise<void> {
  await start();
  if (session.value.runtime) await loadDigits();
}

export function setFunction(name: string): Promise<void> {
  return guarded(async () => {
    const { program } = session.value;
    if (!program) return;
    await engine.request({ kind: 'reset' });
    update({ ...kNoRun, run: 'idle', problems: [], ...defaults(program, name) });
  });
}
