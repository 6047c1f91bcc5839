// SPDX-License-Identifier: Apache-2.0
// Bytecode rows: the fields of instructions, as the core tells them, in columns.
import type {
  FunctionInfo, Instruction, InstructionOperand, ProgramInfo,
} from 'tern-runtime';
import { formatType } from './format.js';

/** An operand as the row shows it. */
export interface OperandPart {
  kind: InstructionOperand['kind'];
  text: string;
  /** What it is for, where the place alone does not say it: "offset", "true". */
  label: string;
  /** Of registers. */
  register?: number;
  /** The instruction that a jump or a function's name leads to. */
  leadsTo?: number;
}

export interface InstructionRow {
  pc: number;
  opcode: string;
  /** What is called, without its attributes. */
  callee: string;
  /** "strides=2,2 pads=1,1,1,1": the attributes of a primitive. */
  attributes: string;
  operands: OperandPart[];
  /** The first instruction of the function that is called. */
  calleePc?: number | undefined;
  /** "%3", or nothing. */
  destination: string;
  destinationRegister?: number | undefined;
  /** The instructions that it may jump to. */
  targets: readonly number[];
  /** The whole text, in single spaces. */
  text: string;
  /** The node that it was made from. */
  source: string;
}

/** The name of a primitive and its attributes. */
export function primitiveParts(name: string): [name: string, attributes: string] {
  const brace = name.indexOf('{');
  return brace < 0 ? [name, ''] : [name.slice(0, brace), name.slice(brace + 1, -1)];
}

const isCallee = ({ name, kind }: InstructionOperand): boolean =>
  name === 'callee' && (kind === 'function' || kind === 'primitive');

function calleeOf(
  operand: InstructionOperand | undefined, { functions, primitives }: ProgramInfo,
): [callee: string, attributes: string] {
  if (operand?.value === undefined) return ['', ''];
  if (operand.kind === 'function') return [`@${functions[operand.value]?.name ?? ''}`, ''];
  return primitiveParts(primitives[operand.value] ?? '');
}

// Operands of the same name or of one with a plain meaning need no word beside them.
const kUnlabelled = new Set(['in', 'a', 'b', 'ret', 'registers']);

function partOf(
  operand: InstructionOperand, text: string, labels: boolean, { functions }: ProgramInfo,
): OperandPart {
  const { kind, name, target, span, value } = operand;
  const shown = target === undefined ? text.slice(...span) : `→ ${target}`;
  const part: OperandPart = {
    kind, text: shown, label: labels && !kUnlabelled.has(name) ? name : '',
  };
  if (kind === 'register' && value !== undefined) part.register = value;
  const leadsTo = kind === 'function' ? functions[value ?? -1]?.first : target;
  if (leadsTo !== undefined) part.leadsTo = leadsTo;
  return part;
}

const kNowhere: readonly number[] = [];

function targetsOf({ operands }: Instruction): readonly number[] {
  const targets = operands.flatMap(({ target }) => (target === undefined ? [] : [target]));
  return targets.length > 0 ? targets : kNowhere;
}

/** Which instructions jump, so that operands of others are not looked at. */
class Jumps {
  private readonly known = new Map<string, boolean>();

  /** Where it may jump to: instructions of one name all can, or none. */
  targetsOf(instruction: Instruction): readonly number[] {
    const { opcode } = instruction;
    if (this.known.get(opcode) === false) return kNowhere;
    const targets = targetsOf(instruction);
    this.known.set(opcode, targets !== kNowhere);
    return targets;
  }
}

function rowOf(instruction: Instruction, info: ProgramInfo): InstructionRow {
  const { pc, opcode, text, operands, source = '' } = instruction;
  const callee = operands.find(isCallee);
  const written = operands.find(({ role }) => role === 'w');
  const others = operands.filter((each) => each !== callee && each !== written);
  const labels = new Set(others.map(({ name }) => name)).size > 1;
  const [name, attributes] = calleeOf(callee, info);
  const isWritten = written?.kind === 'register';
  const row: InstructionRow = {
    pc, opcode, callee: name, attributes, source,
    destination: isWritten ? text.slice(...written.span) : '',
    operands: others.map((operand) => partOf(operand, text, labels, info)),
    targets: targetsOf(instruction),
    text: text.trim().replace(/\s+/g, ' '),
  };
  if (isWritten && written.value !== undefined) row.destinationRegister = written.value;
  const first = callee?.kind === 'function' ? info.functions[callee.value ?? -1]?.first : undefined;
  if (first !== undefined) row.calleePc = first;
  return row;
}

/** A row whose texts are made when they are first shown: long programs have many that never are. */
class RowOnDemand implements InstructionRow {
  readonly pc: number;
  readonly opcode: string;
  readonly source: string;
  private known: InstructionRow | undefined;

  constructor(
    private readonly instruction: Instruction, private readonly info: ProgramInfo,
    readonly targets: readonly number[],
  ) {
    this.pc = instruction.pc;
    this.opcode = instruction.opcode;
    this.source = instruction.source ?? '';
  }

  private get row(): InstructionRow {
    return (this.known ??= rowOf(this.instruction, this.info));
  }

  get callee() { return this.row.callee; }
  get attributes() { return this.row.attributes; }
  get operands() { return this.row.operands; }
  get destination() { return this.row.destination; }
  get destinationRegister() { return this.row.destinationRegister; }
  get calleePc() { return this.row.calleePc; }
  get text() { return this.row.text; }
}

/** The row of one instruction; nothing where the program has none of that number. */
export function rowAt(info: ProgramInfo, pc: number): InstructionRow | undefined {
  const instruction = info.instructions[pc];
  return instruction && rowOf(instruction, info);
}

export interface FunctionRow {
  functionName: string;
  signature: string;
  /** Its first instruction, and how many it has. */
  first: number;
  count: number;
}

/** A line of the list: a function's heading, or an instruction of the function above it. */
export type CodeRow = FunctionRow | InstructionRow;

export const isFunctionRow = (row: CodeRow): row is FunctionRow => 'functionName' in row;

export function signatureOf({ params, results }: FunctionInfo): string {
  const inputs = params.map((p) => `${p.name}: ${formatType(p)}`).join(', ');
  const outputs = results.map(formatType);
  return `(${inputs}) → ${outputs.length === 1 ? outputs[0] : `(${outputs.join(', ')})`}`;
}

export function codeRows(info: ProgramInfo): CodeRow[] {
  const starts = new Map<number, FunctionInfo>(info.functions.map((f) => [f.first, f]));
  const jumps = new Jumps();
  const rows: CodeRow[] = [];
  for (const instruction of info.instructions) {
    const starting = starts.get(instruction.pc);
    if (starting) {
      const { name: functionName, first, count } = starting;
      rows.push({ functionName, signature: signatureOf(starting), first, count });
    }
    rows.push(new RowOnDemand(instruction, info, jumps.targetsOf(instruction)));
  }
  return rows;
}

/** Where each instruction is in the list. */
export function rowOfPc(rows: readonly CodeRow[]): Map<number, number> {
  const found = new Map<number, number>();
  rows.forEach((row, index) => {
    if (!isFunctionRow(row)) found.set(row.pc, index);
  });
  return found;
}

/** Rows [first, last) that a list of that scroll position and height shows, with a margin. */
export function visibleRange(
  count: number, rowHeight: number, scrollTop: number, height: number,
): [first: number, last: number] {
  const margin = 8;
  const first = Math.floor(scrollTop / rowHeight) - margin;
  const last = Math.ceil((scrollTop + height) / rowHeight) + margin;
  return [Math.min(Math.max(first, 0), count), Math.min(Math.max(last, 0), count)];
}
