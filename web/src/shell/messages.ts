// SPDX-License-Identifier: Apache-2.0
// The page inside of another one, driven by messages of the page around it. That page may be of
// anybody, so it is told of what it loaded itself and of where the run stands, never of files that
// the visitor opened here.
import { effect } from '@preact/signals';
import { looksLikeLoops } from '../model/file-kind.js';
import {
  type Command, type CommandFields, type CommandName, kCommands, kMessageVersion, type MessageId,
  readMessage,
} from '../model/messages.js';
import { load, openedByVisitor } from '../state/files.js';
import { openedFile } from '../state/loading.js';
import { reset, run, seek, step, stepBack, stop } from '../state/runs.js';
import { currentPc, visibleState } from '../state/session.js';
import { idle, session } from '../state/store.js';
import { lanesReporter, view, type ViewName } from '../state/view.js';

interface Told {
  readonly code: string;
  readonly message: string;
}

/** A command that fits the table and cannot be done here. */
class Refusal extends Error {}

const lanes = () => import('../state/lanes.js');

const problemsNow = (): readonly Told[] => {
  if (view.value === 'machine') return session.value.problems;
  return (lanesReporter.report?.()['problems'] ?? []) as readonly Told[];
};

/** What only one of the two kinds of frames can do. */
const kViews: Partial<Record<CommandName, ViewName>> = {
  run: 'machine', step: 'machine', back: 'machine', seek: 'machine', reset: 'machine',
  vscale: 'lanes', size: 'lanes',
};

function needs(wanted: ViewName, what: string): void {
  if (view.value === wanted) return;
  const [here, there] = wanted === 'lanes' ? ['the machine', 'vector loops']
    : ['vector loops', 'the machine'];
  throw new Refusal(`${what} is for frames of ${there}, and this one shows ${here}: its pane and ` +
    `its address (view=${wanted}) say which`);
}

async function loadExample(id: string): Promise<void> {
  const { galleryEntry, openFromGallery } = await import('../state/examples.js');
  const entry = galleryEntry(id);
  if (!entry) throw new Refusal(`the gallery has no program '${id.slice(0, 40)}'`);
  needs(entry.kind === 'loops' ? 'lanes' : 'machine', `'${entry.id}'`);
  await openFromGallery(entry);
}

async function loadContent(
  { text, bytes, name = 'program' }: CommandFields['load'],
): Promise<void> {
  const content = bytes ?? new TextEncoder().encode(text);
  needs(looksLikeLoops(content, name) ? 'lanes' : 'machine', 'the program');
  await load(name, content);
}

/** What the visitor had opened when a program of the page around this one took its place. */
let replaced = 0;

async function loadGiven(fields: CommandFields['load']): Promise<void> {
  const opened = openedByVisitor();
  const before = openedFile.value;
  await (fields.example === undefined ? loadContent(fields) : loadExample(fields.example));
  await idle();
  // A picture of loops stays where the new ones have mistakes.
  const isThere = view.value === 'lanes' ? problemsNow().length === 0
    : openedFile.value !== before;
  if (isThere) replaced = opened;
}

/** How far the run is: nothing in it is the visitor's. */
function position(): Record<string, unknown> {
  const { steps, stopReason } = session.value;
  const pc = currentPc(session.value) ?? null;
  return { state: visibleState(session.value), step: steps, pc, stopReason };
}

function isVisitors(): boolean {
  return openedByVisitor() !== replaced ||
    Object.values(session.value.inputs).some(({ fill }) => fill === 'file');
}

/** All that scripts of the page are told, but for the text: what is typed is the visitor's. */
function whole(): Record<string, unknown> {
  if (isVisitors()) return { version: 1, ...position(), withheld: true };
  const { source: _typed, ...report } = window.ternPlayground.state();
  return report;
}

const kActs: {
  readonly [Name in CommandName]: (fields: CommandFields[Name]) => Promise<void> | void
} = {
  load: loadGiven,
  run: () => run(),
  stop,
  reset,
  step: ({ count }) => step(count),
  back: ({ count }) => stepBack(count),
  seek: ({ step: to }) => seek(to),
  vscale: async ({ vscale }) => (await lanes()).setVscale(vscale),
  size: async ({ n }) => (await lanes()).setSize(n),
  state: () => undefined,
};

/** What the page shows as wrong since: an act reports there instead of failing. */
async function perform({ cmd, fields }: Command): Promise<Told | undefined> {
  const before = session.value.problems;
  const wanted = kViews[cmd];
  if (wanted) needs(wanted, `'${cmd}'`);
  await (kActs[cmd] as (given: unknown) => Promise<void> | void)(fields);
  await idle();
  if (cmd === 'state' || (view.value === 'machine' && session.value.problems === before))
    return undefined;
  return problemsNow()[0];
}

const toMessage = (content: object): object => ({ tern: kMessageVersion, ...content });

async function answerTo(command: Command): Promise<object> {
  try {
    const problem = await perform(command);
    const result = command.cmd === 'state' ? whole() : position();
    if (!problem) return { id: command.id, ok: true, result };
    const { code, message } = problem;
    return { id: command.id, ok: false, error: { code, message }, result };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return refused(command.id, error.message);
  }
}

const refused = (id: MessageId | null, message: string): object =>
  ({ id, ok: false, error: { code: 'bad-message', message } });

/** Sandboxed pages have no origin that could be named. */
const addressOf = ({ origin }: MessageEvent): string => (origin === 'null' ? '*' : origin);

let isFollowed = false;

/** Where the run stands, each time that it changes, from the first message on. */
function follow(origin: string): void {
  if (isFollowed) return;
  isFollowed = true;
  let last = '';
  effect(() => {
    const state = position();
    const now = JSON.stringify(state);
    if (now === last) return;
    last = now;
    window.parent.postMessage(toMessage({ event: 'state', state }), origin);
  });
}

/** Commands begin in the order in which they come; a stop does not wait for what it ends. */
let last: Promise<void> = Promise.resolve();

function onMessage(event: MessageEvent): void {
  if (event.source !== window.parent) return;
  const read = readMessage(event.data);
  if (!read) return;
  const origin = addressOf(event);
  const post = (content: object): void => window.parent.postMessage(toMessage(content), origin);
  follow(origin);
  if ('mistake' in read) return post(refused(read.id, read.mistake));
  const act = async (): Promise<void> => post(await answerTo(read));
  if (read.cmd === 'stop') void act();
  else last = last.then(act);
}

/** Says when it listens, and in which words; whoever is around the page may know that. */
export async function listenForMessages(): Promise<void> {
  if (window.parent === window) return;
  await window.ternPlayground.ready;
  addEventListener('message', onMessage);
  const commands = Object.keys(kCommands);
  window.parent.postMessage(toMessage({ event: 'ready', commands }), '*');
}
