// SPDX-License-Identifier: Apache-2.0
// A worker that answers by the protocol without an engine: a program of a few instructions, each of
// which adds one to register 0. Tests tell it where to fail.
import { type Instruction, kInstructions, type ProgramInfo } from 'tern-runtime';
import type {
  Answer,
  CursorState,
  Failure,
  MachineView,
  Reply,
  Request,
  StopRequest,
} from '../../../web/src/engine/protocol.js';

export const kProgram: ProgramInfo = {
  functions: [
    {
      name: 'main',
      first: 0,
      count: 4,
      registers: 1,
      params: [{ name: 'x', type: 'f32[n, 3]', dtype: 'f32', shape: ['n', 3] }],
      results: [{ name: 'y', type: 'int' }],
    },
  ],
  constants: [{ index: 0, type: 'f32[3]', bytes: 12, splat: false }],
  primitives: ['add'],
  instructions: [0, 1, 2, 3].map((pc): Instruction => {
    const source = `node ${pc}`;
    if (pc === 3) {
      const operand = { name: 'ret', role: 'v', kind: 'register', value: 0 } as const;
      const operands: Instruction['operands'] = [{ ...operand, span: [10, 12] }];
      return { pc, text: 'ret   ret %0', opcode: 'ret', source, operands };
    }
    return {
      pc,
      text: 'call  add   in: %0, c[0]   dst: %0',
      opcode: 'call',
      source,
      operands: [
        { name: 'callee', role: 'a', kind: 'primitive', value: 0, span: [6, 9] },
        { name: 'in', role: 'v', kind: 'register', value: 0, span: [16, 18] },
        { name: 'in', role: 'v', kind: 'constant', value: 0, span: [20, 24] },
        { name: 'dst', role: 'w', kind: 'register', value: 0, span: [32, 34] },
      ],
    };
  }),
  sections: [],
  metadata: {},
};

const kKinds = ['register', 'immediate', 'constant', 'function', 'primitive', 'void', 'vm'];

/** As the module tells a program (`tern_program_info` in core/api/c_api.h). */
export function infoJsonOf({ instructions, ...info }: ProgramInfo): string {
  const sources: string[] = [];
  const numbers = instructions.flatMap(({ opcode, operands, source, line = 0, column = 0 }) => {
    const { number, operands: rows } = kInstructions[opcode]!;
    const isPlaced = source !== undefined;
    if (isPlaced) sources.push(source);
    let before = 0;
    return [
      number + 256 * (2 * operands.length + Number(isPlaced)),
      ...(isPlaced ? [sources.length - 1, line, column] : []),
      ...operands.flatMap(({ name, kind, value = -1, span: [begin, end] }) => {
        const row = rows.findIndex((each) => each.name === name);
        const packed = row + 8 * kKinds.indexOf(kind) + 64 * (begin - before);
        before = end;
        return [packed, end - begin, value];
      }),
    ];
  });
  const texts = instructions.map(({ text }) => `${text}\n`).join('');
  return JSON.stringify({ ...info, code: { texts, numbers, sources } });
}

export function failure(code: string, more: Partial<Failure> = {}): Failure {
  return {
    code,
    message: `${code} happened`,
    text: `error[${code}]: it happened\n`,
    diagnostics: [],
    fatal: false,
    ...more,
  };
}

/** What the next request of a kind ends with instead of its answer. */
export type Failures = Map<Request['kind'], Failure>;

type Question = Extract<Request, {
  kind: 'view' | 'watches' | 'times' | 'tensor' | 'profile' | 'plan' | 'graph' | 'compareRuns' |
    'readSaved' | 'compareSaved' | 'compareValues';
}>;

/** What is answered without a run: nothing, of the right shape. */
function emptyAnswer(request: Question): Answer {
  switch (request.kind) {
    case 'view':
      return { kind: 'viewed', view: [] };
    case 'watches':
      return { kind: 'watched', watches: [] };
    case 'times':
      return { kind: 'timed', times: { rows: [], operators: [], nanoseconds: 0 } };
    case 'tensor':
      return { kind: 'tensor', facts: undefined };
    case 'profile': {
      const none = {
        runs: 1, nanoseconds: 0, rows: [], operators: [], events: { names: [], events: [] },
        droppedCalls: 0, files: {},
      };
      return { kind: 'profiled', cold: none, warm: none, machine: undefined };
    }
    case 'plan':
      return { kind: 'plan', plan: undefined };
    case 'graph':
      return { kind: 'graph', graph: undefined };
    case 'compareRuns':
    case 'compareSaved': {
      const range = { first: 0, end: 0 };
      return {
        kind: 'comparedRuns',
        comparison: { a: range, b: range, common: 0, divergences: [], more: false },
      };
    }
    case 'readSaved':
      return { kind: 'savedRun', contents: { first: 0, end: 0, functions: [] } };
    case 'compareValues':
      return { kind: 'comparedValues', comparison: undefined, shape: [] };
  }
}

export class FakeWorker {
  static all: FakeWorker[] = [];
  static failures: Failures = new Map();
  /** Kinds of requests that are never answered. */
  static deaf = new Set<Request['kind']>();

  onmessage: ((event: { data: Reply }) => void) | undefined;
  onerror: ((event: { message: string; preventDefault(): void }) => void) | undefined;
  terminated = false;
  readonly seen: (Request | StopRequest)[] = [];
  private steps = 0;
  /** Of the record. */
  private end = 0;
  private breakpoints = new Set<number>();

  constructor() {
    FakeWorker.all.push(this);
  }

  static reset(): void {
    FakeWorker.all = [];
    FakeWorker.failures = new Map();
    FakeWorker.deaf = new Set();
  }

  terminate(): void {
    this.terminated = true;
  }

  postMessage(message: Request | StopRequest): void {
    this.seen.push(message);
    if (message.kind === 'stop' || FakeWorker.deaf.has(message.kind)) return;
    queueMicrotask(() => this.reply(message));
  }

  private reply(request: Request): void {
    const { id, kind } = request;
    const failed = FakeWorker.failures.get(kind);
    FakeWorker.failures.delete(kind);
    const reply: Reply = failed
      ? { id, ok: false, failure: failed }
      : { id, ok: true, answer: this.answer(request) };
    if (!this.terminated) this.onmessage?.({ data: reply });
  }

  private stateAt(steps: number): CursorState {
    const returned = steps >= 4;
    const value = { kind: 'int', value: steps };
    const registers = [{ index: 0, name: 'x', value, changed: steps > 0 }];
    const frame = { function: 'main', pc: steps, instruction: '', registers };
    const state: CursorState = {
      state: returned ? 'returned' : 'paused',
      steps,
      step: steps,
      past: steps < this.end,
      frames: returned ? [] : [frame],
      memory: { live: 12, peak: 12 },
    };
    return steps > 0 ? { ...state, lastPc: steps - 1 } : state;
  }

  private view(stop: MachineView['stop']): MachineView {
    this.end = Math.max(this.end, this.steps);
    const trace = { first: 0, end: this.end };
    const view: MachineView = { stop, state: this.stateAt(this.steps), milliseconds: 1, trace };
    if (stop === 'returned') {
      view.outputs = { y: this.steps };
      view.before = { ...this.stateAt(3), past: true };
    }
    return view;
  }

  private go(to: number): MachineView {
    this.steps = Math.min(Math.max(to, 0), 4);
    return this.view(this.steps >= 4 ? 'returned' : 'paused');
  }

  private advance(count: number): MachineView {
    if (count < 0) return this.go(this.steps + count);
    const goal = Math.min(this.steps + count, 4);
    while (this.steps < goal) {
      this.steps++;
      if (this.breakpoints.has(this.steps) && this.steps < goal) return this.view('breakpoint');
    }
    return this.go(this.steps);
  }

  private answer(request: Request): Answer {
    switch (request.kind) {
      case 'start':
        return {
          kind: 'started',
          wasmBytes: 1 << 24,
          runtime: { version: '0', target: 'fake', targets: ['fake'], operators: [] },
        };
      case 'load':
        return {
          kind: 'loaded',
          program: {
            name: request.name,
            fileKind: 'onnx',
            fileBytes: request.bytes.length,
            executable: new Uint8Array([1, 2, 3]),
            milliseconds: 5,
            infoJson: infoJsonOf(kProgram),
          },
        };
      case 'begin':
        this.steps = this.end = 0;
        this.breakpoints = new Set(request.breakpoints);
        return { kind: 'machine', machine: this.view('ready') };
      case 'step':
        return { kind: 'machine', machine: this.advance(request.count) };
      case 'run':
        return { kind: 'machine', machine: this.advance(request.back ? -Infinity : Infinity) };
      case 'seek':
        return { kind: 'machine', machine: this.go(request.step) };
      case 'call':
        return { kind: 'called', outputs: { y: 1 }, milliseconds: 1 };
      case 'register':
        return { kind: 'value', value: this.steps };
      case 'walk':
        return { kind: 'machine', machine: this.advance(1) };
      case 'breakpoint':
      case 'limits':
      case 'keepRun':
      case 'dropKept':
      case 'reset':
        return { kind: 'done' };
      default:
        return emptyAnswer(request);
    }
  }
}
