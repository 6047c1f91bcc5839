// SPDX-License-Identifier: Apache-2.0
// Opening a record of a run: the program that is loaded runs once more with the arguments of the
// record, is recorded here, and both records are compared.
import type { TraceContents } from 'tern-runtime';
import { InputError } from '../model/inputs.js';
import { callOf, isOf } from '../model/saved-trace.js';
import { reveal } from './layout.js';
import { setFunction } from './loading.js';
import { setInput, step } from './runs.js';
import { engine, session, update } from './store.js';

function checkProgram(name: string, recorded: TraceContents['functions']): void {
  const functions = session.value.program?.info.functions ?? [];
  if (isOf(recorded, functions)) return;
  const names = recorded.slice(0, 4).map((each) => `@${each.name}`).join(', ');
  const loaded = session.value.program?.name;
  throw new InputError(
    'E0606', `'${name}' is the record of a run of other code: it has ${names}`,
    `${loaded ? `${loaded} is loaded; ` : ''}open the program of the record first, or drop both`);
}

function differenceOf(name: string, state: number): string {
  return `not as in ${name}: the values differ from step ${state} on`;
}

/** Within an action of its own: the caller guards it. */
export async function openTrace(name: string, bytes: Uint8Array): Promise<void> {
  const { contents } = await engine.request({ kind: 'readSaved', bytes });
  const call = callOf(name, contents);
  checkProgram(name, contents.functions);
  await setFunction(call.function);
  const info = session.value.program?.info.functions.find((each) => each.name === call.function);
  info?.params.forEach((param, i) => {
    setInput(param.name, { fill: 'file', value: call.args[i]!, fileName: name });
  });
  await step(contents.end);
  // The run as it ended: with an error, it is that which is shown.
  if (!session.value.trace) return;
  const { comparison } = await engine.request({ kind: 'compareSaved', bytes });
  const [first] = comparison.divergences;
  update({
    replayed: first ? differenceOf(name, first.step) : `as in ${name}, at every step`,
  });
  reveal('timeline');
}
