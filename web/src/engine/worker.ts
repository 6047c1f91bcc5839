// SPDX-License-Identifier: Apache-2.0
// The worker: one runtime, one program, one machine. Requests are handled in order; a run goes in
// slices, between which messages are heard.
import {
  createRuntime, type Machine, type MachineState, type Program, type Runtime, type StopReason,
  TernError,
} from 'tern-runtime';
import { notAProgram, sniff } from '../model/file-kind.js';
import type {
  Answer, Failure, LoadedProgram, MachineView, Reply, Request, StopRequest,
} from './protocol.js';

const kSliceMilliseconds = 8;
const kMaxSlice = 1 << 20;
const kProgressMilliseconds = 100;

let runtime: Promise<Runtime> | undefined;
let explain: (code: string) => string | undefined = () => undefined;
let program: Program | undefined;
let machine: Machine | undefined;
/** Why the machine rests; a breakpoint that it was stepped onto does not stop it again. */
let rest: MachineView['stop'] = 'ready';
let stopRequested = false;
/** The end of the request before: a run ends before another request touches its machine. */
let tail: Promise<void> = Promise.resolve();

const post = (reply: Reply): void => self.postMessage(reply);

async function engine(): Promise<Runtime> {
  runtime ??= createRuntime();
  let tern: Runtime;
  try {
    tern = await runtime;
  } catch (error) {
    runtime = undefined; // fetched anew by the next request
    throw error;
  }
  explain = (code) => tern.explain(code);
  return tern;
}

function loadedProgram(): Program {
  if (!program) throw new TernError('E0606', 'no program is loaded');
  return program;
}

function runningMachine(): Machine {
  if (!machine) throw new TernError('E0606', 'nothing is running');
  return machine;
}

function dropMachine(): void {
  machine?.dispose();
  machine = undefined;
}

async function load(name: string, bytes: Uint8Array): Promise<LoadedProgram> {
  const tern = await engine();
  const kind = sniff(bytes, name);
  if (!kind.program) {
    const { code, message, text } = notAProgram(name, kind.what);
    throw new TernError(code, message, text);
  }
  const assembly = kind.program === 'assembly';
  if (kind.program !== 'executable') await tern.prepareCompiler();
  const start = performance.now();
  const source = assembly ? tern.assemble(new TextDecoder().decode(bytes), name) : bytes;
  const next = tern.load(source, { sourceName: name });
  const { info } = next;
  dropMachine();
  program?.dispose();
  program = next;
  return {
    name, fileKind: kind.program, fileBytes: bytes.length, executable: next.bytes,
    milliseconds: performance.now() - start, info,
  };
}

function view(
  stop: MachineView['stop'], milliseconds: number, previous?: MachineState,
): MachineView {
  const current = runningMachine();
  rest = stop;
  const result: MachineView = { stop, state: current.state(), milliseconds };
  if (previous) result.previous = previous;
  if (stop === 'returned') result.outputs = current.takeResult();
  return result;
}

function begin(name: string, args: Request & { kind: 'begin' }): MachineView {
  dropMachine();
  machine = loadedProgram().machine();
  for (const pc of args.breakpoints) machine.setBreakpoint(pc, true);
  machine.begin(name, args.args);
  return view('ready', 0);
}

/** At most so many instructions, the one at hand also when there is a breakpoint at it. */
function resume(current: Machine, count: number): StopReason {
  const stepped = rest === 'paused';
  rest = 'ready';
  const stop = current.resume(count);
  return stop === 'breakpoint' && stepped ? current.resume(count) : stop;
}

/** The last of the instructions alone, so that the state before it is known too. */
function step(count: number): MachineView {
  const current = runningMachine();
  const start = performance.now();
  rest = 'paused';
  if (count > 1) {
    const stop = resume(current, count - 1);
    if (stop !== 'paused') return view(stop, performance.now() - start);
    rest = 'paused';
  }
  const spent = count > 1 ? performance.now() - start : 0;
  const previous = current.state();
  const before = performance.now();
  const stop = resume(current, 1);
  return view(stop, spent + performance.now() - before, previous);
}

/** Lets messages that wait be heard. */
const breathe = (): Promise<void> =>
  new Promise((resolve) => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => {
      channel.port1.close();
      resolve();
    };
    channel.port2.postMessage(0);
  });

async function run(id: number): Promise<MachineView> {
  const current = runningMachine();
  const start = performance.now();
  let steps = current.state().steps;
  let slice = 16, spoken = 0;
  for (;;) {
    const before = performance.now();
    const stop = resume(current, slice);
    const now = performance.now();
    if (stop !== 'paused') return view(stop, now - start);
    steps += slice;
    if (now - start >= spoken + kProgressMilliseconds) {
      spoken = now - start;
      post({ id, progress: { steps, milliseconds: spoken } });
    }
    if (now - before < kSliceMilliseconds / 2) slice = Math.min(slice * 2, kMaxSlice);
    else if (now - before > kSliceMilliseconds) slice = Math.max(slice >> 1, 1);
    await breathe();
    if (stopRequested) return view('cancelled', performance.now() - start);
  }
}

function call(name: string, args: Request & { kind: 'call' }): Answer {
  const start = performance.now();
  const outputs = loadedProgram().run(name, args.args);
  return { kind: 'called', outputs, milliseconds: performance.now() - start };
}

async function handle(request: Request): Promise<Answer> {
  switch (request.kind) {
    case 'start': {
      const tern = await engine();
      return { kind: 'started', runtime: tern.info, wasmBytes: tern.memory().wasmBytes };
    }
    case 'load':
      return { kind: 'loaded', program: await load(request.name, request.bytes) };
    case 'begin':
      return { kind: 'machine', machine: begin(request.function, request) };
    case 'breakpoint':
      machine?.setBreakpoint(request.pc, request.on);
      return { kind: 'done' };
    case 'step':
      return { kind: 'machine', machine: step(request.count) };
    case 'run':
      return { kind: 'machine', machine: await run(request.id) };
    case 'call':
      return call(request.function, request);
    case 'register':
      return { kind: 'value', value: runningMachine().register(request.index) };
    case 'reset':
      dropMachine();
      return { kind: 'done' };
  }
}

function describe(error: unknown): Failure {
  const known = error instanceof TernError
    ? error
    : new TernError('E0605', `the engine failed and was restarted: ${String(error)}`);
  const fatal = !(error instanceof TernError) || known.code === 'E0901';
  const { code, message, text, diagnostics } = known;
  const failure: Failure = { code, message, text, diagnostics, fatal };
  if (fatal) return failure;
  const explanation = explain(code);
  if (explanation) failure.explanation = explanation;
  if (machine) failure.state = machine.state();
  return failure;
}

async function answer(request: Request): Promise<void> {
  const { id } = request;
  try {
    post({ id, ok: true, answer: await handle(request) });
  } catch (error) {
    post({ id, ok: false, failure: describe(error) });
  }
}

self.onmessage = (event: MessageEvent<Request | StopRequest>) => {
  const message = event.data;
  const ends = message.kind === 'load' || message.kind === 'begin' || message.kind === 'reset';
  if (message.kind === 'run') stopRequested = false;
  if (message.kind === 'stop' || ends) stopRequested = true;
  if (message.kind !== 'stop') tail = tail.then(() => answer(message));
};
