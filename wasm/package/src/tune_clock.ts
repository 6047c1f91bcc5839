// SPDX-License-Identifier: Apache-2.0
// How long the code of a loop program takes in this engine, beside that of another schedule.
//
// Code is run in memory of its own, on copies of made-up inputs: the program need not be one whose
// accesses are proven, and can reach nothing else.
import { TernError } from './errors.js';

/** Which code: TERN_TUNE_… in core/api/loop_api.h. */
export const kAsWritten = 0;
export const kCandidate = 1;
export const kBest = 2;

/** A function and its arguments. */
export interface Description {
  function: string;
  sizes: { [name: string]: number };
  slots: string[];
  buffers: { name: string; result: boolean }[];
}

/** The side module's part of a search. */
export interface MeasuredSearch {
  readonly about: Description;
  emit(which: number): { bytes: Uint8Array<ArrayBuffer>; scratchBytes: number };
  /** What a buffer holds before a run, as a view until the next call. */
  before(index: number): Uint8Array;
  /** Throws where this is not what a run leaves in the buffer. */
  check(index: number, bytes: Uint8Array): void;
}

const kPage = 65536;
// Between buffers, as much as a vector of the widest machine.
const kGap = 256;
const kSamples = 15;
// Of a clock that shows so fine steps as Node's. Pages have coarser ones.
const kSampleMs = 1;
const kStepsOfASample = 20;
// Engines compile a function a second time, better, once it ran for a while.
const kWarmUpMs = 20;
const kMaxWarmUpMs = 200;

const now = (): number => performance.now();

/** The smallest step that the clock shows. */
function clockStep(): number {
  let finest = Infinity;
  for (let i = 0; i < 5; ++i) {
    const start = now();
    let end = now();
    while (end === start) end = now();
    finest = Math.min(finest, end - start);
  }
  return finest;
}

function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1]!;
}

/** Memory of code that is measured: pointers, slots, buffers with gaps between, scratch. */
class Bench {
  private readonly memory: WebAssembly.Memory;
  private readonly pointers = kGap;
  private readonly slots: number;
  private readonly inputs: { at: number; bytes: Uint8Array; result: boolean }[] = [];
  // Where the scratch of the program as written begins, then that of the others.
  private top: number;

  constructor(private readonly search: MeasuredSearch) {
    const { buffers, slots } = search.about;
    this.slots = Bench.align(this.pointers + 4 * buffers.length);
    this.top = Bench.align(this.slots + 8 * slots.length) + kGap;
    buffers.forEach(({ result }, i) => {
      const bytes = search.before(i).slice();
      this.inputs.push({ at: this.top, bytes, result });
      this.top = Bench.align(this.top + bytes.length) + kGap;
    });
    this.memory = new WebAssembly.Memory({ initial: Math.ceil(this.top / kPage) });
    this.fillArguments(slots);
  }

  /** Checks the results of a first call. Throws where they are wrong, or the engine refuses. */
  async make(which: number): Promise<Code> {
    const { bytes, scratchBytes } = this.search.emit(which);
    const module = await WebAssembly.compile(bytes);
    const scratch = this.top;
    this.reserve(scratch + scratchBytes);
    const env = { memory: this.memory, scratch };
    const { exports } = await WebAssembly.instantiate(module, { env });
    const code = new Code(Object.values(exports)[0] as LoopCall, this.pointers, this.slots);
    this.reset(true);
    code.once();
    this.inputs.forEach(({ at, bytes: input, result }, i) => {
      if (result) this.search.check(i, this.view(at, input.length));
    });
    return code;
  }

  /** Scratch from here on is another's: what was made last keeps its own. */
  keepScratch(): void {
    this.top = Bench.align(this.memory.buffer.byteLength);
  }

  /** What calls change, as it was; or everything. */
  reset(everything = false): void {
    for (const { at, bytes, result } of this.inputs)
      if (result || everything) this.view(at, bytes.length).set(bytes);
  }

  private static align(at: number): number {
    return Math.ceil(at / kGap) * kGap;
  }

  private view(at: number, length: number): Uint8Array {
    return new Uint8Array(this.memory.buffer, at, length);
  }

  private reserve(bytes: number): void {
    const missing = bytes + kGap - this.memory.buffer.byteLength;
    if (missing > 0) this.memory.grow(Math.ceil(missing / kPage));
  }

  private fillArguments(slots: string[]): void {
    const view = new DataView(this.memory.buffer);
    this.inputs.forEach(({ at }, i) => view.setUint32(this.pointers + 4 * i, at, true));
    slots.forEach((bits, i) => view.setBigUint64(this.slots + 8 * i, BigInt(bits), true));
  }
}

type LoopCall = (buffers: number, slots: number) => number;

/** Nanoseconds of a call: of the candidate, of the program as written. */
export interface Times {
  ours: number;
  theirs: number;
}

/** A function that is measured. */
class Code {
  private calls = 1;

  constructor(
    private readonly call: LoopCall,
    private readonly buffers: number,
    private readonly slots: number,
  ) {}

  once(): void {
    const failed = this.call(this.buffers, this.slots);
    if (failed !== 0) throw new TernError('E0320', `the code failed with ${failed}`);
  }

  /** Until the engine has made of it what it will, and so many calls fill a sample. */
  warmUp(sampleMs: number, reset: () => void): void {
    const start = now();
    let [best, since] = [Infinity, start];
    for (;;) {
      reset();
      const ms = this.sample();
      if (ms < sampleMs && this.calls < 1 << 24) this.calls *= 2;
      const perCall = ms / this.calls;
      if (perCall < 0.95 * best) since = now();
      best = Math.min(best, perCall);
      const settled = now() - since > kWarmUpMs && ms >= sampleMs;
      if (settled || now() - start > kMaxWarmUpMs) return;
    }
  }

  /** Nanoseconds of one call. */
  time(): number {
    return (Math.max(this.sample(), 1e-6) * 1e6) / this.calls;
  }

  // Milliseconds of all calls.
  private sample(): number {
    const { call, buffers, slots, calls } = this;
    const start = now();
    for (let i = 0; i < calls; ++i) call(buffers, slots);
    return now() - start;
  }
}

/** The code of candidates beside that of the program as written, by a clock. */
export class Stopwatch {
  private readonly bench: Bench;
  private readonly sampleMs: number;
  private asWritten: Code | undefined;

  constructor(search: MeasuredSearch) {
    this.bench = new Bench(search);
    this.sampleMs = Math.max(kSampleMs, kStepsOfASample * clockStep());
  }

  /** Throws where the program cannot be measured at all. */
  async start(): Promise<void> {
    try {
      this.asWritten = await this.bench.make(kAsWritten);
    } catch (error) {
      if (error instanceof TernError) throw error;
      throw new TernError('E0515', `the program as written cannot be measured: ${String(error)}`);
    }
    this.asWritten.warmUp(this.sampleMs, () => this.bench.reset());
    this.bench.keepScratch();
  }

  /** Throws where the candidate cannot be measured. */
  async measure(which: number): Promise<Times> {
    const code = await this.bench.make(which);
    const other = this.asWritten!;
    code.warmUp(this.sampleMs, () => this.bench.reset());
    const [ours, theirs]: [number[], number[]] = [[], []];
    for (let i = 0; i < kSamples; ++i) {
      this.bench.reset();
      ours.push(code.time());
      this.bench.reset();
      theirs.push(other.time());
    }
    return { ours: median(ours), theirs: median(theirs) };
  }

  /** The best once more, because the luckiest of many measurements wins too often. */
  async confirm(): Promise<number> {
    try {
      const ratios: number[] = [];
      for (let i = 0; i < 3; ++i) {
        const { ours, theirs } = await this.measure(kBest);
        ratios.push(ours / theirs);
      }
      return median(ratios);
    } catch {
      return 1; // what a log praised, but here it cannot run, or gives other results
    }
  }
}
