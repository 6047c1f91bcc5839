// SPDX-License-Identifier: Apache-2.0
// Files of a profile, read as their viewers read them: what the formats ask for is asked for here
// (Chrome's trace events; https://www.speedscope.app/file-format-schema.json), and what was called
// is told in one form.

export interface FileCall {
  readonly name: string;
  /** 0 is the outermost. */
  readonly depth: number;
  readonly nanoseconds: number;
}

function ask(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(`the file of the profile: ${what}`);
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function recordsOf(value: unknown, what: string): Record<string, unknown>[] {
  ask(Array.isArray(value) && value.every(isRecord), `${what} is no list of objects`);
  return value as Record<string, unknown>[];
}

const isTime = (value: unknown): value is number =>
  Number.isFinite(value) && (value as number) >= 0;

interface Mark { name: string; opens: boolean; nanoseconds: number }

/** Calls by when they began; each that begins has to end, the inner ones first. */
function callsOf(marks: readonly Mark[]): FileCall[] {
  const open: { call: FileCall & { nanoseconds: number }; begin: number }[] = [];
  const calls: FileCall[] = [];
  let last = 0;
  for (const { name, opens, nanoseconds } of marks) {
    ask(nanoseconds >= last, `${name} is at ${nanoseconds}, after ${last}`);
    last = nanoseconds;
    if (opens) {
      const call = { name, depth: open.length, nanoseconds: 0 };
      open.push({ call, begin: nanoseconds });
      calls.push(call);
      continue;
    }
    const ended = open.pop();
    ask(ended?.call.name === name, `${name} ends within ${ended?.call.name ?? 'nothing'}`);
    ended.call.nanoseconds = nanoseconds - ended.begin;
  }
  ask(open.length === 0, `${open.length} calls do not end`);
  return calls;
}

/** Chrome's "JSON object format", of duration events (B and E) in microseconds. */
export function readChromeTrace(text: string): FileCall[] {
  const file: unknown = JSON.parse(text);
  ask(isRecord(file), 'no object');
  ask(['ms', 'ns'].includes(String(file['displayTimeUnit'])), 'times are neither in ms nor ns');
  const events = recordsOf(file['traceEvents'], 'traceEvents');
  return callsOf(events.map(({ name, cat, ph, ts, pid, tid }) => {
    ask(typeof name === 'string' && name !== '', 'an event without a name');
    ask(typeof cat === 'string' && cat !== '', 'an event without a category');
    ask(ph === 'B' || ph === 'E', `an event of phase ${String(ph)}`);
    ask(isTime(ts), `ts is ${String(ts)}`);
    // All on one thread, or beginnings and ends belong together otherwise.
    ask(pid === 1 && tid === 1, `an event of process ${String(pid)}, thread ${String(tid)}`);
    return { name, opens: ph === 'B', nanoseconds: Math.round(ts * 1e3) };
  }));
}

const kUnits = ['bytes', 'microseconds', 'milliseconds', 'nanoseconds', 'none', 'seconds'];

/** speedscope's file of one evented profile, in nanoseconds. */
export function readSpeedscope(text: string): FileCall[] {
  const file: unknown = JSON.parse(text);
  ask(isRecord(file), 'no object');
  ask(file['$schema'] === 'https://www.speedscope.app/file-format-schema.json', 'another $schema');
  ask(isRecord(file['shared']), 'no shared');
  const names = recordsOf(file['shared']['frames'], 'frames').map(({ name }) => {
    ask(typeof name === 'string' && name !== '', 'a frame without a name');
    return name;
  });
  const [profile, ...others] = recordsOf(file['profiles'], 'profiles');
  ask(profile !== undefined && others.length === 0, 'not one profile');
  const { type, name, unit, startValue, endValue, events } = profile;
  ask(type === 'evented' && typeof name === 'string', `a profile of type ${String(type)}`);
  ask(kUnits.includes(String(unit)) && unit === 'nanoseconds', `times in ${String(unit)}`);
  ask(isTime(startValue) && isTime(endValue) && startValue <= endValue, 'no range of time');
  return callsOf(recordsOf(events, 'events').map((event) => {
    const { type: kind, frame, at } = event;
    ask(kind === 'O' || kind === 'C', `an event of type ${String(kind)}`);
    ask(names[frame as number] !== undefined, 'a frame that is not there');
    ask(isTime(at) && at >= startValue && at <= endValue, `an event at ${String(at)}`);
    return { name: names[frame as number]!, opens: kind === 'O', nanoseconds: at };
  }));
}
