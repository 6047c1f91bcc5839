// SPDX-License-Identifier: Apache-2.0
// The program behind tools/bench/aarch64. Instructions of one run are half of the difference
// between three runs and one, each counted by a plugin of the emulator (programs/count.c).
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { kRoot } from '../models/targets.mjs';
import { buildRival, makeNetwork, rivalLibrary } from './networks.mjs';

// Millions of instructions of ONNX Runtime 1.30 at 128 bits (it has no SVE product of floats, so
// that other lengths differ by less than 7 %); multiply-adds of one lane; targets at 128, 256 and
// 512 bits as a part of the rival, of products at any length as a multiple of the multiply-adds.
const kCases = {
  'mobilenet-v2': { rival: 181.7, targets: { 128: 0.7, 256: 0.38, 512: 0.2 } },
  'resnet-18': { rival: 666, targets: { 128: 0.7, 256: 0.38, 512: 0.2 } },
  'bert-tiny': { rival: 23.86, targets: { 128: 0.7, 256: 0.38, 512: 0.2 } },
  'mnist-cnn': { rival: 0.347, targets: { 128: 0.5, 256: 0.5, 512: 0.5 } },
  'matmul-64': { rival: 0.0962, multiplications: 64 ** 3 },
  'matmul-256': { rival: 5.264, multiplications: 256 ** 3 },
};
const kFloorTarget = 1.15;
const kLibraries = '/usr/aarch64-linux-gnu/lib';
const kTern = join(kRoot, 'build/aarch64/tern');

function usage(problem) {
  console.error(`bench/aarch64: ${problem}`);
  process.exit(2);
}

function parseArguments() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        json: { type: 'string' },
        bits: { type: 'string', default: '128,256,512,1024,2048' },
        'count-rival': { type: 'boolean', default: false },
      },
    });
    const unknown = positionals.find((name) => !(name in kCases));
    if (unknown) usage(`no network '${unknown}'; there are ${Object.keys(kCases).join(', ')}`);
    const bits = values.bits.split(',').map(Number);
    const wrong = bits.find((length) => ![128, 256, 512, 1024, 2048].includes(length));
    if (wrong !== undefined) usage(`--bits takes lengths such as 128,256, not '${values.bits}'`);
    const names = positionals.length > 0 ? positionals : Object.keys(kCases);
    return { json: values.json, bits, countRival: values['count-rival'], names };
  } catch (error) {
    usage(error.message);
  }
}

/** The plugin, the rival's program, and files of the system as the rival looks for them. */
function prepare(folder) {
  const version = execFileSync('qemu-aarch64', ['--version'], { encoding: 'utf8' });
  const major = Number(/version (\d+)/.exec(version)[1]);
  const flags = ['-O1', '-shared', '-fPIC', `-DPLUGIN_VERSION=${major >= 9 ? 2 : 1}`];
  const plugin = join(kRoot, 'tools/bench/programs/count.c');
  execFileSync('cc', [...flags, plugin, '-o', join(folder, 'count.so')]);
  buildRival('aarch64-linux-gnu-gcc', join(folder, 'rival'));
  mkdirSync(join(folder, 'root/proc'), { recursive: true });
  symlinkSync(kLibraries, join(folder, 'root/lib'));
  // The rival's library reads which processor it is on from here, and ends where that is another.
  const processor = [
    'processor\t: 0',
    'Features\t: fp asimd aes pmull sha1 sha2 crc32 atomics fphp asimdhp asimddp',
    'CPU implementer\t: 0x41',
    'CPU architecture: 8',
    'CPU variant\t: 0x3',
    'CPU part\t: 0xd0c',
    'CPU revision\t: 1\n\n',
  ].join('\n');
  writeFileSync(
    join(folder, 'root/proc/cpuinfo'),
    processor + processor.replace('processor\t: 0', 'processor\t: 1'),
  );
}

function count(folder, bits, args) {
  const emulator = [
    ...['-L', join(folder, 'root')],
    ...['-cpu', `max,sme=off,sve-default-vector-length=${bits / 8}`],
    ...['-plugin', join(folder, 'count.so')],
  ];
  const run = spawnSync('qemu-aarch64', [...emulator, ...args], { encoding: 'utf8' });
  const counted = /^instructions (\d+)$/m.exec(run.stderr ?? '');
  if (run.status !== 0 || !counted)
    throw new Error(`${args[0]}: ${run.error?.message ?? run.stderr.trim()}`);
  return Number(counted[1]);
}

/** Millions of instructions of a run; `command` gives the arguments for so many runs. */
const perRun = (folder, bits, command) =>
  (count(folder, bits, command(3)) - count(folder, bits, command(1))) / 2e6;

/** How both sides are called with the network's inputs. */
function commandsOf(name, folder) {
  const network = makeNetwork(name, folder);
  const rival = join(folder, 'rival'),
    library = rivalLibrary('arm64');
  return {
    tern: (times) =>
      [kTern, 'run', network.executable, '--quiet', '--repeat', String(times), ...network.tern],
    rival: (times) => [rival, library, network.model, String(times), 'output', ...network.rival],
  };
}

function toRow(name, bits, tern, rival) {
  const { multiplications, targets } = kCases[name];
  const limit = multiplications ? multiplications / (bits / 32) / 1e6 : null;
  const ratio = tern / rival;
  const target = multiplications ? kFloorTarget : (targets[bits] ?? null);
  const reached = multiplications ? tern / limit : ratio;
  return {
    bench: `aarch64 ${bits} bit`,
    case: name,
    unit: 'million instructions',
    tern,
    rival,
    limit,
    ratio,
    target,
    met: target === null ? null : reached <= target,
  };
}

function print(row) {
  const floor = row.limit ? `${(row.tern / row.limit).toFixed(2)} x multiply-adds` : '';
  const target = row.target === null ? '' : `target ${row.target}`;
  console.log(
    [
      row.bench.padEnd(18),
      row.case.padEnd(14),
      row.tern.toFixed(3).padStart(10),
      row.rival.toFixed(3).padStart(10),
      row.ratio.toFixed(3).padStart(7),
      floor,
      target,
    ].join(' '),
  );
}

const options = parseArguments();
const folder = mkdtempSync(join(tmpdir(), 'tern-aarch64-'));
const rows = [];
try {
  prepare(folder);
  console.log('bench              network      tern, million      rival   ratio');
  for (const name of options.names) {
    const commands = commandsOf(name, folder);
    for (const bits of options.bits) {
      const rival = options.countRival
        ? perRun(folder, bits, commands.rival)
        : kCases[name].rival;
      rows.push(toRow(name, bits, perRun(folder, bits, commands.tern), rival));
      print(rows.at(-1));
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
if (options.json) writeFileSync(options.json, JSON.stringify(rows, null, 1) + '\n');
