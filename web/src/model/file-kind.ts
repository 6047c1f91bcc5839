// SPDX-License-Identifier: Apache-2.0
// What a file is, told by its contents; and, for files that are no programs, what to say about it.
import { looksLikeExecutable } from 'tern-runtime';
import { looksLikeLanguage } from './source-kind.js';

export type ProgramKind = 'executable' | 'onnx' | 'assembly' | 'language';

/** Either a program of some kind, or what the file is instead. */
export type FileKind = { program: ProgramKind } | { program?: undefined; what: string };

/** What a .tern file without its mark is. */
export const kUnmarked = 'not a Tern executable: it does not begin with the mark of one';

/** What fills parameters: an array, several of them, or what the browser decodes. */
export type InputKind = 'array' | 'archive' | 'picture' | 'sound';

const kKnown: readonly [what: string, start: readonly number[], input?: InputKind][] = [
  ['a WebAssembly module', [0x00, 0x61, 0x73, 0x6d]],
  ['a PNG image', [0x89, 0x50, 0x4e, 0x47], 'picture'],
  ['a JPEG image', [0xff, 0xd8, 0xff], 'picture'],
  ['a GIF image', [0x47, 0x49, 0x46, 0x38], 'picture'],
  ['a WebP image or a WAVE sound', [0x52, 0x49, 0x46, 0x46]],
  ['an Ogg sound', [0x4f, 0x67, 0x67, 0x53], 'sound'],
  ['a FLAC sound', [0x66, 0x4c, 0x61, 0x43], 'sound'],
  ['an MP3 sound', [0x49, 0x44, 0x33], 'sound'],
  ['a ZIP archive', [0x50, 0x4b, 0x03, 0x04]],
  ['a gzip archive', [0x1f, 0x8b]],
  ['a PDF document', [0x25, 0x50, 0x44, 0x46]],
  ['a native program (ELF)', [0x7f, 0x45, 0x4c, 0x46]],
  ['a NumPy array', [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59], 'array'],
];

const kAssembly = /^\s*(?:;[^\n]*\n\s*|#[^\n]*\n\s*)*\.(?:func|const|primitive|meta|name|loc)\b/;
const kSniffedBytes = 4096;
const kLoops = /^\s*(?:\/\/[^\n]*\n\s*)*(?:te|primfn)\s+\w+\s*[<(]/;

function startsWith(bytes: Uint8Array, start: readonly number[]): boolean {
  return start.every((byte, i) => bytes[i] === byte);
}

/** The beginning as text, or nothing if it holds bytes that no text has. */
function textOf(bytes: Uint8Array): string | undefined {
  const head = bytes.subarray(0, kSniffedBytes);
  for (const byte of head) {
    if (byte < 32 && byte !== 9 && byte !== 10 && byte !== 12 && byte !== 13) return undefined;
  }
  try {
    // A character cut in two at the end is no fault of the file: stream says more may come.
    return new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
  } catch {
    return undefined;
  }
}

function kindOfText(text: string, name: string): FileKind {
  if (kAssembly.test(text) || name.toLowerCase().endsWith('.tasm')) return { program: 'assembly' };
  if (looksLikeLanguage(text, name)) return { program: 'language' };
  const start = text.trimStart();
  if (/^<(?:!doctype html|html|head|body)/i.test(start)) return { what: 'an HTML page' };
  if (/^<[?!a-z]/i.test(start)) return { what: 'an XML document' };
  if (/^[{[]/.test(start)) return { what: 'a JSON document' };
  return { what: 'plain text' };
}

/** A Protobuf message of ONNX begins with one of the fields of ModelProto. */
function maybeOnnx(bytes: Uint8Array): boolean {
  const field = bytes[0]! >> 3;
  const wire = bytes[0]! & 7;
  return (wire === 0 && (field === 1 || field === 5)) ||
    (wire === 2 && ((field >= 2 && field <= 8) || [14, 20, 25].includes(field)));
}

export function sniff(bytes: Uint8Array, name: string): FileKind {
  if (bytes.length === 0) return { what: 'empty' };
  if (looksLikeExecutable(bytes)) return { program: 'executable' };
  for (const [what, start] of kKnown) if (startsWith(bytes, start)) return { what };
  const text = textOf(bytes);
  // Short models without a control character are not to be thought of as text.
  if (text !== undefined) return kindOfText(text, name);
  if (name.toLowerCase().endsWith('.tern') && !maybeOnnx(bytes)) return { what: kUnmarked };
  return { program: 'onnx' };
}

const kRiff: Readonly<Record<string, InputKind>> = { WAVE: 'sound', WEBP: 'picture' };

/** Of a ZIP archive: whether its first file is an array, as in all that NumPy writes. */
function isArchiveOfArrays(bytes: Uint8Array): boolean {
  const name = bytes.subarray(30, 30 + (bytes[26] ?? 0) + 256 * (bytes[27] ?? 0));
  return new TextDecoder().decode(name).endsWith('.npy');
}

/** Undefined for what fills no parameter. */
export function inputKind(bytes: Uint8Array): InputKind | undefined {
  const [what, , input] = kKnown.find(([, start]) => startsWith(bytes, start)) ?? [];
  if (what === 'a ZIP archive') return isArchiveOfArrays(bytes) ? 'archive' : undefined;
  const kind = new TextDecoder().decode(bytes.subarray(8, 12));
  return what?.includes('WAVE') ? kRiff[kind] : input;
}

const kTraceMark = 'TERNTRC1';

/** The record of a run (.terntrace). */
export function looksLikeTrace(bytes: Uint8Array): boolean {
  return bytes.length >= kTraceMark.length &&
    [...kTraceMark].every((letter, i) => bytes[i] === letter.charCodeAt(0));
}

/** A loop program, which the Lanes view shows: by its name, or by how it begins. */
export function looksLikeLoops(bytes: Uint8Array, name: string): boolean {
  const text = textOf(bytes);
  if (text === undefined) return false;
  return name.toLowerCase().endsWith('.tloop') || kLoops.test(text);
}

const kHelp: Record<string, string> = {
  'a ZIP archive': 'unpack it first, and open the .onnx or .tern file that is in it',
  [kUnmarked]: 'copy or compile it again',
};

export interface Finding {
  code: string;
  message: string;
  text: string;
}

/** The finding for a file that is no program, laid out as on the command line. */
export function notAProgram(name: string, what: string): Finding {
  const code = what === kUnmarked ? 'E0103' : 'E0604';
  const is = what === 'empty' ? 'is empty' : `is ${what}`;
  const message = `'${name}' ${is}${what === kUnmarked ? '' : ', not a program'}`;
  const help = kHelp[what] ??
    'open a .tern executable, an .onnx model, a .tn program, .tasm assembly, a .tloop program, ' +
    'a .terntrace, a .ternplay, or an input: .npy, .npz, a picture, a sound';
  return { code, message, text: `error[${code}]: ${message}\n   = help: ${help}\n` };
}
