// SPDX-License-Identifier: Apache-2.0
// One loop program as WebAssembly code of this engine, beside the reference interpreter: the same
// results, and how long each takes. The side module makes up the data and compares.
import type { Memory, Pointer } from './memory.js';
import { hasRelaxedSimd } from './module.js';
import { type Description, kAsWritten, type MeasuredSearch, Stopwatch } from './tune_clock.js';

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

export interface TimedProgram {
  sourceName?: string;
  function?: string;
  sizes?: { readonly [name: string]: number };
  maxSteps?: number;
}

const kRequestBytes = 48; // tern_loop_tune_request on wasm32
const kMaxStepsAt = 24;
const kTrialsAt = 20;
const kLeastTrials = 3;

/** The program as written: of what a search for schedules can do, the beginning. */
class WrittenProgram implements MeasuredSearch {
  readonly about: Description;
  codeBytes = 0;
  private readonly handle: Pointer;

  constructor(
    private readonly memory: Memory,
    source: string,
    program: TimedProgram,
  ) {
    const sizes = Object.entries(program.sizes ?? {}).map(([name, size]) => `${name}=${size}`);
    const { sourceName = 'program.tloop', function: name = '', maxSteps = 0 } = program;
    memory.withText(source, (data, size) =>
      memory.withTexts([sourceName, name, sizes.join(','), ''], (texts) =>
        memory.withStruct(kRequestBytes, texts, (struct) => {
          memory.view().setInt32(struct + kTrialsAt, kLeastTrials, true);
          memory.view().setBigInt64(struct + kMaxStepsAt, BigInt(Math.trunc(maxSteps)), true);
          memory.call('tern_loop_tuner_create', data, size, struct, memory.scratch);
        }),
      ),
    );
    this.handle = memory.u32(memory.scratch);
    memory.call('tern_loop_tuner_describe', this.handle, memory.scratch);
    this.about = JSON.parse(memory.takeBuffer(memory.u32(memory.scratch))) as Description;
  }

  emit(which: number): { bytes: Uint8Array<ArrayBuffer>; scratchBytes: number } {
    const { memory } = this;
    const [out, relaxed] = [memory.scratch, hasRelaxedSimd() ? 1 : 0];
    memory.call('tern_loop_tuner_emit_wasm', this.handle, which, relaxed, out, out + 4);
    const scratchBytes = memory.u32(out + 4);
    const bytes = memory.takeBytes(memory.u32(out));
    this.codeBytes = bytes.length;
    return { bytes, scratchBytes };
  }

  before(index: number): Uint8Array {
    const { memory } = this;
    const size = memory.scratch;
    const data = memory.raw('tern_loop_tuner_buffer', this.handle, index, size) >>> 0;
    return memory.bytes(data, memory.u32(size));
  }

  check(index: number, bytes: Uint8Array): void {
    const { memory } = this;
    const data = memory.alloc(bytes.length);
    try {
      memory.bytes(data, bytes.length).set(bytes);
      memory.call('tern_loop_tuner_check', this.handle, index, data, bytes.length);
    } finally {
      memory.free(data);
    }
  }

  dispose(): void {
    this.memory.raw('tern_loop_tuner_free', this.handle);
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
  program: TimedProgram,
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
