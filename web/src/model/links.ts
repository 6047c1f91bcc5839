// SPDX-License-Identifier: Apache-2.0
// What belongs together: lines of the text, nodes of a model, lines of each stage of compilation,
// instructions. All of them came from places that the core names (a node, or a line and column of
// a file), and are linked where they share one. Panes ask this for what to highlight.
import type { Instruction } from 'tern-runtime';
import type { Selection } from './selection.js';

/** A stage of compilation: its lines that came from somewhere, counted from 1. */
export interface LinkedStage {
  readonly name: string;
  readonly origins: readonly (readonly [line: number, origin: string])[];
}

/** What belongs to a selection, in every place. */
export interface Links {
  /** Ascending. */
  readonly pcs: ReadonlySet<number>;
  /** Nodes of the model. */
  readonly nodes: ReadonlySet<string>;
  /** Lines of the file, counted from 1. */
  linesOf(file: string): readonly number[];
  /** Lines of the stage, counted from 1. */
  stageLines(stage: string): readonly number[];
}

export interface LinkIndex {
  of(selection: Selection | undefined): Links;
}

const kNothing: readonly never[] = [];
export const kNoLinks: Links = {
  pcs: new Set(), nodes: new Set(), linesOf: () => kNothing, stageLines: () => kNothing,
};
export const kNoIndex: LinkIndex = { of: () => kNoLinks };

function push<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const known = lists.get(key);
  if (known) known.push(value);
  else lists.set(key, [value]);
}

const fileOf = (origin: string): string => origin.replace(/:\d+:\d+$/, '');

/** "softmax.tn:4:13", or the name of a node; as the lines of stages have it. */
function originOf({ source, line, column }: Instruction): string | undefined {
  return source !== undefined && line !== undefined ? `${source}:${line}:${column ?? 1}` : source;
}

const ascending = (numbers: Iterable<number>): number[] =>
  [...new Set(numbers)].sort((a, b) => a - b);

/** Of one program: the places that its parts came from, and the parts that came from each. */
class ProgramLinks implements LinkIndex {
  /** Origins that are known to have no line, whatever they are called. */
  private readonly nodes = new Set<string>();
  private readonly pcsOf = new Map<string, number[]>();
  private readonly originsOfLine = new Map<string, Set<string>>();
  private readonly stages = new Map<string, Map<string, number[]>>();
  private readonly originOfStageLine = new Map<string, ReadonlyMap<number, string>>();

  constructor(
    private readonly instructions: readonly Instruction[], stages: readonly LinkedStage[],
  ) {
    for (const instruction of instructions) {
      const origin = originOf(instruction);
      if (origin === undefined) continue;
      if (instruction.line === undefined) this.nodes.add(origin);
      push(this.pcsOf, origin, instruction.pc);
      this.addLine(origin);
    }
    for (const { name, origins } of stages) {
      const lines = new Map<string, number[]>();
      for (const [line, origin] of origins) {
        push(lines, origin, line);
        this.addLine(origin);
      }
      this.stages.set(name, lines);
      this.originOfStageLine.set(name, new Map(origins));
    }
  }

  of(selection: Selection | undefined): Links {
    const origins = this.originsOf(selection);
    const isPc = selection?.kind === 'pc';
    if (origins.length === 0 && !isPc) return kNoLinks;
    const chosen = isPc ? [selection.pc] : origins.flatMap((each) => this.pcsOf.get(each) ?? []);
    const places = origins.map((each) => ({ file: fileOf(each), line: this.lineOf(each) }));
    const nodes = origins.filter((each) => this.lineOf(each) === undefined);
    return {
      pcs: new Set(ascending(chosen)), nodes: new Set(nodes),
      linesOf: (file) => ascending(places.flatMap((place) =>
        (place.file === file && place.line !== undefined ? [place.line] : []))),
      stageLines: (stage) =>
        ascending(origins.flatMap((each) => this.stages.get(stage)?.get(each) ?? [])),
    };
  }

  private lineOf(origin: string): number | undefined {
    const found = /:(\d+):\d+$/.exec(origin);
    return found && !this.nodes.has(origin) ? Number(found[1]) : undefined;
  }

  private addLine(origin: string): void {
    const line = this.lineOf(origin);
    if (line === undefined) return;
    const key = `${fileOf(origin)}:${line}`;
    const known = this.originsOfLine.get(key);
    if (known) known.add(origin);
    else this.originsOfLine.set(key, new Set([origin]));
  }

  private originsOf(selection: Selection | undefined): readonly string[] {
    switch (selection?.kind) {
      case 'pc': {
        const instruction = this.instructions[selection.pc];
        const origin = instruction && originOf(instruction);
        return origin === undefined ? [] : [origin];
      }
      case 'span': return this.originsOfLines(selection.file, selection.span);
      case 'node': return [selection.name];
      case 'line': {
        const origin = this.originOfStageLine.get(selection.stage)?.get(selection.line);
        return origin === undefined ? [] : [origin];
      }
      default: return [];
    }
  }

  private originsOfLines(
    file: string, { line, endLine }: { line: number; endLine: number },
  ): readonly string[] {
    const origins = new Set<string>();
    for (let at = line; at <= endLine; ++at) {
      for (const origin of this.originsOfLine.get(`${file}:${at}`) ?? []) origins.add(origin);
    }
    return [...origins];
  }
}

export function buildLinks(
  instructions: readonly Instruction[], stages: readonly LinkedStage[],
): LinkIndex {
  return new ProgramLinks(instructions, stages);
}

/**
 * The listing of a program as a stage: its instructions stand one to a line, in the order of their
 * numbers, indented, behind places and labels that begin otherwise.
 */
export function linesOfListing(text: string): number[] {
  const lines = text.split('\n');
  const first = lines.findIndex((line) => line.startsWith('.func '));
  if (first < 0) return [];
  return lines.flatMap((line, i) => (i > first && /^ {2}[^ .]/.test(line) ? [i + 1] : []));
}

/** Nothing where the listing is of another program. */
export function listingStage(
  name: string, text: string, instructions: readonly Instruction[],
): LinkedStage {
  const lines = linesOfListing(text);
  if (lines.length !== instructions.length) return { name, origins: [] };
  return {
    name,
    origins: instructions.flatMap((instruction, i): [number, string][] => {
      const origin = originOf(instruction);
      return origin === undefined ? [] : [[lines[i]!, origin]];
    }),
  };
}
