// SPDX-License-Identifier: Apache-2.0
// The targets a model can run on. Each is {name, run(executable, inputs) -> outputs by name},
// inputs by name or in order; the executable file is compiled once, by the host's command line, and
// is the same for all of them.
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { formatNpy, readNpy } from './npy.mjs';

export const kRoot = resolve(import.meta.dirname, '../..');
const kHost = process.env.TERN_CLI ?? join(kRoot, "build/host/tern");
const kAarch64 = join(kRoot, 'build/aarch64/tern');

/** An error of ours carries the program's own words. */
function execute(command, args) {
  try {
    return execFileSync(command, args, { stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1 << 28 });
  } catch (error) {
    throw new Error(String(error.stderr || error.message).trim());
  }
}

export function compileModel(model, name) {
  const folder = join(kRoot, 'build/models');
  mkdirSync(folder, { recursive: true });
  const executable = join(folder, `${name}.tern`);
  const newest = Math.max(statSync(model).mtimeMs, statSync(kHost).mtimeMs);
  if (!existsSync(executable) || statSync(executable).mtimeMs < newest) {
    const ours = `${executable}.${process.pid}`;  // another suite may be writing the same file
    execute(kHost, ['compile', model, '-o', ours, '--quiet']);
    renameSync(ours, executable);
  }
  return executable;
}

function commandLineTarget(name, command, prefix) {
  const results = new Map();
  const outputNames = (executable) => {
    if (!results.has(executable)) {
      const info = JSON.parse(execute(kHost, ['inspect', executable, '--format', 'json']));
      results.set(
        executable,
        info.functions.find((f) => f.name === 'main').results.map((r) => r.name),
      );
    }
    return results.get(executable);
  };
  return {
    name,
    run(executable, inputs) {
      const folder = mkdtempSync(join(kRoot, 'build/models/run-'));
      try {
        const args = [...prefix, 'run', executable, '--quiet'];
        Object.entries(inputs).forEach(([input, tensor], i) => {
          writeFileSync(join(folder, `in${i}.npy`), formatNpy(tensor));
          const named = Array.isArray(inputs) ? '' : `${input}=`;
          args.push('-i', `${named}@${join(folder, `in${i}.npy`)}`);
        });
        const names = outputNames(executable);
        names.forEach((output, i) =>
          args.push('--output', `${output}=@${join(folder, `out${i}.npy`)}`),
        );
        execute(command, args);
        return Object.fromEntries(
          names.map((output, i) => [output, readNpy(join(folder, `out${i}.npy`))]),
        );
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  };
}

async function wasmTarget() {
  const { createRuntime } = await import(join(kRoot, 'wasm/package/dist/index.js'));
  const runtime = await createRuntime();
  let loaded = { path: '', program: undefined };
  return {
    name: `wasm (${runtime.info.target})`,
    run(executable, inputs) {
      if (loaded.path !== executable) {
        loaded.program?.dispose();
        loaded = { path: executable, program: runtime.load(readFileSync(executable)) };
      }
      return loaded.program.run('main', inputs);
    },
  };
}

/**
 * target: host, aarch64 or wasm; vl: SVE vector length in bits for aarch64, undefined for qemu's
 * largest.
 */
export async function openTarget(target, vl) {
  if (target === 'host') return commandLineTarget('host', kHost, []);
  if (target === 'wasm') return wasmTarget();
  if (target === 'aarch64') {
    const cpu = vl ? `max,sme=off,sve-default-vector-length=${vl / 8}` : 'max,sme=off';
    return commandLineTarget(vl ? `aarch64 at ${vl} bit` : 'aarch64', 'qemu-aarch64', [
      '-cpu',
      cpu,
      kAarch64,
    ]);
  }
  throw new Error(`unknown target '${target}': expected host, aarch64 or wasm`);
}
