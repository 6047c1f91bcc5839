// SPDX-License-Identifier: Apache-2.0
// One runtime that answers the requests of protocol.ts, one after the other, on whichever thread it
// is. Runs go in slices, between which it hears of aborts.
import { breathe } from './abort.js';
import { TernError } from './errors.js';
import type { AssetName } from './files.js';
import type { ModuleOptions } from './module.js';
import type { Machine, MachineOptions, Program } from './program.js';
import { type Progress, ProgressMeter } from './progress.js';
import {
  type Answers,
  pack,
  type Request,
  type StartOptions,
  type StatusAnswer,
  unpack,
} from './protocol.js';
import { kLoadWeights, type Runtime } from './runtime.js';

// A slice is let grow until it takes about as long as this.
const kSliceMs = 8;
const kFirstSlice = 64;
const kLargestSlice = 1 << 20;

type Tell = (progress: Progress) => void;

interface Loaded {
  program: Program;
  /** Kept for runs without limits of their own, because it keeps its memory from run to run. */
  machine: Machine | undefined;
}

/** Runs what the machine has begun, hearing the signal after each slice. */
export async function runInSlices(machine: Machine, signal: AbortSignal): Promise<void> {
  for (let slice = kFirstSlice; ;) {
    const before = performance.now();
    if (machine.resume(slice) !== 'paused') return;
    const took = performance.now() - before;
    if (took < kSliceMs / 2) slice = Math.min(2 * slice, kLargestSlice);
    else if (took > kSliceMs) slice = Math.max(slice >> 1, 1);
    await breathe();
    signal.throwIfAborted();
  }
}

export class Engine {
  private runtime: Runtime | undefined;
  private readonly loaded = new Map<number, Loaded>();
  private readonly aborts = new Map<number, AbortController>();
  private tail: Promise<unknown> = Promise.resolve();
  private nextProgram = 1;

  /** `begin` starts the runtime: startRuntime, or the same with threads. */
  constructor(private readonly begin: (options: ModuleOptions) => Promise<Runtime>) {}

  /** Answers after all requests before it. */
  request(request: Request, tell: Tell): Promise<unknown> {
    const control = new AbortController();
    this.aborts.set(request.id, control);
    const answer = this.tail.then(async () => {
      try {
        control.signal.throwIfAborted();
        return await this.answer(request, control.signal, tell);
      } finally {
        this.aborts.delete(request.id);
      }
    });
    this.tail = answer.catch(() => undefined);
    return answer;
  }

  abort(id: number): void {
    this.aborts.get(id)?.abort();
  }

  dispose(): void {
    for (const control of this.aborts.values()) control.abort();
    for (const id of [...this.loaded.keys()]) this.free(id);
    this.runtime?.dispose();
    this.runtime = undefined;
  }

  private async answer(request: Request, signal: AbortSignal, tell: Tell): Promise<unknown> {
    if (request.kind === 'start') return this.start(request.options, signal, tell);
    const runtime = this.live();
    switch (request.kind) {
      case 'load':
        return this.load(request, signal, tell);
      case 'compile':
        await runtime.prepareCompiler({ signal });
        return runtime.compile(request.source, request.options);
      case 'prepareCompiler':
        await runtime.prepareCompiler({ signal, onProgress: tell });
        return null;
      case 'run':
        return this.run(request, signal);
      case 'status':
        return this.status();
      case 'explain':
        await runtime.prepareCompiler({ signal });
        return runtime.explain(request.code) ?? null;
      case 'free':
        this.free(request.program);
        return null;
    }
  }

  private async start(
    { files, ...options }: StartOptions,
    signal: AbortSignal,
    onProgress: Tell,
  ): Promise<StatusAnswer> {
    const bytes = Object.entries(files).filter(([, each]) => typeof each !== 'string');
    const inline = Object.fromEntries(
      bytes.map(([name, each]) => [name, () => each as Uint8Array<ArrayBuffer>]),
    );
    const assets = (name: string): string => files[name] as string;
    const from = bytes.length > 0 ? { inline } : { assets: (file: AssetName) => assets(file) };
    this.runtime = await this.begin({ ...options, ...from, signal, onProgress } as never);
    return this.status();
  }

  private async load(
    { source, options }: Request & { kind: 'load' },
    signal: AbortSignal,
    tell: Tell,
  ): Promise<Answers['load']> {
    const meter = new ProgressMeter(tell, kLoadWeights);
    const given = { ...options, signal };
    const runtime = this.live();
    let program: Program;
    if (source instanceof Uint8Array && options.integrity === undefined) {
      meter.skip('fetch');
      program = await runtime.loadSlowly(source, given, meter);
    } else {
      const from = source instanceof Uint8Array ? new Response(source as BodyInit) : source;
      program = await runtime.loadFrom(from, given, meter);
    }
    meter.finish();
    const id = this.nextProgram++;
    this.loaded.set(id, { program, machine: undefined });
    return { program: id, functions: program.functions, bytes: program.bytes.length };
  }

  private async run(request: Request & { kind: 'run' }, signal: AbortSignal): Promise<unknown> {
    const loaded = this.loaded.get(request.program);
    if (!loaded) throw new TernError('E0702', 'this program has been disposed of');
    const machine = this.machineFor(loaded, request.limits);
    let well = false;
    try {
      machine.begin(request.name, request.args.map(unpack));
      await runInSlices(machine, signal);
      const results = machine.takeResult();
      well = true;
      return Object.fromEntries(
        Object.entries(results).map(([name, value]) => [name, pack(value)]),
      );
    } finally {
      // A machine that did not end its run holds the frames of it.
      if (!well || machine !== loaded.machine) {
        machine.dispose();
        if (machine === loaded.machine) loaded.machine = undefined;
      }
    }
  }

  private machineFor(loaded: Loaded, limits: MachineOptions): Machine {
    if (Object.values(limits).some((each) => each !== undefined))
      return loaded.program.machine(limits);
    loaded.machine ??= loaded.program.machine();
    return loaded.machine;
  }

  private status(): StatusAnswer {
    const runtime = this.live();
    const { relaxedSimd } = runtime.capabilities;
    const { count, reason } = runtime.threads;
    const threads = { count, reason };
    return { info: runtime.info, relaxedSimd, threads, memory: runtime.memory() };
  }

  private free(id: number): void {
    const loaded = this.loaded.get(id);
    this.loaded.delete(id);
    loaded?.machine?.dispose();
    loaded?.program.dispose();
  }

  private live(): Runtime {
    if (!this.runtime) throw new TernError('E0702', 'this runtime has been disposed of');
    return this.runtime;
  }
}
