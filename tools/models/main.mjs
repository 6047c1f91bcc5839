// SPDX-License-Identifier: Apache-2.0
// The program behind tools/models.sh: finds model folders, runs their cases on a target, prints a
// line a case.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { compareStep, compareTensor } from './compare.mjs';
import { makeInputs } from './inputs.mjs';
import { compileModel, kRoot, openTarget } from './targets.mjs';
import { parseTensorProto } from './tensor_proto.mjs';
import { isTransducer, runTransducer } from './transducer.mjs';

function usage(problem) {
  console.error(
    `models: ${problem}\nusage: tools/models.sh [--target host|aarch64|wasm] [--vl BITS] ` +
      `[--dir DIR] [NAME…]`,
  );
  process.exit(2);
}

function parseArguments(args) {
  const options = { target: 'host', vl: undefined, dir: join(kRoot, 'tests/models'), names: [] };
  for (let i = 0; i < args.length; i++) {
    if (!args[i].startsWith('--')) {
      options.names.push(args[i]);
      continue;
    }
    const key = args[i].slice(2);
    const value = args[++i];
    if (!['target', 'vl', 'dir'].includes(key)) usage(`unknown option '${args[i - 1]}'`);
    if (value === undefined) usage(`--${key} needs a value`);
    options[key] = key === 'vl' ? Number(value) : value;
  }
  if (options.vl !== undefined && ![128, 256, 512, 1024, 2048].includes(options.vl))
    usage(`--vl ${options.vl}: 128, 256, 512, 1024 or 2048`);
  if (!existsSync(options.dir)) usage(`there is no folder '${options.dir}'`);
  return options;
}

/**
 * Cases of a folder in the format of docs/models.md: each a function that gives {error, problem}.
 */
function folderCases(folder) {
  const inputs = JSON.parse(readFileSync(join(folder, 'inputs.json'), 'utf8'));
  const expected = JSON.parse(readFileSync(join(folder, 'expected/expected.json'), 'utf8'));
  return inputs.cases.map((inputCase) => ({
    name: inputCase.name,
    run: (target, executable) => {
      const want = expected.cases.find((c) => c.name === inputCase.name);
      if (!want)
        return { error: Infinity, problem: `expected.json has no case '${inputCase.name}'` };
      if (isTransducer(inputCase))
        return runTransducer(inputCase, want, (tensors) => target.run(executable, tensors));
      let previous,
        error = 0;
      for (const [i, step] of inputCase.steps.entries()) {
        previous = target.run(executable, makeInputs(step, folder, previous));
        const result = compareStep(previous, want.steps[i], folder, want);
        error = Math.max(error, result.error);
        if (result.problem) return { error, problem: `step ${i}: ${result.problem}` };
      }
      return { error };
    },
  }));
}

/** X.onnx beside X_output_0.pb: one input of ones, 1x3x224x224. */
function plainCase(model) {
  return {
    name: 'ones',
    run: (target, executable) => {
      const want = parseTensorProto(readFileSync(model.replace(/\.onnx$/, '_output_0.pb')));
      const input = {
        dtype: 'f32',
        shape: [1, 3, 224, 224],
        data: new Float32Array(3 * 224 * 224).fill(1),
      };
      const outputs = target.run(executable, [input]);
      return compareTensor(Object.keys(outputs)[0], Object.values(outputs)[0], {
        dtype: want.dtype,
        shape: want.shape,
        expected: want.data,
      });
    },
  };
}

/**
 * {name, model, cases} for a folder with model.onnx, or for each plain model inside of a folder.
 */
function findModels(dir) {
  const models = [];
  for (const entry of readdirSync(dir).sort()) {
    const path = join(dir, entry);
    if (entry.endsWith('.onnx') && existsSync(path.replace(/\.onnx$/, '_output_0.pb'))) {
      models.push({ name: basename(entry, '.onnx'), model: path, cases: () => [plainCase(path)] });
    } else if (existsSync(join(path, 'model.onnx')) && existsSync(join(path, 'inputs.json'))) {
      models.push({ name: entry, model: join(path, 'model.onnx'), cases: () => folderCases(path) });
    } else if (statSync(path).isDirectory()) {
      models.push(...findModels(path));
    }
  }
  return models;
}

function select(models, options) {
  if (options.names.length === 0) return models;
  const wanted = options.names.flatMap((name) => {
    const found = models.filter((m) => m.name === name || m.model.includes(`/${name}/`));
    if (found.length === 0)
      usage(
        `no model '${name}' in '${options.dir}'; it has ${models.map((m) => m.name).join(', ')}`,
      );
    return found;
  });
  return [...new Set(wanted)];
}

function runCase(model, test, target, executable) {
  const start = performance.now();
  let result;
  try {
    result = test.run(target, executable());
  } catch (error) {
    result = { error: Infinity, problem: error.message };
  }
  const ms = Math.round(performance.now() - start);
  const line =
    `${model.name}/${test.name} on ${target.name}: largest error ` +
    `${result.error.toExponential(1)}, ${ms} ms`;
  console.log(
    result.problem
      ? `FAIL ${line}\n     ${result.problem.replaceAll('\n', '\n     ')}`
      : `ok   ${line}`,
  );
  return !result.problem;
}

const options = parseArguments(process.argv.slice(2));
const models = select(findModels(resolve(options.dir)), options);
const target = await openTarget(options.target, options.vl);
let passed = 0,
  failed = 0;
for (const model of models) {
  for (const test of model.cases()) {
    if (runCase(model, test, target, () => compileModel(model.model, model.name))) passed++;
    else failed++;
  }
}
if (passed + failed === 0) usage(`no model folder in '${options.dir}'`);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
