// SPDX-License-Identifier: Apache-2.0
// One loop program as WebAssembly code of this engine, beside the reference interpreter: the same
// results, and how long each takes. The side module makes up the data and compares.
import type { Memory } from './memory.js';
import { kAsWritten, Stopwatch } from './tune_clock.js';
import { type TunedProgram, Tuner } from './tuner.js';

export interface LoopTiming {
  function: string;
  sizes: { [name: string]: number };
  /** Of the module that was emitted. */
  codeBytes: number;
  /** Nanoseconds of a call. Its results were those of the interpreter. */
  wasmNs: number;
  /** Nanoseconds of the same in the reference interpreter, with its data, without lowering. */
  interpreterNs: number;
}

const kLeastTrials = 3;

/** The program as written: of what a search for schedules can do, the beginning. */
class WrittenProgram extends Tuner {
  codeBytes = 0;

  constructor(memory: Memory, source: string, program: TunedProgram) {
    super(memory, source, program, { trials: kLeastTrials });
  }

  override emit(which: number): { bytes: Uint8Array<ArrayBuffer>; scratchBytes: number } {
    const code = super.emit(which);
    this.codeBytes = code.bytes.length;
    return code;
  }
}

function millisecondsOf(f: () => void): number {
  const start = performance.now();
  f();
  return performance.now() - start;
}

const kEnoughMs = 20;
const kMaxRuns = 4096;

/** What one run more takes; as many as make lowering and the clock's steps matter little. */
function interpreterMs(interpret: (runs: number) => void): number {
  const once = Math.min(...[1, 2, 3].map(() => millisecondsOf(() => interpret(1))));
  for (let runs = 4; ; runs *= 4) {
    const more = millisecondsOf(() => interpret(runs)) - once;
    if (more >= kEnoughMs || runs >= kMaxRuns) return Math.max(more, 0) / (runs - 1);
  }
}

/**
 * @internal Throws E0530 where the code gives other results. interpret: lowers the program and runs
 * it in the interpreter at these sizes, so many times.
 */
export async function timeLoops(
  memory: Memory,
  source: string,
  program: TunedProgram,
  interpret: (sizes: { [name: string]: number }, runs: number) => void,
): Promise<LoopTiming> {
  const written = new WrittenProgram(memory, source, program);
  try {
    const watch = new Stopwatch(written);
    await watch.start();
    const { ours } = await watch.measure(kAsWritten);
    const { function: name, sizes } = written.about;
    const interpreterNs = 1e6 * interpreterMs((runs) => interpret(sizes, runs));
    return { function: name, sizes, codeBytes: written.codeBytes, wasmNs: ours, interpreterNs };
  } finally {
    written.dispose();
  }
}
