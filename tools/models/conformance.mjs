// SPDX-License-Identifier: Apache-2.0
// The program behind tools/onnx_conformance.sh: finds the folders, feeds them to the conformance
// program of a target, starts it again after a case that ended it, and sums up.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { kRoot } from './targets.mjs';

const kPrograms = {
  host: [join(kRoot, 'build/host/tests/onnx/onnx_conformance')],
  aarch64: [
    'qemu-aarch64',
    '-cpu',
    'max,sme=off',
    join(kRoot, 'build/aarch64/tests/onnx/onnx_conformance'),
  ],
  wasm: [join(kRoot, 'tools/node.sh'), join(kRoot, 'build/wasm/tests/onnx/onnx_conformance.js')],
};
const kCaseSeconds = 60;

function usage(problem) {
  console.error(
    `onnx_conformance: ${problem}\nusage: tools/onnx_conformance.sh [--target ` +
      `host|aarch64|wasm] [--data DIR] [--list] [--expect FILE] [--kernels POLICY]`,
  );
  process.exit(2);
}

function parseArguments(args) {
  const options = {
    target: 'host',
    data: '/usr/share/libonnx-testdata/data',
    list: false,
    expect: undefined,
    kernels: undefined,
  };
  for (let i = 0; i < args.length; i++) {
    const key = args[i].replace(/^--/, '');
    if (args[i] === '--list') options.list = true;
    else if (!['--target', '--data', '--expect', '--kernels'].includes(args[i]))
      usage(`unknown option '${args[i]}'`);
    else if (args[i + 1] === undefined) usage(`${args[i]} needs a value`);
    else options[key] = args[++i];
  }
  if (!kPrograms[options.target]) usage(`unknown target '${options.target}'`);
  if (!existsSync(options.data))
    usage(`there is no folder '${options.data}' (Debian package libonnx-testdata)`);
  return options;
}

/** Builds the program of a target; what it says goes to stderr where it fails. */
function build(target) {
  const made = spawnSync(
    join(kRoot, 'tools/build.sh'),
    ['--target', 'onnx_conformance', target],
    { encoding: 'utf8' },
  );
  if (made.status === 0) return;
  console.error(`${made.stdout}${made.stderr}onnx_conformance: building it for ${target} failed`);
  process.exit(2);
}

/** Folders with a model.onnx and a test_data_set_0, below `dir`, in order. */
function findCases(dir) {
  const found = [];
  for (const entry of readdirSync(dir, { withFileTypes: true }).sort((a, b) =>
    a.name < b.name ? -1 : 1,
  )) {
    const path = join(dir, entry.name);
    if (!entry.isDirectory()) continue;
    if (existsSync(join(path, 'model.onnx')) && existsSync(join(path, 'test_data_set_0')))
      found.push(path);
    else found.push(...findCases(path));
  }
  return found;
}

/**
 * Runs all cases; a case that ends the program has failed, and the rest goes on in a new process.
 */
function runCases(command, cases) {
  const verdicts = [];
  while (verdicts.length < cases.length) {
    const rest = cases.slice(verdicts.length);
    const run = spawnSync(command[0], command.slice(1), {
      input: rest.join('\n') + '\n',
      encoding: 'utf8',
      maxBuffer: 1 << 28,
      timeout: Math.ceil(kCaseSeconds * 1000 * Math.max(4, rest.length / 20)),
    });
    if (run.error && run.error.code === 'ENOENT') usage(`${command[0]} is missing: build it first`);
    for (const line of (run.stdout ?? '').split('\n').filter(Boolean)) {
      const [verdict, folder, reason] = line.split('\t');
      if (['passed', 'failed', 'unsupported'].includes(verdict))
        verdicts.push({ verdict, folder, reason });
    }
    if (verdicts.length < cases.length && (run.status !== 0 || run.signal)) {
      const last = (run.stderr ?? '').trim().split('\n').slice(-1)[0];
      verdicts.push({
        verdict: 'failed',
        folder: cases[verdicts.length],
        reason: `the program ended: ${run.signal ?? run.status} ${last}`,
      });
    } else if (run.status === 0 && verdicts.length < cases.length) {
      throw new Error('the conformance program stopped before the last case');
    }
  }
  return verdicts;
}

function summarize(verdicts, root) {
  const groups = new Map();
  for (const { verdict, folder } of verdicts) {
    const group = folder.slice(root.length + 1).split('/')[0];
    const counts = groups.get(group) ?? { passed: 0, failed: 0, unsupported: 0 };
    counts[verdict]++;
    groups.set(group, counts);
  }
  for (const [group, c] of groups)
    console.log(
      `${group.padEnd(20)} ${c.passed} passed, ${c.failed} failed, ${c.unsupported} unsupported`,
    );
}

function printReasons(verdicts, kind) {
  const reasons = new Map();
  for (const { verdict, folder, reason } of verdicts) {
    if (verdict !== kind) continue;
    const key = reason.replace(/'[^']*'/g, (quoted) => (kind === 'unsupported' ? quoted : "'…'"));
    reasons.set(key, [...(reasons.get(key) ?? []), folder.split('/').pop()]);
  }
  if (reasons.size === 0) return;
  console.log(`\n${kind}:`);
  for (const [reason, names] of [...reasons].sort((a, b) => b[1].length - a[1].length)) {
    console.log(
      `  ${String(names.length).padStart(4)}  ${reason}  ` +
        `(${names.slice(0, 3).join(', ')}${names.length > 3 ? ', …' : ''})`,
    );
  }
}

const options = parseArguments(process.argv.slice(2));
build(options.target);
const root = realpathSync(options.data);
const cases = findCases(root);
if (cases.length === 0) usage(`no test folders below '${options.data}'`);
const policy = options.kernels === undefined ? [] : ['--kernels', options.kernels];
const verdicts = runCases([...kPrograms[options.target], ...policy], cases);
if (options.list)
  for (const v of verdicts)
    console.log(`${v.verdict.padEnd(11)} ${v.folder.slice(root.length + 1)} ${v.reason}`);
printReasons(verdicts, 'unsupported');
printReasons(verdicts, 'failed');
console.log('');
summarize(verdicts, root);
const passed = verdicts.filter((v) => v.verdict === 'passed');
if (options.expect) {
  const names = new Set(passed.map((v) => v.folder.slice(root.length + 1)));
  const wanted = readFileSync(options.expect, 'utf8')
    .split('\n')
    .filter((line) => line && !line.startsWith('#'));
  const lost = wanted.filter((name) => !names.has(name));
  for (const name of lost)
    console.log(
      `LOST ${name}: ${verdicts.find((v) => v.folder.endsWith(name))?.reason ?? 'no such folder'}`,
    );
  console.log(`${wanted.length - lost.length} passed, ${lost.length} failed`);
  process.exit(lost.length === 0 ? 0 : 1);
}
const failed = verdicts.filter((v) => v.verdict === 'failed').length;
console.log(
  `${passed.length} passed, ${failed} failed, ${verdicts.length - passed.length - failed} ` +
    `unsupported`,
);
