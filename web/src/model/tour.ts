// SPDX-License-Identifier: Apache-2.0
// The six lessons of the tour. What a lesson asks for, and which answers are right, is decided by
// what the page shows at that moment: figures of the core, never numbers that are written here.
import { instructionsOf, type StrategyName } from './lanes.js';
import type { LaneRun } from '../engine/loops-protocol.js';

/** What lessons look at. */
export interface TourFacts {
  /** The machine's program; empty for none. */
  readonly program: string;
  readonly codeLength: number;
  /** The step that is looked at, and the last one of the record. */
  readonly step: number;
  readonly end: number;
  readonly hasReturned: boolean;
  readonly depth: number;
  /** Where the first `add` of the code puts its result. */
  readonly addedTo: number | undefined;
  /** The tensor that is picked. */
  readonly tensor: { readonly shape: readonly number[]; readonly bytes: number } | undefined;
  /** Of the loops: the program, sizes, whether a cell is picked, and what the core counted. */
  readonly loop: string;
  readonly n: number;
  readonly vscale: number;
  readonly hasCell: boolean;
  readonly runs: Readonly<Partial<Record<StrategyName, LaneRun>>>;
}

type Words = string | ((facts: TourFacts) => string);

export interface Task {
  readonly text: string;
  /** The pane that it is done in. */
  readonly pane: string;
  readonly done: (facts: TourFacts) => boolean;
}

export interface Choice {
  readonly text: Words;
  /** Whether what the page shows bears it out. */
  readonly holds: (facts: TourFacts) => boolean;
  /** What the page shows about it. */
  readonly says: Words;
}

export interface Lesson {
  readonly id: string;
  readonly title: string;
  /** An entry of the gallery, and what its loops are looked at with. */
  readonly opens: string;
  readonly vscale?: number;
  readonly words: readonly string[];
  readonly tasks: readonly Task[];
  readonly question: string;
  readonly choices: readonly Choice[];
}

export const wordsOf = (words: Words, facts: TourFacts): string =>
  (typeof words === 'string' ? words : words(facts));

const count = (amount: number, what: string): string =>
  `${amount} ${what}${amount === 1 ? '' : 's'}`;

const kMachine: Lesson = {
  id: 'machine', title: 'Bytecode and registers', opens: 'move_add_mul',
  words: [
    'Tern compiles a program to the bytecode of a small machine. Its instructions ' +
      'name registers: what they read, and where they put what they made.',
    'This program has four instructions, for (x + 10) * 3.',
  ],
  tasks: [
    { pane: 'run', text: 'Take one step: the button Step, or the key n.',
      done: ({ step }) => step >= 1 },
    { pane: 'registers', text: 'Take another. The register that has just changed is marked.',
      done: ({ step }) => step >= 2 },
    { pane: 'run', text: 'Run to the end: Ctrl Enter.', done: ({ hasReturned }) => hasReturned },
  ],
  question: 'Which register did add put its result into? Its row in the bytecode says so.',
  choices: [1, 2, 3].map((register) => ({
    text: `%${register}`, holds: ({ addedTo }: TourFacts) => addedTo === register,
    says: ({ addedTo }: TourFacts) => `The row of add has %${addedTo} in the column “to”.`,
  })),
};

const kTime: Lesson = {
  id: 'time', title: 'Back in time', opens: 'fibonacci',
  words: [
    'A run is recorded while it goes. Nothing is computed again when you go back: the' +
      ' page shows what was.',
    'This program calls itself; every call has a frame with registers of its own.',
  ],
  tasks: [
    { pane: 'run', text: 'Run it to the end.', done: ({ hasReturned }) => hasReturned },
    { pane: 'run', text: 'Take a step back: the button Back, or the key p.',
      done: ({ step, end }) => step < end },
    { pane: 'timeline', text: 'Go to a step with five open calls or more: drag the time line.',
      done: ({ depth }) => depth >= 5 },
  ],
  question: 'How many instructions did the whole run execute?',
  choices: [
    { text: ({ codeLength }) => `${codeLength}: those of the bytecode`,
      holds: ({ codeLength, end }) => end > 0 && codeLength === end,
      says: ({ codeLength, end }) =>
        `The code has ${codeLength}, but calls execute them again and again: ${end} steps.` },
    { text: ({ end }) => `${end}: the last step of the time line`,
      holds: ({ end, codeLength }) => end > codeLength,
      says: ({ end }) => `Each step of the record is one instruction: ${end} of them.` },
    { text: '10: one for each call of main', holds: ({ end }) => end === 10,
      says: ({ end }) => `The record has ${end} steps.` },
  ],
};

const kTensors: Lesson = {
  id: 'tensors', title: 'Tensors', opens: 'edges',
  words: [
    'Registers hold whole tensors, and one instruction works on all of their elements.',
    'This program makes a noisy picture, smooths it, takes what is bright, and finds its edge.',
  ],
  tasks: [
    { pane: 'run', text: 'Run it to the end.', done: ({ hasReturned }) => hasReturned },
    { pane: 'registers', text: 'Go back some steps, and press a register that holds a picture.',
      done: ({ tensor }) => (tensor?.shape.length ?? 0) >= 2 },
  ],
  question: 'How many bytes do the elements of the tensor that you picked take?',
  choices: [
    { text: ({ tensor }) => `${elements(tensor)}: one for each element`,
      holds: ({ tensor }) => tensor?.bytes === elements(tensor), says: bytesOfTensor },
    { text: ({ tensor }) => `${4 * elements(tensor)}: four for each element`,
      holds: ({ tensor }) => tensor !== undefined && tensor.bytes === 4 * elements(tensor),
      says: bytesOfTensor },
    { text: ({ tensor }) => `${8 * elements(tensor)}: eight for each element`,
      holds: ({ tensor }) => tensor !== undefined && tensor.bytes === 8 * elements(tensor),
      says: bytesOfTensor },
  ],
};

function elements(tensor: TourFacts['tensor']): number {
  return (tensor?.shape ?? []).reduce((product, extent) => product * extent, 1);
}

function bytesOfTensor({ tensor }: TourFacts): string {
  if (!tensor) return 'Pick a tensor again first.';
  return `[${tensor.shape.join(', ')}] are ${elements(tensor)} elements in ${tensor.bytes} bytes.`;
}

const iterations = (run: LaneRun | undefined): number =>
  (run ? run.vector_iterations + run.scalar_iterations : 0);

const parts = (run: LaneRun | undefined): string =>
  (run ? `${count(run.vector_iterations, 'vector')} and ` +
    count(run.scalar_iterations, 'single element') : 'nothing yet');

const kLoops: Lesson = {
  id: 'loops', title: 'From a loop to vectors', opens: 'vector_add', vscale: 1,
  words: [
    'Inside an operator is a loop. A processor does several turns of it at once, in ' +
      'the lanes of a vector: four float32 fill 128 bits.',
    'Strategy A takes vectors of 128 bits; what is left over it does one by one.',
  ],
  tasks: [
    { pane: 'lanes', text: 'Pick a cell of the grid: its element and mask are told below.',
      done: ({ hasCell }) => hasCell },
    { pane: 'lanes', text: 'Set n, the number of elements, to 16: nothing is left over.',
      done: ({ n }) => n === 16 },
    { pane: 'lanes', text: 'Set n to 18 again.', done: ({ n }) => n === 18 },
  ],
  question: 'How many turns does A take for 18 elements?',
  choices: [18, 6, 5].map((turns) => ({
    text: `${turns}`,
    holds: ({ runs, n }: TourFacts) => n === 18 && iterations(runs.fixed) === turns,
    says: ({ runs, n }: TourFacts) => `With n = ${n}, A does ${parts(runs.fixed)}.`,
  })),
};

const kVscale: Lesson = {
  id: 'vscale', title: 'Vectors of any length', opens: 'vector_add', vscale: 1,
  words: [
    'Some processors do not say how long their vectors are before the program runs: ' +
      'vscale times 128 bits. B and C are written for any vscale.',
    'C has no rest: a mask, the predicate, switches lanes off that have no element.',
  ],
  tasks: [
    { pane: 'lanes', text: 'Turn vscale to 2: arrows on the slider, or the key ].',
      done: ({ vscale }) => vscale === 2 },
    { pane: 'lanes', text: 'Turn it to 4, and look at the last row of C.',
      done: ({ vscale }) => vscale === 4 },
  ],
  question: 'At vscale 4, how many lanes of C’s last iteration are on?',
  choices: [16, 14, 2].map((lanes) => ({
    text: `${lanes}`,
    holds: ({ runs, vscale, n }: TourFacts) =>
      vscale === 4 && n === 18 && runs.predicated?.last_active === lanes,
    says: ({ runs, vscale, n }: TourFacts) =>
      `n = ${n} at vscale ${vscale}: ${runs.predicated?.last_active ?? 0} lanes of ` +
      `${4 * vscale} are on at last.`,
  })),
};

const kMost = (run: LaneRun | undefined): number => (run ? instructionsOf(run) : 0);

function compared({ runs, n, vscale }: TourFacts): string {
  return `n = ${n}, vscale ${vscale}: A does ${parts(runs.fixed)}, ${kMost(runs.fixed)} ` +
    `instructions; B ${parts(runs.cleanup)}, ${kMost(runs.cleanup)}; ` +
    `C ${parts(runs.predicated)}, ${kMost(runs.predicated)}.`;
}

const isBSlower = ({ runs }: TourFacts): boolean =>
  runs.fixed !== undefined && kMost(runs.cleanup) > kMost(runs.fixed);

const kWhy: Lesson = {
  id: 'why', title: 'When longer is slower', opens: 'vector_add', vscale: 4,
  words: [
    'B takes whole vectors of the machine’s length, and a clean-up loop for what is ' +
      'left. Longer vectors should make it faster.',
  ],
  tasks: [
    { pane: 'lanes', text: 'Turn vscale to 8, and compare the three grids.',
      done: ({ vscale }) => vscale === 8 },
    { pane: 'counters', text: 'Find in Counters where B executes more instructions than A.',
      done: isBSlower },
  ],
  question: 'Why is B, with vectors eight times as long, slower here than A?',
  choices: [
    { text: 'Its vectors need more instructions for each element.',
      holds: ({ runs }) => isBSlowerPerVector(runs), says: compared },
    { text: 'Not one vector is full: all elements are left to the clean-up loop, one by one.',
      holds: (facts) => isBSlower(facts) && facts.runs.cleanup?.vector_iterations === 0 &&
        facts.runs.cleanup.scalar_iterations === facts.n,
      says: compared },
    { text: 'Making its masks costs more than they save.',
      holds: ({ runs }) => (runs.cleanup?.instructions.predicate ?? 0) > 0, says: compared },
  ],
};

/** Whether vectors were executed at all by B, and took more of the instructions than A's. */
function isBSlowerPerVector({ cleanup, fixed }: TourFacts['runs']): boolean {
  if (!cleanup || !fixed || cleanup.vector_iterations === 0) return false;
  return cleanup.vector_iterations > fixed.vector_iterations;
}

export const kLessons: readonly Lesson[] = [kMachine, kTime, kTensors, kLoops, kVscale, kWhy];

/** What has been done, by lesson: how many of its tasks, and whether its question is answered. */
export interface Progress {
  readonly lesson: number;
  readonly tasks: Readonly<Record<string, number>>;
  readonly answered: readonly string[];
}

export const kNoProgress: Progress = { lesson: 0, tasks: {}, answered: [] };

/** What was kept; anything that is not understood counts as not done. */
export function readProgress(text: string | null): Progress {
  try {
    const kept = JSON.parse(text ?? 'null') as Partial<Record<keyof Progress, unknown>> | null;
    const at = Number.isInteger(kept?.lesson) ? (kept!.lesson as number) : 0;
    const lesson = Math.min(Math.max(at, 0), kLessons.length - 1);
    const counts = (kept?.tasks ?? {}) as Record<string, unknown>;
    const tasks = Object.fromEntries(kLessons.flatMap(({ id, tasks: all }) => {
      const done = counts[id];
      if (!Number.isInteger(done)) return [];
      return [[id, Math.min(Math.max(done as number, 0), all.length)]];
    }));
    const answered = Array.isArray(kept?.answered)
      ? kLessons.map(({ id }) => id).filter((id) => (kept.answered as unknown[]).includes(id)) : [];
    return { lesson, tasks, answered };
  } catch {
    return kNoProgress;
  }
}

/** With the tasks that are done now; each counts once those before it are. */
export function advance(progress: Progress, facts: TourFacts): Progress {
  const lesson = kLessons[progress.lesson]!;
  if (!isOpen(lesson, facts)) return progress;
  let done = progress.tasks[lesson.id] ?? 0;
  const before = done;
  while (done < lesson.tasks.length && lesson.tasks[done]!.done(facts)) done++;
  return done === before ? progress
    : { ...progress, tasks: { ...progress.tasks, [lesson.id]: done } };
}

/** Whether what a lesson is about is what the page has. */
export function isOpen({ opens, vscale }: Lesson, { program, loop }: TourFacts): boolean {
  return vscale === undefined ? program.replace(/\.\w+$/, '') === opens : loop === opens;
}
