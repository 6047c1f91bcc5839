// SPDX-License-Identifier: Apache-2.0
// An element of an input that is looked into, written by hand, and the run with it.
import { computed, signal } from '@preact/signals';
import { isTensor, type Parameter, type Tensor } from 'tern-runtime';
import { canBeWritten, flatIndex, withElement } from '../model/edit-element.js';
import { InputError } from '../model/inputs.js';
import { inspector } from './inspector.js';
import { makeArguments, run, setInput } from './runs.js';
import { currentFunction } from './session.js';
import { guarded, report, session } from './store.js';

/** The position that is to be changed: "0, 3". */
export const position = signal('');
export const element = signal('');
/** What was done or what was wrong with it. */
export const editNote = signal<{ readonly isWrong: boolean; readonly text: string } | undefined>(
  undefined);

/** The parameter that the register holds, where it is one whose elements can be written. */
export const editable = computed((): Parameter | undefined => {
  const { place, layout } = inspector.value;
  const { machine, before } = session.value;
  const state = before ?? machine;
  const outermost = (state?.frames.length ?? 0) - 1;
  if (!place || !layout || place.frame !== outermost) return undefined;
  // Registers of parameters are used again for other values, which have no name of a parameter.
  const parameter = currentFunction(session.value)?.params[place.register];
  const held = state!.frames[outermost]!.registers.find(({ index }) => index === place.register);
  const isIts = parameter !== undefined && held?.name === parameter.name;
  return isIts && parameter.dtype === layout.dtype && canBeWritten(layout.dtype)
    ? parameter : undefined;
});

export function editAt(index: readonly number[]): void {
  position.value = index.join(', ');
  editNote.value = undefined;
}

function edited({ name }: Parameter): Tensor {
  const at = currentFunction(session.value)!.params.findIndex((each) => each.name === name);
  const value = makeArguments()[at];
  if (!isTensor(value)) throw new InputError('E0205', `${name} is no tensor now`);
  return withElement(value, flatIndex(position.value, value.shape), element.value);
}

/** Of all that the parameter is now given, one element becomes another. */
export function applyEdit(isRunning: boolean): Promise<void> {
  const parameter = editable.value;
  if (!parameter) return Promise.resolve();
  return guarded(async () => {
    const tensor = edited(parameter);
    const { fileName } = session.value.inputs[parameter.name] ?? {};
    const mark = ', edited';
    setInput(parameter.name, {
      fill: 'file', tensor,
      fileName: fileName === undefined ? 'edited here'
        : fileName.startsWith('edited') || fileName.endsWith(mark) ? fileName : fileName + mark,
    });
    const text = `${parameter.name}[${position.value}] is ${element.value.trim()} in the next run`;
    editNote.value = { isWrong: false, text };
    if (isRunning) await run();
  }, (error) => {
    if (!(error instanceof InputError)) return report(error);
    const { message, help } = error;
    editNote.value = { isWrong: true, text: help ? `${message}: ${help}` : message };
  });
}
