// SPDX-License-Identifier: Apache-2.0
// The worker's side of debug-protocol.ts.
import { type Debugger, type Program, TernError } from 'tern-runtime';
import type {
  DebugRequestBody, RunQuery, RunViewName, RunViews, Watch, WatchState,
} from './debug-protocol.js';
import type { Answer } from './protocol.js';
import type { Between, Recording } from './recording.js';

type View = RunViews[RunViewName]['view'];

/** What a request works on. */
export interface DebugContext {
  recording: Recording | undefined;
  /** The program in the module that records. */
  program: () => Promise<Program>;
  between: Between;
}

const isDebugKind: Readonly<Record<DebugRequestBody['kind'], true>> = {
  walk: true, view: true, watches: true, times: true,
};

export const isDebugRequest = (request: { kind: string }): request is DebugRequestBody =>
  Object.hasOwn(isDebugKind, request.kind);

export function viewOf(debug: Debugger, query: RunQuery): View {
  switch (query.view) {
    case 'timeline': return debug.timeline(query.buckets);
    case 'hits': return debug.hits();
    case 'lifetimes': return debug.lifetimes(query.frame);
    case 'objects': return debug.objects(query.list);
    case 'difference': return debug.heapDifference(query.from, query.to);
    case 'shapes': return debug.shapeHeap(query.frame);
    case 'encoding': return debug.encoding();
  }
}

/** Breakpoints that are text, in one debugger. */
export class Watches {
  /** The debugger's number of each, with its text; errors have none. */
  private readonly ids = new Map<number, { text: string; id?: number; error: string }>();

  constructor(private readonly debug: Debugger) {}

  /** Makes the debugger's breakpoints those; texts that it does not understand are told. */
  set(watches: readonly Watch[]): WatchState[] {
    const wanted = new Set(watches.map(({ id }) => id));
    for (const [number, { text, id }] of this.ids) {
      const still = watches.find((watch) => watch.id === number)?.text === text;
      if (wanted.has(number) && still) continue;
      if (id !== undefined) this.debug.removeBreakpoint(id);
      this.ids.delete(number);
    }
    for (const watch of watches) this.add(watch);
    return this.states(watches);
  }

  private add({ id, text, enabled }: Watch): void {
    if (!this.ids.has(id)) {
      try {
        this.ids.set(id, { text, id: this.debug.addBreakpoint(text), error: '' });
      } catch (error) {
        if (!(error instanceof TernError)) throw error;
        this.ids.set(id, { text, error: error.message });
      }
    }
    const known = this.ids.get(id)?.id;
    if (known !== undefined) this.debug.enableBreakpoint(known, enabled);
  }

  private states(watches: readonly Watch[]): WatchState[] {
    const all = this.debug.breakpoints();
    return watches.map(({ id }) => {
      const known = this.ids.get(id);
      const found = all.find((breakpoint) => breakpoint.id === known?.id);
      const { text = '', hits = 0, failures = 0, failure = '' } = found ?? {};
      return { id, text, hits, failures, failure, error: known?.error ?? '' };
    });
  }
}

/** With a debugger that has no run: for what needs none. */
async function withoutRun<T>(program: () => Promise<Program>, f: (debug: Debugger) => T):
Promise<T> {
  const debug = (await program()).debugger();
  try {
    return f(debug);
  } finally {
    debug.dispose();
  }
}

export async function handleDebugRequest(
  request: DebugRequestBody, { recording, program, between }: DebugContext,
): Promise<Answer> {
  const running = (): Recording => {
    if (!recording) throw new TernError('E0606', 'nothing is running');
    return recording;
  };
  switch (request.kind) {
    case 'walk':
      return {
        kind: 'machine', machine: await running().walk(request.command, request.argument, between),
      };
    case 'view': {
      const { query } = request;
      if (recording) return { kind: 'viewed', view: recording.look(query) };
      if (query.view !== 'encoding') running();
      return { kind: 'viewed', view: await withoutRun(program, (debug) => viewOf(debug, query)) };
    }
    case 'watches': {
      const { watches } = request;
      const states = recording
        ? recording.watch(watches)
        : await withoutRun(program, (debug) => new Watches(debug).set(watches));
      return { kind: 'watched', watches: states };
    }
    case 'times': {
      const profile = (await program()).profile(request.function, request.args);
      try {
        const { rows, operators, nanoseconds } = profile;
        return { kind: 'timed', times: { rows, operators, nanoseconds } };
      } finally {
        profile.dispose();
      }
    }
  }
}
