// SPDX-License-Identifier: Apache-2.0
// The worker's side of debug-protocol.ts.
import { type Debugger, type Program, TernError } from 'tern-runtime';
import type { DebugRequestBody, RunLimits } from './debug-protocol.js';
import { viewOf, Watches } from './debug-views.js';
import type { Answer } from './protocol.js';
import type { Between, Recording } from './recording.js';

/** What a request works on. */
export interface DebugContext {
  recording: Recording | undefined;
  /** The program in the module that records. */
  program: () => Promise<Program>;
  between: Between;
  /** Sets those of commands to come. */
  limit: (limits: RunLimits) => void;
}

const isDebugKind: Readonly<Record<DebugRequestBody['kind'], true>> = {
  walk: true, view: true, watches: true, limits: true, times: true,
};

export const isDebugRequest = (request: { kind: string }): request is DebugRequestBody =>
  Object.hasOwn(isDebugKind, request.kind);

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
  request: DebugRequestBody, { recording, program, between, limit }: DebugContext,
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
    case 'limits':
      limit(request.limits);
      return { kind: 'done' };
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
