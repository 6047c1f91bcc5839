// SPDX-License-Identifier: Apache-2.0
// The inputs of a case as its inputs.json describes them: stored arrays, images, samples, generated
// numbers, or an output of the step before.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { kArrays, readNpy } from './npy.mjs';

const kTypes = {
  float32: 'f32',
  float64: 'f64',
  int64: 'i64',
  int32: 'i32',
  int16: 'i16',
  int8: 'i8',
  uint8: 'u8',
  uint16: 'u16',
  uint32: 'u32',
  uint64: 'u64',
  bool: 'bool',
};

export function dtypeOf(type) {
  const dtype = kTypes[type];
  if (!dtype) throw new Error(`element type '${type}' is not supported by this tool`);
  return dtype;
}

const count = (dims) => dims.reduce((product, extent) => product * extent, 1);

/** Bytes of an image, (byte - mean[c]) / std[c], planes or pixels as `layout` says. */
function fromBytes(gen, dims, folder) {
  const bytes = readFileSync(join(folder, gen.file));
  const channels = gen.channels ?? 1;
  const plane = bytes.length / channels;
  const data = new Float32Array(count(dims));
  const channelOf =
    gen.layout === 'nhwc' ? (i) => i % channels : (i) => Math.floor(i / plane) % channels;
  for (let i = 0; i < data.length; i++) {
    const c = channelOf(i);
    data[i] = (bytes[i] - gen.mean[c]) / gen.std[c];
  }
  return data;
}

function fromSamples(gen, dims, folder) {
  const bytes = readFileSync(join(folder, gen.file));
  return Float32Array.from({ length: count(dims) }, (_, i) => bytes.readInt16LE(2 * i) * gen.scale);
}

function fromValues(values, dtype) {
  const big = dtype === 'i64' || dtype === 'u64';
  return kArrays[dtype].from(values, (value) => (big ? BigInt(value) : Number(value)));
}

/**
 * s = s * 1664525 + 1013904223 mod 2^32; value = f32(lo + (hi - lo) * (s >>> 8) / 2^24), or lo +
 * (s >>> 8) % (hi - lo) of integers.
 */
function fromLcg(gen, dims, dtype) {
  let state = gen.seed >>> 0;
  const data = new kArrays[dtype](count(dims));
  const big = dtype === 'i64' || dtype === 'u64';
  for (let i = 0; i < data.length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const drawn = state >>> 8;
    const value =
      gen.kind === 'lcgint'
        ? gen.lo + (drawn % (gen.hi - gen.lo))
        : gen.lo + (gen.hi - gen.lo) * (drawn / 16777216);
    data[i] = big ? BigInt(Math.trunc(value)) : value;
  }
  return data;
}

/** Tensors by input name; `previous` holds the outputs of the step before. */
export function makeInputs(step, folder, previous) {
  const inputs = {};
  for (const { name, type, dims, gen } of step) {
    const dtype = dtypeOf(type);
    if (gen.kind === 'npy') {
      inputs[name] = { ...readNpy(join(folder, gen.file)), shape: dims };
    } else if (gen.kind === 'u8') {
      inputs[name] = { dtype, shape: dims, data: fromBytes(gen, dims, folder) };
    } else if (gen.kind === 's16') {
      inputs[name] = { dtype, shape: dims, data: fromSamples(gen, dims, folder) };
    } else if (gen.kind === 'values') {
      inputs[name] = { dtype, shape: dims, data: fromValues(gen.values, dtype) };
    } else if (gen.kind === 'zeros') {
      inputs[name] = { dtype, shape: dims, data: new kArrays[dtype](count(dims)) };
    } else if (gen.kind === 'lcg' || gen.kind === 'lcgint') {
      inputs[name] = { dtype, shape: dims, data: fromLcg(gen, dims, dtype) };
    } else if (gen.kind === 'carry') {
      const from = gen.output ?? gen.from ?? gen.name;
      if (!previous?.[from])
        throw new Error(
          `input '${name}' carries output '${from}', which the step before did not give`,
        );
      inputs[name] = previous[from];
    } else {
      throw new Error(`input '${name}': unknown generator '${gen.kind}'`);
    }
  }
  return inputs;
}
