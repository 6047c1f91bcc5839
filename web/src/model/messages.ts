// SPDX-License-Identifier: Apache-2.0
// The messages by which a page drives the one that it embeds: one table of commands and of what
// each takes. Whoever sends them is a stranger, so everything about them is checked.

export const kMessageVersion = 1;

export interface CommandFields {
  load: { example?: string; text?: string; bytes?: Uint8Array<ArrayBuffer>; name?: string };
  run: object;
  stop: object;
  reset: object;
  step: { count?: number };
  back: { count?: number };
  seek: { step: number };
  vscale: { vscale: number };
  size: { n: number };
  state: object;
}

export type CommandName = keyof CommandFields;
export type MessageId = number | string;

interface Field {
  readonly expected: string;
  readonly holds: (value: unknown) => boolean;
  readonly required?: boolean;
}

const kMaxName = 200;
const kMaxText = 1 << 20;
const kMaxBytes = 1 << 28;
const kMaxCount = 1_000_000;
const kMaxSize = 2 ** 31 - 1;
const kMaxId = 100;

const whole = (least: number, most: number): Field => ({
  expected: `a whole number from ${least} to ${most}`,
  holds: (value) => Number.isInteger(value) && least <= (value as number) &&
    (value as number) <= most,
});

const text = (most: number): Field => ({
  expected: `a text of 1 to ${most} letters`,
  holds: (value) => typeof value === 'string' && value.length > 0 && value.length <= most,
});

const kBytes: Field = {
  expected: `a Uint8Array of 1 to ${kMaxBytes} bytes`,
  holds: (value) => value instanceof Uint8Array && value.length > 0 && value.length <= kMaxBytes,
};

const required = (field: Field): Field => ({ ...field, required: true });

export const kCommands: {
  readonly [Name in CommandName]: { readonly [Key in keyof CommandFields[Name]]-?: Field }
} = {
  load: { example: text(kMaxName), text: text(kMaxText), bytes: kBytes, name: text(kMaxName) },
  run: {},
  stop: {},
  reset: {},
  step: { count: whole(1, kMaxCount) },
  back: { count: whole(1, kMaxCount) },
  seek: { step: required(whole(0, kMaxCount)) },
  vscale: { vscale: required(whole(1, 16)) },
  size: { n: required(whole(0, kMaxSize)) },
  state: {},
};

export type Command = {
  [Name in CommandName]: {
    readonly id: MessageId; readonly cmd: Name; readonly fields: CommandFields[Name];
  }
}[CommandName];

/** A message that is meant for this page and cannot be done; the id is null where it has none. */
export interface Misunderstood {
  readonly id: MessageId | null;
  readonly mistake: string;
}

const isId = (value: unknown): value is MessageId =>
  Number.isSafeInteger(value) || (typeof value === 'string' && value.length <= kMaxId);

/** How a value that was not expected is told: never in full. */
function told(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 40));
  if (typeof value === 'object' && value !== null) return 'an object';
  return String(value);
}

function mistakeIn(cmd: CommandName, given: Readonly<Record<string, unknown>>): string | undefined {
  const fields: Readonly<Record<string, Field>> = kCommands[cmd];
  for (const key of Object.keys(given)) {
    if (Object.hasOwn(fields, key)) continue;
    const known = Object.keys(fields).join(', ') || 'nothing';
    return `'${cmd}' does not take ${told(key)}: it takes ${known}`;
  }
  for (const [key, { expected, holds, required: isRequired }] of Object.entries(fields)) {
    const value = given[key];
    if (value === undefined && !isRequired) continue;
    if (!holds(value)) return `${key} of '${cmd}' has to be ${expected}, not ${told(value)}`;
  }
  if (cmd !== 'load') return undefined;
  const sources = ['example', 'text', 'bytes'].filter((key) => given[key] !== undefined);
  return sources.length === 1 ? undefined
    : `'load' takes one of example, text and bytes, not ${sources.join(' and ') || 'none'}`;
}

/** undefined: the message is somebody else's. */
export function readMessage(data: unknown): Command | Misunderstood | undefined {
  if (typeof data !== 'object' || data === null || !Object.hasOwn(data, 'tern')) return undefined;
  const { tern, id, cmd, ...fields } = data as Record<string, unknown>;
  if (!isId(id)) {
    const mistake = `id has to be a whole number, or a text of at most ${kMaxId} letters`;
    return { id: null, mistake };
  }
  if (tern !== kMessageVersion) {
    return { id, mistake: `messages are of version ${kMessageVersion} here, not ${told(tern)}` };
  }
  if (typeof cmd !== 'string' || !Object.hasOwn(kCommands, cmd)) {
    const names = Object.keys(kCommands).join(', ');
    return { id, mistake: `there is no command ${told(cmd)}: there are ${names}` };
  }
  const mistake = mistakeIn(cmd as CommandName, fields);
  return mistake === undefined ? { id, cmd, fields } as Command : { id, mistake };
}
