// SPDX-License-Identifier: Apache-2.0
// Bytecode rows: the disassembler's text taken apart into columns.
import type { FunctionInfo, ProgramInfo } from 'tern-runtime';
import { formatType } from './format.js';

export interface InstructionParts {
  opcode: string;
  /** What is called, without its attributes. */
  callee: string;
  /** "strides=2,2 pads=1,1,1,1": the attributes of a primitive. */
  attributes: string;
  operands: string[];
  /** "%3", or nothing. */
  destination: string;
}

export interface InstructionRow extends InstructionParts {
  pc: number;
  /** The whole text, in single spaces. */
  text: string;
  /** The node that it was made from. */
  source: string;
}

/** Splits at commas and spaces outside of brackets, braces and quotes. */
export function splitOperands(text: string): string[] {
  const parts = text.match(/(?:"(?:\\.|[^"\\])*"|\[[^\]]*\]|\([^)]*\)|\{[^}]*\}|[^\s,])+/g);
  return parts ?? [];
}

function splitCallee(text: string): [callee: string, attributes: string] {
  const brace = text.indexOf('{');
  if (brace < 0) return [text, ''];
  return [text.slice(0, brace), text.slice(brace + 1, text.lastIndexOf('}'))];
}

/** "call  conv2d{strides=2,2} in: %0, c[1]   dst: %3" → its parts. */
export function splitInstruction(text: string): InstructionParts {
  const trimmed = text.trim();
  const opcode = /^\S*/.exec(trimmed)![0];
  let rest = trimmed.slice(opcode.length).trim();
  let destination = '';
  const dst = /(?:^|\s)dst: (\S+)$/.exec(rest);
  if (dst) {
    destination = dst[1]!;
    rest = rest.slice(0, dst.index).trim();
  }
  const input = /(?:^|\s)in: /.exec(rest);
  const calls = /^(?:call|invoke|tail_invoke|alloc_closure)/.test(opcode);
  if (!input) {
    const [callee, attributes] = calls ? splitCallee(rest) : ['', ''];
    return { opcode, callee, attributes, operands: calls ? [] : splitOperands(rest), destination };
  }
  const [callee, attributes] = splitCallee(rest.slice(0, input.index).trim());
  const operands = splitOperands(rest.slice(input.index + input[0].length));
  return { opcode, callee, attributes, operands, destination };
}

export interface FunctionRow {
  functionName: string;
  signature: string;
}

/** A line of the list: a function's heading, or an instruction of the function above it. */
export type CodeRow = FunctionRow | InstructionRow;

export const isFunctionRow = (row: CodeRow): row is FunctionRow => 'functionName' in row;

export function signatureOf({ params, results }: FunctionInfo): string {
  const inputs = params.map((p) => `${p.name}: ${formatType(p)}`).join(', ');
  const outputs = results.map(formatType);
  return `(${inputs}) → ${outputs.length === 1 ? outputs[0] : `(${outputs.join(', ')})`}`;
}

export function codeRows({ functions, instructions }: ProgramInfo): CodeRow[] {
  const starts = new Map<number, FunctionInfo>(functions.map((f) => [f.first, f]));
  return instructions.flatMap(({ pc, text, source }): CodeRow[] => {
    const short = text.trim().replace(/\s+/g, ' ');
    const row: CodeRow = { pc, ...splitInstruction(text), text: short, source: source ?? '' };
    const starting = starts.get(pc);
    if (!starting) return [row];
    return [{ functionName: starting.name, signature: signatureOf(starting) }, row];
  });
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
