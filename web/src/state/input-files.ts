// SPDX-License-Identifier: Apache-2.0
// Files that fill parameters: NumPy's arrays, pictures and sounds. Dropped, pasted or opened ones
// find the parameter of their name, or the first that they fit; one that is picked beside a
// parameter is for that. Fetched with the first file.
import type { Parameter, Tensor } from 'tern-runtime';
import { formatType } from '../model/format.js';
import { inputKind, notAProgram, sniff } from '../model/file-kind.js';
import { InputError } from '../model/inputs.js';
import {
  fits, kSampleRate, pictureSize, pictureTensor, soundTensor, symbolsFrom, takesSound,
} from '../model/media-inputs.js';
import { parseNpy } from '../model/npy.js';
import { type NamedTensor, parseNpz } from '../model/npz.js';
import { reveal } from './layout.js';
import { setInput, setSymbol } from './runs.js';
import { currentFunction } from './session.js';
import { session, update } from './store.js';

export interface InputFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Larger pictures are made smaller where the parameter does not say how large it wants them. */
const kMaxSide = 2048;

function put(parameter: Parameter, tensor: Tensor, fileName: string): void {
  setInput(parameter.name, { fill: 'file', tensor, fileName });
  for (const [symbol, extent] of Object.entries(symbolsFrom(parameter, tensor)))
    if (symbol in session.value.symbols) setSymbol(symbol, extent);
}

const listed = (parameters: readonly Parameter[]): string =>
  parameters.map((each) => `${each.name} ${formatType(each)}`).join(', ') || 'none';

function noPlace(file: string, what: string, free: readonly Parameter[]): InputError {
  return new InputError('E0205', `no parameter takes '${file}', ${what}`,
    `those that are left to fill: ${listed(free)}`);
}

/** The file cannot be what it seems to be: its kind is named, as of any file that is none. */
function undecodable({ name, bytes }: InputFile): InputError {
  const { what = 'a file' } = sniff(bytes, name) as { what?: string };
  return new InputError('E0604', `${notAProgram(name, what).message}, and this browser cannot ` +
    'decode it as an input', 'save it as PNG or WAV');
}

async function decodePicture(file: InputFile): Promise<ImageBitmap> {
  try {
    return await createImageBitmap(new Blob([file.bytes as Uint8Array<ArrayBuffer>]));
  } catch {
    throw undecodable(file);
  }
}

/** The pixels at a size, on white: what is transparent would be black. */
function pixelsOf(bitmap: ImageBitmap, width: number, height: number): ImageData {
  const context = new OffscreenCanvas(width, height).getContext('2d')!;
  context.fillStyle = 'white';
  context.fillRect(0, 0, width, height);
  context.drawImage(bitmap, 0, 0, width, height);
  return context.getImageData(0, 0, width, height);
}

async function placePicture(file: InputFile, free: readonly Parameter[]): Promise<Parameter> {
  const bitmap = await decodePicture(file);
  const share = Math.min(1, kMaxSide / Math.max(bitmap.width, bitmap.height));
  const [width, height] = [bitmap.width, bitmap.height]
    .map((side) => Math.max(1, Math.round(side * share))) as [number, number];
  for (const parameter of free) {
    const size = pictureSize(parameter, { width, height });
    if (!size) continue;
    put(parameter, pictureTensor(parameter, pixelsOf(bitmap, size.width, size.height)), file.name);
    return parameter;
  }
  throw noPlace(file.name, `a picture of ${bitmap.width} × ${bitmap.height}`, free);
}

/** One channel, the mean of all, at the rate that is wanted. */
async function decodeSound(file: InputFile): Promise<Float32Array> {
  let sound: AudioBuffer;
  try {
    const context = new OfflineAudioContext(1, 1, kSampleRate);
    sound = await context.decodeAudioData(file.bytes.slice().buffer as ArrayBuffer);
  } catch {
    throw undecodable(file);
  }
  const mean = new Float32Array(sound.length);
  for (let channel = 0; channel < sound.numberOfChannels; channel++) {
    const samples = sound.getChannelData(channel);
    for (let i = 0; i < mean.length; i++) mean[i]! += samples[i]! / sound.numberOfChannels;
  }
  return mean;
}

async function placeSound(file: InputFile, free: readonly Parameter[]): Promise<Parameter> {
  const samples = await decodeSound(file);
  const parameter = free.find(takesSound);
  const what = `a sound of ${samples.length} samples at ${kSampleRate} Hz`;
  if (!parameter) throw noPlace(file.name, what, free);
  put(parameter, soundTensor(parameter, samples), file.name);
  return parameter;
}

function placeArray(
  fileName: string, { name, tensor }: NamedTensor, free: readonly Parameter[],
): Parameter {
  const fitting = free.filter((parameter) => fits(parameter, tensor));
  const parameter = fitting.find((each) => each.name === name) ?? fitting[0];
  if (!parameter)
    throw noPlace(fileName, `${tensor.dtype}[${tensor.shape.join(', ')}]`, free);
  put(parameter, tensor, fileName);
  return parameter;
}

async function arraysOf({ name, bytes }: InputFile): Promise<NamedTensor[]> {
  if (inputKind(bytes) === 'archive') return parseNpz(bytes);
  return [{ name: name.replace(/\.npy$/i, ''), tensor: parseNpy(bytes) }];
}

/** Each parameter is filled by one file at most; what fits nowhere ends with an error. */
export async function fillInputs(files: readonly InputFile[]): Promise<void> {
  const info = currentFunction(session.value);
  if (!info) {
    throw new InputError('E0606', `'${files[0]!.name}' is an input, but no program is loaded`,
      'open a program first, or both together');
  }
  let free: readonly Parameter[] = info.params;
  const taken = (parameter: Parameter): void => {
    free = free.filter((each) => each !== parameter);
  };
  for (const file of files) {
    const kind = inputKind(file.bytes);
    if (kind === 'picture') taken(await placePicture(file, free));
    else if (kind === 'sound') taken(await placeSound(file, free));
    else for (const named of await arraysOf(file)) taken(placeArray(file.name, named, free));
  }
  update({ problems: [] });
  reveal('run');
}

/** For one parameter. An array is taken as it is: a run says whether it fits. */
export async function fillInput(name: string, file: InputFile): Promise<void> {
  const parameter = currentFunction(session.value)?.params.find((each) => each.name === name);
  if (!parameter) return;
  const kind = inputKind(file.bytes);
  if (kind === 'picture') await placePicture(file, [parameter]);
  else if (kind === 'sound') await placeSound(file, [parameter]);
  else {
    const arrays = await arraysOf(file);
    const array = arrays.find((each) => each.name === name) ??
      arrays.find(({ tensor }) => fits(parameter, tensor)) ?? arrays[0]!;
    put(parameter, array.tensor, file.name);
  }
  update({ problems: [] });
}
