// SPDX-License-Identifier: Apache-2.0
// The search for the best schedule of a loop program, by the time that its code takes in this
// engine. The side module says what to measure next; tune_clock.ts measures.
import { TernError } from './errors.js';
import type { Memory } from './memory.js';
import { kAsWritten, kBest, kCandidate, Stopwatch, type Times } from './tune_clock.js';
import { type TunedProgram, Tuner } from './tuner.js';

export interface TuneOptions {
  /** The program's name in messages. */
  sourceName?: string;
  /** Which function of the program; not needed where there is one. */
  function?: string;
  /** What is measured here. For others there is `tern tune --target`. */
  target?: 'wasm32';
  /** At which sizes; those without a value get one that keeps a call in the processor's caches. */
  sizes?: { readonly [name: string]: number };
  /**
   * After so many milliseconds no further candidate is begun. The program as written, without
   * vectors, and with vectors of fixed length are measured all the same.
   */
  budgetMs?: number;
  /** How many schedules at most, those of the log included: 3 or more, 64 by default. */
  trials?: number;
  /** Of the search's random choices, from 0; 1 by default. */
  seed?: number;
  /** What was measured before, as `tern tune --log` and `TuneResult.log` have it. */
  log?: string;
  /** Ends the search before the next candidate with the signal's reason. */
  signal?: AbortSignal;
  /** Steps of the reference interpreter, which runs the program once; 2^28 by default. */
  maxSteps?: number;
}

/** A schedule, and what came of it. */
export interface TuneCandidate {
  /** The knobs that were turned, as in "vectors=fixed interleave=4"; or "as written". */
  choice: string;
  schedule: string;
  /** Nanoseconds of a call, and those of the program as written beside it; not where it failed. */
  cost?: number;
  default?: number;
  unit?: string;
  /** Why it was left out: it cannot be lowered, or gives other results. */
  error?: string;
  /** It is from the log that was given, and was not measured again. */
  known: boolean;
  /** Its line of the log, with the line break. */
  line: string;
}

export interface TuneResult {
  function: string;
  /** The sizes at which it was measured. */
  sizes: { [name: string]: number };
  /** The program with the best schedule: the one as written where none was faster. */
  text: string;
  choice: string;
  schedule: string;
  /** The time with it over that as written, measured once more at the end; 1 at most. */
  ratio: number;
  /** In the order in which they were measured. */
  candidates: TuneCandidate[];
  /** How many candidates came from the log. */
  resumed: number;
  /** The log that was given and what was added to it. */
  log: string;
  /** Whether the search came to its own end, rather than to that of its budget. */
  complete: boolean;
}

interface Step {
  done: boolean;
  baseline: boolean;
  entries: { line: string; known: boolean }[];
}

// A clock's noise is no gain.
const kMinGain = 0.03;

/** The events of a page, and an abort, between two candidates. */
function breathe(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
function checkOptions(options: TuneOptions): void {
  const wrong = (what: string): never => {
    throw new TernError('E0003', what);
  };
  const { target = 'wasm32', trials = 64, seed = 1, budgetMs = Infinity, maxSteps = 0 } = options;
  if (target !== 'wasm32')
    wrong(`cannot tune for '${String(target)}' here, only for wasm32; elsewhere: tern tune`);
  if (!Number.isInteger(trials) || trials < 3 || trials > 1e6)
    wrong(`trials is ${String(trials)}, expected a whole number from 3 to 1000000`);
  if (!Number.isSafeInteger(seed) || seed < 0)
    wrong(`seed is ${String(seed)}, expected a whole number from 0`);
  if (!(budgetMs > 0)) wrong(`budgetMs is ${String(budgetMs)}, expected a number above 0`);
  if (!Number.isSafeInteger(maxSteps) || maxSteps < 0)
    wrong(`maxSteps is ${String(maxSteps)}, expected a whole number from 0`);
}

/** One search in the side module. */
class Search extends Tuner {
  constructor(memory: Memory, source: string, options: TuneOptions) {
    const { trials = 64, seed = 1, log } = options;
    super(memory, source, options, { trials, seed, minGain: kMinGain }, log);
  }

  next(): Step {
    return this.json('tern_loop_tuner_next');
  }

  report({ ours, theirs }: Times): void {
    this.callWithText('ns', 'tern_loop_tuner_report', ours, theirs);
  }

  fail(why: string): void {
    this.callWithText(why, 'tern_loop_tuner_fail');
  }

  result(which: number): { text: string; choice: string; schedule: string; resumed: number } {
    return this.json('tern_loop_tuner_result', which);
  }
}

function candidateOf({ line, known }: Step['entries'][number]): TuneCandidate {
  const entry = JSON.parse(line) as TuneCandidate;
  const { choice, schedule, cost, default: beside, unit, error } = entry;
  const outcome = error === undefined ? { cost, default: beside, unit } : { error };
  return { choice, schedule, ...outcome, known, line } as TuneCandidate;
}

// Whole lines: the last was cut off where it has no end.
function wholeLines(log: string): string {
  return log.slice(0, log.lastIndexOf('\n') + 1);
}

/** @internal Gives every candidate as it is settled. */
export async function* tune(
  memory: Memory,
  source: string,
  options: TuneOptions,
): AsyncGenerator<TuneCandidate, TuneResult, void> {
  checkOptions(options);
  options.signal?.throwIfAborted();
  const search = new Search(memory, source, options);
  try {
    const watch = new Stopwatch(search);
    const candidates: TuneCandidate[] = [];
    const begin = performance.now();
    await watch.start();
    let step = search.next();
    for (;;) {
      for (const entry of step.entries) {
        candidates.push(candidateOf(entry));
        yield candidates.at(-1)!;
      }
      await breathe();
      options.signal?.throwIfAborted();
      const late = performance.now() - begin >= (options.budgetMs ?? Infinity);
      if (step.done || (late && !step.baseline)) break;
      await measureNext(search, watch);
      step = search.next();
    }
    const given = options.log ?? '';
    return await resultOf(search, watch, { candidates, log: given, complete: step.done });
  } finally {
    search.dispose();
  }
}

async function measureNext(search: Search, watch: Stopwatch): Promise<void> {
  let times: Times;
  try {
    times = await watch.measure(kCandidate);
  } catch (error) {
    search.fail(error instanceof Error ? error.message : String(error));
    return;
  }
  search.report(times);
}

async function resultOf(
  search: Search,
  watch: Stopwatch,
  found: { candidates: TuneCandidate[]; log: string; complete: boolean },
): Promise<TuneResult> {
  const { candidates, complete } = found;
  const { function: name, sizes } = search.about;
  const isNew = search.result(kBest).choice !== search.result(kAsWritten).choice;
  const confirmed = isNew ? await watch.confirm() : 1;
  const faster = confirmed < 1 - kMinGain;
  const { text, choice, schedule, resumed } = search.result(faster ? kBest : kAsWritten);
  const added = candidates.map(({ known, line }) => (known ? '' : line)).join('');
  const log = wholeLines(found.log) + added;
  const ratio = faster ? confirmed : 1;
  const best = { text, choice, schedule, ratio };
  return { function: name, sizes, ...best, candidates, resumed, log, complete };
}
