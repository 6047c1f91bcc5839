// SPDX-License-Identifier: Apache-2.0
// The instructions of a program, from the columns in which the module tells them ("code" of
// tern_program_info, core/api/c_api.h). Operands become objects when they are first asked for: a
// program of 100 000 instructions has half a million, of which a reader sees a few.
import { kInstructions, kOperandKinds } from './generated/isa.js';
import { Positions } from './text_positions.js';

/** An operand of an instruction, as its text shows it. */
export interface InstructionOperand {
  /** Of core/vm/isa.def: "dst", "callee", "in", … */
  name: string;
  /** A letter of core/vm/isa.def: "w" is the destination, "r" a register that is read, … */
  role: string;
  kind: 'register' | 'immediate' | 'constant' | 'function' | 'primitive' | 'void' | 'vm';
  /** A number, or an index: of a register, a constant, a function, a primitive. */
  value?: number;
  /** Of a jump: the instruction that it goes to, as `pc`. */
  target?: number;
  /** Where in the text it begins and ends. */
  span: [begin: number, end: number];
}

export interface Instruction {
  pc: number;
  text: string;
  opcode: string;
  /** In the order of the text: the callee first, the destination last. */
  operands: InstructionOperand[];
  /** The file, or a node of a graph, that it was made from. */
  source?: string;
  /** In a source that is a text; both count from 1, columns in code points. */
  line?: number;
  column?: number;
}

/** As the module tells them. */
export interface CodeColumns {
  texts: string;
  numbers: number[];
  sources: string[];
}

const kMnemonics: readonly string[] = Object.entries(kInstructions).reduce<string[]>(
  (names, [mnemonic, { number }]) => {
    names[number] = mnemonic;
    return names;
  }, []);

/** How many numbers an operand has, and the place of an instruction in a source. */
const kOperand = 3;
const kPlace = 3;

const kAscii = /^[\0-\x7f]*$/;

/** The module counts bytes, which matters where a name is not ASCII. */
function inUnits(text: string, operands: InstructionOperand[]): InstructionOperand[] {
  if (kAscii.test(text)) return operands;
  const ranges = operands.map(({ span: [begin, end] }) => ({ begin, end }));
  new Positions(text).fromBytes(ranges);
  operands.forEach((operand, i) => (operand.span = [ranges[i]!.begin, ranges[i]!.end]));
  return operands;
}

/** The digits of a packed number: below `size`, and what is above. */
const split = (packed: number, size: number): [low: number, high: number] =>
  [packed % size, Math.floor(packed / size)];

/** Of one instruction, whose numbers begin at `first`. */
function readOperands(
  numbers: readonly number[], first: number, count: number, opcode: string, pc: number,
): InstructionOperand[] {
  const rows = kInstructions[opcode]!.operands;
  const operands: InstructionOperand[] = [];
  let end = 0;
  for (let at = first; at < first + kOperand * count; at += kOperand) {
    const [row, above] = split(numbers[at]!, 8);
    const [kindIndex, gap] = split(above, 8);
    const { name, role } = rows[row]!;
    const kind = kOperandKinds[kindIndex]!;
    const begin = end + gap;
    end = begin + numbers[at + 1]!;
    const operand: InstructionOperand = { name, role, kind, span: [begin, end] };
    const value = numbers[at + 2]!;
    if (kind !== 'void' && kind !== 'vm') operand.value = value;
    // Offsets of jumps, whose letter is that of isa.def.
    if (role === 'o') operand.target = pc + value;
    operands.push(operand);
  }
  return operands;
}

class ListedInstruction implements Instruction {
  readonly opcode: string;
  source?: string;
  line?: number;
  column?: number;
  #operands: InstructionOperand[] | undefined;
  readonly #numbers: readonly number[];
  readonly #at: number;

  constructor(readonly pc: number, readonly text: string, numbers: readonly number[], at: number) {
    this.opcode = kMnemonics[numbers[at]! % 256]!;
    this.#numbers = numbers;
    this.#at = at;
  }

  get operands(): InstructionOperand[] {
    if (this.#operands) return this.#operands;
    const [isPlaced, count] = split(Math.floor(this.#numbers[this.#at]! / 256), 2);
    const first = this.#at + 1 + kPlace * isPlaced;
    const found = readOperands(this.#numbers, first, count, this.opcode, this.pc);
    return (this.#operands = inUnits(this.text, found));
  }

  /** Getters are left out of JSON. */
  toJSON(): object {
    const { pc, text, opcode, ...place } = this;
    return { pc, text, opcode, operands: this.operands, ...place };
  }
}

export function readInstructions({ texts, numbers, sources }: CodeColumns): Instruction[] {
  const instructions: Instruction[] = [];
  const lines = texts.split('\n');
  for (let at = 0; at < numbers.length;) {
    const pc = instructions.length;
    const instruction = new ListedInstruction(pc, lines[pc]!, numbers, at);
    const [isPlaced, count] = split(Math.floor(numbers[at]! / 256), 2);
    if (isPlaced) {
      instruction.source = sources[numbers[at + 1]!]!;
      if (numbers[at + 2]! > 0) {
        instruction.line = numbers[at + 2]!;
        instruction.column = numbers[at + 3]!;
      }
    }
    instructions.push(instruction);
    at += 1 + kPlace * isPlaced + kOperand * count;
  }
  return instructions;
}
