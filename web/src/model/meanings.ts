// SPDX-License-Identifier: Apache-2.0
// What the instructions of the machine do, in a sentence each. Taken from the generated table
// itself, because the whole of tern-runtime would come with the first paint.
import { kInstructions } from '../../../wasm/package/src/generated/isa.js';

export const meaningOf = (opcode: string): string =>
  isInstruction(opcode) ? kInstructions[opcode]!.meaning : '';

export const isInstruction = (word: string): boolean => Object.hasOwn(kInstructions, word);
