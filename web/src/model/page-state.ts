// SPDX-License-Identifier: Apache-2.0
// All that a page shows, as one file (.ternplay): program, inputs, breakpoints, place, arrangement.
// Files of every version are read for ever; whoever made one is a stranger, so all is checked.
import type { RunLimits } from '../engine/debug-protocol.js';
import type { ProgramKind } from './file-kind.js';
import type { InputChoice } from './inputs.js';
import { damaged, pack, unpack } from './packed-values.js';
import type { Stroke } from './strokes.js';

export interface SavedProgram {
  readonly kind: ProgramKind;
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Of the page's programs; empty for others. */
  readonly example: string;
  /** What stands in the editor, where that is another text. */
  readonly edited?: string;
}

export interface SavedRun {
  readonly function: string;
  readonly inputs: Readonly<Record<string, InputChoice>>;
  readonly symbols: Readonly<Record<string, number>>;
  readonly strokes: readonly Stroke[];
  readonly breakpoints: readonly number[];
  readonly off: readonly number[];
  readonly watches: readonly { readonly text: string; readonly enabled: boolean }[];
  readonly limits: RunLimits;
  /** Instructions that were recorded, and the one that is looked at; nothing ran: both 0. */
  readonly end: number;
  readonly step: number;
  readonly frame: number;
}

export interface SavedLoops {
  readonly example: string;
  readonly name: string;
  readonly text: string;
  readonly n: number;
  readonly vscale: number;
  readonly strategy: string;
  readonly stage: string;
  readonly metric: string;
}

export interface PageState {
  readonly program?: SavedProgram;
  readonly run: SavedRun;
  readonly loops?: SavedLoops;
  /** What it does not know, the layout leaves out by itself. */
  readonly layout: unknown;
  /** As in an address: "pc:7". */
  readonly selected?: string;
}

const kMark = '{"ternplay":';
const kVersion = 1;
const kMostSteps = 1e9;

export function looksLikeState(bytes: Uint8Array): boolean {
  return bytes.length >= kMark.length &&
    [...kMark].every((letter, i) => bytes[i] === letter.charCodeAt(0));
}

/** The same state gives the same text. */
export function writePageState(state: PageState): string {
  return `${JSON.stringify({ ternplay: kVersion, ...(pack(state) as object) })}\n`;
}

type Check = (value: unknown) => boolean;
type Fields = Readonly<Record<string, Check>>;

const isText: Check = (value) => typeof value === 'string';
const isFlag: Check = (value) => typeof value === 'boolean';
const isCount: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const isSteps: Check = (value) => isCount(value) && (value as number) <= kMostSteps;
const oneOf = (...words: string[]): Check => (value) => words.includes(value as string);
const listOf = (check: Check): Check => (value) => Array.isArray(value) && value.every(check);
const maybe = (check: Check): Check => (value) => value === undefined || check(value);
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const mapOf = (check: Check): Check => (value) =>
  isRecord(value) && Object.values(value).every(check);
const has = (fields: Fields): Check => (value) =>
  isRecord(value) && Object.entries(fields).every(([key, check]) => check(value[key]));

const isPoint = has({ x: Number.isFinite, y: Number.isFinite });
const isInput = has({
  fill: oneOf('random', 'zeros', 'ones', 'drawing', 'file'), seed: maybe(isCount),
  fileName: maybe(isText),
});

const kParts: Readonly<Record<string, Fields>> = {
  program: {
    kind: oneOf('executable', 'onnx', 'assembly', 'language'), name: isText,
    bytes: (value) => value instanceof Uint8Array, example: isText, edited: maybe(isText),
  },
  run: {
    function: isText, inputs: mapOf(isInput), symbols: mapOf(isCount),
    strokes: listOf(listOf(isPoint)), breakpoints: listOf(isCount), off: listOf(isCount),
    watches: listOf(has({ text: isText, enabled: isFlag })),
    limits: has({ steps: isCount, milliseconds: isCount, bytes: isCount }),
    end: isSteps, step: isSteps, frame: isCount,
  },
  loops: {
    example: isText, name: isText, text: isText, n: isCount, vscale: isCount, strategy: isText,
    stage: isText, metric: isText,
  },
};

function checkPart(name: string, fields: Fields, part: unknown): void {
  if (!isRecord(part)) throw damaged(`${name} is not there`);
  for (const [key, check] of Object.entries(fields))
    if (!check(part[key])) throw damaged(`${key} of ${name} is not what it has to be`);
}

function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    throw damaged('it is cut off, or no JSON');
  }
}

export function readPageState(text: string): PageState {
  const { ternplay: version, ...packed } = parsed(text);
  if (version !== kVersion)
    throw damaged(`it is of version ${String(version).slice(0, 20)}, this page reads ${kVersion}`);
  const state = unpack(packed) as Record<string, unknown>;
  for (const [name, fields] of Object.entries(kParts))
    if (name === 'run' || state[name] !== undefined) checkPart(name, fields, state[name]);
  if (!maybe(isText)(state['selected'])) throw damaged('what is selected is no text');
  return state as unknown as PageState;
}
