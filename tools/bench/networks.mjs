// SPDX-License-Identifier: Apache-2.0
// Networks of tools/models/write_net.py for benchmarks that start programs: written, compiled, with
// their inputs as both Tern's command line and programs/onnxruntime.c read them.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeInputs } from '../models/inputs.mjs';
import { formatNpy } from '../models/npy.mjs';
import { kRoot } from '../models/targets.mjs';

/** ONNX Runtime's library for a processor, arm64 or x64, as the npm package has it. */
export const rivalLibrary = (processor) =>
  join(
    dirname(new URL(import.meta.url).pathname),
    `node_modules/onnxruntime-node/bin/napi-v6/linux/${processor}/libonnxruntime.so.1`,
  );

/** Builds one of the programs in tools/bench/programs. */
export function buildProgram(compiler, name, output) {
  const source = join(kRoot, `tools/bench/programs/${name}.c`);
  execFileSync(compiler, ['-O1', source, '-o', output, '-ldl']);
}

/** Builds the program that runs models on that library. */
export const buildRival = (compiler, output) => buildProgram(compiler, 'onnxruntime', output);

/**
 * {model, executable, tern, rival}: files in `folder`, and arguments that give both programs the
 * network's inputs.
 */
export function makeNetwork(name, folder) {
  execFileSync(join(kRoot, 'tools/models/write_net.py'), [folder, name]);
  const network = join(folder, name);
  const model = join(network, 'model.onnx');
  const executable = join(folder, `${name}.tern`);
  execFileSync(join(kRoot, 'build/host/tern'), ['compile', model, '-o', executable, '--quiet']);
  const { cases } = JSON.parse(readFileSync(join(network, 'inputs.json'), 'utf8'));
  const tern = [],
    rival = [];
  for (const [input, tensor] of Object.entries(makeInputs(cases[0].steps[0], network))) {
    const path = join(folder, `${name}-${input}`);
    writeFileSync(`${path}.npy`, formatNpy(tensor));
    writeFileSync(`${path}.bin`, new Uint8Array(tensor.data.buffer));
    tern.push('-i', `${input}=@${path}.npy`);
    rival.push(input, tensor.dtype, tensor.shape.join('x'), `${path}.bin`);
  }
  return { model, executable, tern, rival };
}
