// SPDX-License-Identifier: Apache-2.0
// The worker: one program and one recorded run of it. Requests are handled in order; a run goes in
// slices, between which messages are heard.
//
// What runs is fetched by the page (first-fetch.ts). The parts that compile and that record, which
// have the debugger, are fetched with the first step or run, and work on a runtime of their own.
import {
  createRuntime, type ModuleOptions, type Program, type Runtime, TernError,
} from 'tern-runtime';
import { notAProgram, sniff } from '../model/file-kind.js';
import { Comparison, isComparison } from './comparison.js';
import { kDefaultLimits } from './debug-protocol.js';
import { handleDebugRequest, isDebugRequest } from './debug-requests.js';
import {
  type Answer, type Failure, kRuns, type LatePart, type MachineView, type PrepareRequest,
  type Reply, type Request, type SentProgram, type StopRequest,
} from './protocol.js';
import { handedOver } from './handed-over.js';
import { answerInspection, type ProgramSource } from './inspection.js';
import { onDemand } from './on-demand.js';
import { type Between, Recording } from './recording.js';

const kProgressMilliseconds = 100;
const kDebugModule = new URL('../../../wasm/package/dist/tern-debug.wasm.gz', import.meta.url);

/** What the page has fetched; without it, the runtimes fetch for themselves. */
let given: Pick<ModuleOptions, 'wasm'> = {};
const fastRuntime = onDemand(() => createRuntime(given));
const recordingRuntime = onDemand(() =>
  createRuntime({ ...given, debugger: kDebugModule }));
let explain: (code: string) => string | undefined = () => undefined;
let program: Program | undefined;
/** The same program in the module that records. */
let recordedProgram: Program | undefined;
let recording: Recording | undefined;
let limits = kDefaultLimits;
let programSource: ProgramSource | undefined;
const comparison = new Comparison();
let stopRequested = false;
/** The end of the request before: a run ends before another request touches its machine. */
let tail: Promise<void> = Promise.resolve();

const post = (reply: Reply): void =>
  self.postMessage(reply, { transfer: 'ok' in reply && reply.ok ? handedOver(reply.answer) : [] });

async function engine(): Promise<Runtime> {
  const tern = await fastRuntime();
  explain = (code) => tern.explain(code);
  return tern;
}

function loadedProgram(): Program {
  if (!program) throw new TernError('E0606', 'no program is loaded');
  return program;
}

function currentRecording(): Recording {
  if (!recording) throw new TernError('E0606', 'nothing is running');
  return recording;
}

function dropRecording(): void {
  comparison.release(recording);
  recording = undefined;
}

async function prepare(part: LatePart): Promise<void> {
  if (part === 'recorder') await recordingRuntime();
  else await (await fastRuntime()).prepareCompiler();
}

/** Fetches the loop compiler for a program that brings kernels along; others go without. */
async function withKernels(tern: Runtime, loaded: Program): Promise<Program> {
  await tern.prepareKernels(loaded);
  return loaded;
}

async function load(name: string, bytes: Uint8Array): Promise<SentProgram> {
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
  const next = await withKernels(tern, tern.load(source, { sourceName: name }));
  const infoJson = next.infoJson();
  dropRecording();
  comparison.releaseProgram(recordedProgram);
  recordedProgram = undefined;
  program?.dispose();
  program = next;
  programSource = { kind: kind.program, bytes };
  return {
    name, fileKind: kind.program, fileBytes: bytes.length, executable: next.bytes,
    milliseconds: performance.now() - start, infoJson,
  };
}

async function programToRecord(): Promise<Program> {
  const { bytes } = loadedProgram();
  if (recordedProgram) return recordedProgram;
  const tern = await recordingRuntime();
  return (recordedProgram = await withKernels(tern, tern.load(bytes)));
}

async function begin(request: Request & { kind: 'begin' }): Promise<MachineView> {
  dropRecording();
  const { function: name, args, breakpoints, watches } = request;
  recording = new Recording(await programToRecord(), name, args, breakpoints, watches);
  return recording.rest();
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

/** Tells how far a command is, and whether it is to go on. */
function between(id: number): Between {
  let spoken = 0;
  return {
    goOn: async (steps, milliseconds) => {
      if (milliseconds >= spoken + kProgressMilliseconds) {
        spoken = milliseconds;
        post({ id, progress: { steps, milliseconds } });
      }
      await breathe();
      // That a stop was heard is told at once: the answer may take longer, on a busy machine.
      if (stopRequested) post({ id, progress: { steps, milliseconds } });
      return !stopRequested;
    },
    limits,
  };
}

function call(name: string, args: Request & { kind: 'call' }): Answer {
  const start = performance.now();
  const outputs = loadedProgram().run(name, args.args);
  return { kind: 'called', outputs, milliseconds: performance.now() - start };
}

async function machineAnswer(view: Promise<MachineView>): Promise<Answer> {
  return { kind: 'machine', machine: await view };
}

async function handle(request: Request): Promise<Answer> {
  if (isDebugRequest(request)) {
    return handleDebugRequest(request, {
      recording, program: programToRecord, between: between(request.id),
      limit: (next) => {
        limits = next;
      },
    });
  }
  if (isComparison(request))
    return comparison.answer(request,
      { runtime: recordingRuntime, recording, program: recordedProgram });
  switch (request.kind) {
    case 'start': {
      if (request.module) given = { wasm: request.module };
      const tern = await engine();
      return { kind: 'started', runtime: tern.info, wasmBytes: tern.memory().wasmBytes };
    }
    case 'load':
      return { kind: 'loaded', program: await load(request.name, request.bytes) };
    case 'begin':
      return { kind: 'machine', machine: await begin(request) };
    case 'breakpoint':
      recording?.setBreakpoint(request.pc, request.on);
      return { kind: 'done' };
    case 'step':
      return machineAnswer(currentRecording().step(request.count, between(request.id)));
    case 'run':
      return machineAnswer(currentRecording().run(request.back, between(request.id)));
    case 'seek':
      return { kind: 'machine', machine: currentRecording().seek(request.step) };
    case 'call':
      return call(request.function, request);
    case 'register':
      return { kind: 'value', value: currentRecording().register(request.index, request.frame) };
    case 'reset':
      dropRecording();
      return { kind: 'done' };
    default:
      return answerInspection(request, {
        runtime: recordingRuntime, program: programToRecord, recording: currentRecording,
        source: programSource,
      });
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
  return { ...failure, ...recording?.failed() };
}

async function answer(request: Request): Promise<void> {
  const { id } = request;
  try {
    post({ id, ok: true, answer: await handle(request) });
  } catch (error) {
    post({ id, ok: false, failure: describe(error) });
  }
}

self.onmessage = (event: MessageEvent<Request | StopRequest | PrepareRequest>) => {
  const message = event.data;
  // What cannot be fetched now is asked for again by the request that needs it.
  if (message.kind === 'prepare') return void prepare(message.part).catch(() => undefined);
  const ends = message.kind === 'load' || message.kind === 'begin' || message.kind === 'reset';
  const isRun = message.kind !== 'stop' && kRuns.has(message.kind);
  // A stop that came before is none of theirs.
  if (isRun) stopRequested = false;
  if (message.kind === 'stop' || ends) stopRequested = true;
  if (message.kind !== 'stop') tail = tail.then(() => answer(message));
};
