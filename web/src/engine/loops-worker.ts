// SPDX-License-Identifier: Apache-2.0
// The worker of the Lanes view: the loop compiler, fetched with the first request. All figures that
// the view shows are made here, by the core.
import { createLoopCompiler, type LoopCompiler, TernError } from 'tern-runtime';
import { kCodeStages, kMaxVScale, kStrategyNames } from '../model/lanes.js';
import type {
  LoopAnswer, LoopPicture, LoopReply, LoopRequest, LoopView, SentPicture,
} from './loops-protocol.js';
import { onDemand } from './on-demand.js';
import type { Failure } from './protocol.js';

/** Operations of the interpreter: what takes longer would keep the view waiting. */
const kMaxSteps = 2 ** 22;
const kMaxSweepSteps = 2 ** 18;
/** Up to so many lanes, counters are checked by a full run. */
const kCheckedLanes = 4096;
const kTimedSteps = 2 ** 26;

const loops = onDemand(() => createLoopCompiler());
let tail: Promise<void> = Promise.resolve();

/** The last answer of each kind, by what it was made from. */
const known = new Map<string, { key: string; answer: unknown }>();
function once<T>(kind: string, key: string, make: () => T): T {
  const last = known.get(kind);
  if (last?.key === key) return last.answer as T;
  const answer = make();
  known.set(kind, { key, answer });
  return answer;
}

const kEveryVScale = Array.from({ length: kMaxVScale }, (_, i) => i + 1);

function sweepOf(tern: LoopCompiler, { name, text, n }: LoopView): LoopPicture['sweep'] {
  try {
    return tern.lanes(text, {
      sourceName: name, strategies: kStrategyNames, vscales: kEveryVScale, n, head: 0, tail: 0,
      maxSteps: kMaxSweepSteps,
    });
  } catch (error) {
    if (error instanceof TernError && error.code === 'S0301') return [];
    throw error;
  }
}

function codeOf(tern: LoopCompiler, view: LoopView): string {
  const { name, text, strategy, vscale, code } = view;
  const { form, target } = kCodeStages[code] ?? {};
  if (!target || form === 'listing') return '';
  const options = { sourceName: name, strategies: [strategy], target };
  try {
    return form === 'wat' ? tern.wat(text, options) : tern.llvm(text, { ...options, vscale });
  } catch (error) {
    if (error instanceof TernError && error.code !== 'E0901') return error.text;
    throw error;
  }
}

function pictureOf(tern: LoopCompiler, view: LoopView): LoopPicture {
  const { name, text, n, vscale, strategy, code: stage, first, count } = view;
  const lanes = tern.lanes(text, {
    sourceName: name, strategies: kStrategyNames, vscales: [vscale], n, first, count,
    checkLanes: kCheckedLanes, maxSteps: kMaxSteps,
  });
  const sweep = once('sweep', `${n}\n${text}`, () => sweepOf(tern, view));
  const stages = once('stages', `${strategy}\n${text}`, () =>
    tern.stages(text, { sourceName: name, strategies: [strategy], stages: ['all'] }));
  const made = `${stage} ${strategy} ${vscale}\n${text}`;
  const code = once('code', made, () => codeOf(tern, view));
  return { lanes, sweep, stages, code };
}

/** The parts of the answer before. */
let sent: Partial<LoopPicture> = {};

function newIn(picture: LoopPicture): SentPicture {
  const { lanes, sweep, stages, code } = picture;
  const news = {
    lanes,
    ...(sweep === sent.sweep ? {} : { sweep }),
    ...(stages === sent.stages ? {} : { stages }),
    ...(code === sent.code ? {} : { code }),
  };
  sent = picture;
  return news;
}

async function handle({ kind, view }: LoopRequest): Promise<LoopAnswer> {
  const tern = await loops();
  if (kind === 'show') {
    const start = performance.now();
    const picture = pictureOf(tern, view);
    return { kind: 'shown', picture: newIn(picture), milliseconds: performance.now() - start };
  }
  const [run] = tern.lanes(view.text, { sourceName: view.name, n: view.n, head: 0, tail: 0 });
  const { function: name, sizes } = run!;
  const options = { sourceName: view.name, function: name, sizes, maxSteps: kTimedSteps };
  return { kind: 'timed', timing: await tern.time(view.text, options) };
}

function describe(error: unknown): Failure {
  if (error instanceof TernError) {
    const { code, message, text, diagnostics } = error;
    return { code, message, text, diagnostics, fatal: code === 'E0901' };
  }
  const message = `the loop compiler failed and was restarted: ${String(error)}`;
  const text = `error[E0605]: ${message}\n`;
  return { code: 'E0605', message, text, diagnostics: [], fatal: true };
}

async function answer(request: LoopRequest): Promise<void> {
  const { id } = request;
  let reply: LoopReply;
  try {
    reply = { id, ok: true, answer: await handle(request) };
  } catch (error) {
    reply = { id, ok: false, failure: describe(error) };
  }
  self.postMessage(reply);
}

self.onmessage = (event: MessageEvent<LoopRequest>) => {
  tail = tail.then(() => answer(event.data));
};
