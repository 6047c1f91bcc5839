// SPDX-License-Identifier: Apache-2.0
// Programs in the language (docs/language.md) through the module that has it: what is wrong with
// one, its layout, and what an editor asks. Positions are those of JavaScript strings; the module
// counts bytes of UTF-8.
import { type Diagnostic, TernError } from './errors.js';
import type { Pointer } from './exports.js';
import type { Memory } from './memory.js';
import { Positions, type TextRange } from './text_positions.js';

export type { TextRange } from './text_positions.js';

export type TokenKind =
  | 'keyword'
  | 'function'
  | 'parameter'
  | 'variable'
  | 'dimension'
  | 'constructor'
  | 'type'
  | 'operator'
  | 'number'
  | 'string'
  | 'comment'
  | 'punctuation';

export interface SourceToken extends TextRange {
  kind: TokenKind;
}

/** "name: type" of what stands at a position, and what it is. */
export interface Hover extends TextRange {
  text: string;
  note: string;
}

/** Where a name was declared: in the program, or in a file that comes with the language. */
export interface Definition extends TextRange {
  file: string;
}

export interface Completion {
  label: string;
  kind: string;
  detail: string;
}

export interface SourceSymbol extends TextRange {
  name: string;
  kind: string;
  detail: string;
}

/** A program with the fixes applied that leave nothing to write. */
export interface FixedSource {
  text: string;
  /** "program.tn:3:5: add ';'", one for each; places are those before the fix. */
  applied: string[];
}

/** What `querySource` answers, by question. All but the first and last want a position. */
export interface SourceAnswers {
  tokens: SourceToken[];
  hover: Hover | null;
  definition: Definition | null;
  complete: Completion[];
  symbols: SourceSymbol[];
}

/** The name that the module gives to a program in answers. */
const kFileName = 'program.tn';

function rangesOf(answer: unknown): TextRange[] {
  const items = Array.isArray(answer) ? (answer as unknown[]) : [answer];
  return items.filter(
    (item): item is TextRange => typeof item === 'object' && item !== null && 'begin' in item,
  );
}

/** @internal The calls of the C API, for a runtime whose module has the language. */
export class Language {
  constructor(
    private readonly memory: Memory,
    private readonly runtime: Pointer,
  ) {
    if (!memory.has('tern_compile_source')) {
      throw new TernError(
        'E0603',
        'this module has no language: make the runtime with createRuntime({ language: true })',
      );
    }
  }

  check(text: string, sourceName: string): Diagnostic[] {
    const json = this.call(text, sourceName, (data, size, name, out) =>
      this.memory.withText('json', (format) =>
        this.memory.call('tern_check_source', this.runtime, data, size, name, format, out),
      ),
    );
    return JSON.parse(json) as Diagnostic[];
  }

  checkAssembly(text: string, sourceName: string): Diagnostic[] {
    const json = this.call(text, sourceName, (data, size, name, out) =>
      this.memory.withText('json', (format) =>
        this.memory.call('tern_check_assembly', this.runtime, data, size, name, format, out),
      ),
    );
    return JSON.parse(json) as Diagnostic[];
  }

  fix(text: string, sourceName: string): FixedSource {
    const { memory } = this;
    const report = memory.scratch + 4;
    const fixed = this.call(text, sourceName, (data, size, name, out) =>
      memory.call('tern_fix_source', this.runtime, data, size, name, out, report),
    );
    const lines = memory.takeBuffer(memory.u32(report)).split('\n');
    return { text: fixed, applied: lines.filter((line) => line !== '') };
  }

  format(text: string, sourceName: string): string {
    return this.call(text, sourceName, (data, size, name, out) =>
      this.memory.call('tern_format_source', this.runtime, data, size, name, out),
    );
  }

  query(text: string, question: string, position: number): unknown {
    const positions = new Positions(text);
    const offset = positions.toBytes(position);
    const json = this.call(text, question, (data, size, name, out) =>
      this.memory.call('tern_query_source', this.runtime, data, size, name, offset, out),
    );
    const answer = JSON.parse(json) as unknown;
    // What lies in another file keeps its bytes.
    const elsewhere = (answer as Definition | null)?.file ?? kFileName;
    if (elsewhere === kFileName) positions.fromBytes(rangesOf(answer));
    return answer;
  }

  private call(
    text: string,
    name: string,
    f: (data: Pointer, size: number, name: Pointer, out: Pointer) => void,
  ): string {
    const { memory } = this;
    memory.withText(text, (data, size) =>
      memory.withText(name, (pointer) => f(data, size, pointer, memory.scratch)),
    );
    return memory.takeBuffer(memory.u32(memory.scratch));
  }
}
