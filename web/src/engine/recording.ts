// SPDX-License-Identifier: Apache-2.0
// One recorded run: the debugger of the core keeps what each instruction changed, so that any step
// can be gone to at once, also after the run has returned or failed.
import type {
  Debugger, DebugState, DebugStop, InspectedTensor, Program, Value,
} from 'tern-runtime';
import type { ComparedPlace } from './comparison-protocol.js';
import type { RunLimits, RunQuery, WalkCommand, Watch, WatchState } from './debug-protocol.js';
import { viewOf, Watches } from './debug-views.js';
import type { TensorPlace } from './inspection-protocol.js';
import type { CursorState, Failure, LargeTensor, MachineView } from './protocol.js';
import { using } from './using.js';

const kSliceMilliseconds = 8;
const kFirstSlice = 16;
const kMaxSlice = 1 << 20;

/** Of a record, in a page that shares its memory with others. Above, the oldest steps go. */
const kTraceBytes = 128 << 20;

/** Of a tensor that is sent whole. */
const kMostBytes = 4 << 20;

/** What a command that takes long does between two slices. */
export interface Between {
  /** Lets messages that wait be heard; false where one of them ends the command. */
  goOn: (steps: number, milliseconds: number) => Promise<boolean>;
  readonly limits: RunLimits;
}

/** Whether the run rests and can go on with as much again. */
const isLimit = ({ reason }: DebugStop): boolean => reason.endsWith('-limit');

const kPlainStops: Record<string, MachineView['stop']> = {
  begun: 'ready', breakpoint: 'breakpoint', returned: 'returned', cancelled: 'cancelled',
};

export class Recording {
  private readonly debug: Debugger;
  /** The debugger's number of each breakpoint, by instruction. */
  private readonly breakpoints = new Map<number, number>();
  private readonly watches: Watches;
  private outputs: Record<string, Value> | undefined;
  private hasFailed = false;
  /** The state that was told last, whose registers are known without reading all tensors again. */
  private told: DebugState | undefined;
  /** By the commands so far, in milliseconds. */
  private spent = 0;

  constructor(
    program: Program, functionName: string, args: Value[], breakpoints: number[],
    watches: readonly Watch[] = [],
  ) {
    this.debug = program.debugger({ traceBytes: kTraceBytes });
    this.watches = new Watches(this.debug);
    try {
      this.watches.set(watches);
      for (const pc of breakpoints) this.setBreakpoint(pc, true);
      this.debug.begin(functionName, args);
    } catch (error) {
      this.debug.dispose();
      throw error;
    }
  }

  dispose(): void {
    this.debug.dispose();
  }

  setBreakpoint(pc: number, on: boolean): void {
    const id = this.breakpoints.get(pc);
    if (on && id === undefined) this.breakpoints.set(pc, this.debug.addBreakpoint(String(pc)));
    if (on || id === undefined) return;
    this.debug.removeBreakpoint(id);
    this.breakpoints.delete(pc);
  }

  /** Breakpoints that are text, as they are to be from now on. */
  watch(watches: readonly Watch[]): WatchState[] {
    return this.watches.set(watches);
  }

  /** Over calls, out of them, or to an instruction. */
  walk(command: WalkCommand, argument: number, between: Between): Promise<MachineView> {
    return this.command(command, argument, between);
  }

  /** Of the whole record. After a return, of frames as they were before it. */
  look(query: RunQuery): ReturnType<typeof viewOf> {
    const { depth, end, first } = this.debug.stop();
    const needsFrames = ['shapes', 'objects', 'thumbnails'].includes(query.view);
    if (!needsFrames || depth > 0 || end === first) return viewOf(this.debug, query);
    if (query.view === 'objects' && query.list !== 'live') return viewOf(this.debug, query);
    return this.lookBack(() => viewOf(this.debug, query));
  }

  /** So many instructions on, or back where it is less than none. */
  step(count: number, between: Between): Promise<MachineView> {
    return count < 0
      ? this.command('stepBack', -count, between) : this.command('step', count, between);
  }

  /** To the next breakpoint or the end, or to the breakpoint or the beginning before. */
  run(back: boolean, between: Between): Promise<MachineView> {
    return this.command(back ? 'continueBack' : 'continue', 0, between);
  }

  /** To any recorded step; one that is not recorded is brought to the nearest that is. */
  seek(step: number): MachineView {
    const { first, end } = this.debug.stop();
    const start = performance.now();
    const stop = this.debug.seek(Math.min(Math.max(Math.trunc(step), first), end));
    return this.view(stop, performance.now() - start);
  }

  /** frame: 0 is the innermost. */
  register(index: number, frame: number): Value | LargeTensor {
    const { depth, step, first } = this.debug.stop();
    const look = (): Value | LargeTensor =>
      this.large(index, frame) ?? this.debug.register(index, frame);
    return depth > 0 || step === first ? look() : this.lookBack(look);
  }

  private large(index: number, frame: number): LargeTensor | undefined {
    const tensor = this.debug.inspect(index, frame);
    if (!tensor) return undefined;
    const { dtype, shape, bytes } = using(tensor, (it) => it.layout());
    return bytes > kMostBytes ? { large: true, dtype, shape, bytes } : undefined;
  }

  /** The tensor in a register, also of another step; undefined where it holds something else. */
  tensor({ register, frame, step }: TensorPlace): InspectedTensor | undefined {
    const { depth, step: now, first } = this.debug.stop();
    const look = (): InspectedTensor | undefined => this.debug.inspect(register, frame);
    if (step !== undefined && step !== now) return this.at(step, look);
    return depth > 0 || now === first ? look() : this.lookBack(look);
  }

  /** The tensor in a register of a state, frames counted from the outermost. */
  tensorFromOutermost({ state, register, frame }: ComparedPlace): InspectedTensor | undefined {
    const { first, end } = this.debug.stop();
    if (state < first || state > end) return undefined;
    return this.at(state, () => {
      const { frames } = this.debug.state();
      const innermost = frames.length - 1 - frame;
      const known = frames[innermost]?.registers.some(({ index }) => index === register);
      return known ? this.debug.inspect(register, innermost) : undefined;
    });
  }

  /** The record as a file. */
  save(): Uint8Array {
    return this.debug.saveTrace();
  }

  /** Every register of every frame that holds something. */
  registers(): TensorPlace[] {
    const { depth, step, first } = this.debug.stop();
    const list = (): TensorPlace[] => this.framesAtCursor().flatMap(({ registers }, frame) =>
      registers.map(({ index }) => ({ register: index, frame })));
    return depth > 0 || step === first ? list() : this.lookBack(list);
  }

  /** Where the run rests. */
  rest(): MachineView {
    return this.view(this.debug.stop(), 0);
  }

  private async command(
    command: 'step' | 'stepBack' | 'continue' | 'continueBack' | WalkCommand, count: number,
    between: Between,
  ): Promise<MachineView> {
    this.grant(between.limits);
    const start = performance.now();
    let slice = kFirstSlice;
    let before = start;
    let stop = this.debug.run(command, count, slice);
    while (stop.reason === 'slice') {
      const now = performance.now();
      if (now - before < kSliceMilliseconds / 2) slice = Math.min(slice * 2, kMaxSlice);
      else if (now - before > kSliceMilliseconds) slice = Math.max(slice >> 1, 1);
      if (!(await between.goOn(stop.step, now - start)))
        return this.view({ ...stop, reason: 'cancelled' }, now - start);
      before = performance.now();
      stop = this.debug.run('resume', 0, slice);
    }
    return this.view(stop, performance.now() - start);
  }

  // As much again as a command may take: what met a limit goes on with the next one.
  private grant({ steps, milliseconds, bytes }: RunLimits): void {
    const after = (taken: number, more: number): number => (more === 0 ? 0 : taken + more);
    this.debug.setBudgets({
      maxSteps: after(this.debug.stop().end, steps),
      maxTimeMs: after(Math.ceil(this.spent), milliseconds), maxBytes: bytes,
    });
  }

  // Throws what the run failed with, or which limit it met; its frames stay.
  private view(stop: DebugStop, milliseconds: number): MachineView {
    this.spent += milliseconds;
    const isFailure = stop.reason.startsWith('trap(') || isLimit(stop);
    if (isFailure) {
      this.hasFailed = true;
      this.debug.result();
    }
    if (stop.reason === 'returned') this.outputs ??= this.debug.results();
    const hasReturned = this.outputs !== undefined && !stop.past;
    const state = this.state(stop, hasReturned);
    const view: MachineView = {
      stop: hasReturned ? 'returned' : (kPlainStops[stop.reason] ?? 'paused'),
      state, milliseconds, trace: { first: stop.first, end: stop.end },
    };
    if (hasReturned && this.outputs) view.outputs = this.outputs;
    if (hasReturned && stop.step > stop.first)
      view.before = this.lookBack(() => this.state(this.debug.stop(), false));
    return view;
  }

  /** As after the failure that was thrown; `limit`: by its reason, where the run can go on. */
  failed(): Pick<Failure, 'state' | 'trace' | 'limit'> | undefined {
    if (!this.hasFailed) return undefined;
    const stop = this.debug.stop();
    this.hasFailed = false;
    const state: CursorState = { ...this.state(stop, false), state: 'failed' };
    const limit = isLimit(stop) ? { limit: stop.reason } : {};
    return { state, trace: { first: stop.first, end: stop.end }, ...limit };
  }

  private state(stop: DebugStop, hasReturned: boolean): CursorState {
    this.told = this.debug.state();
    return {
      ...this.told, steps: stop.step, state: hasReturned ? 'returned' : 'paused',
    };
  }

  private framesAtCursor(): DebugState['frames'] {
    const isTold = this.told?.step === this.debug.stop().step;
    return (isTold ? this.told! : this.debug.state()).frames;
  }

  // The frames are gone once a run has returned; what they held last is one step before.
  private lookBack<T>(f: () => T): T {
    return this.at(this.debug.stop().end - 1, f);
  }

  private at<T>(step: number, f: () => T): T {
    const { step: now } = this.debug.stop();
    this.debug.seek(step);
    try {
      return f();
    } finally {
      this.debug.seek(now);
    }
  }
}
