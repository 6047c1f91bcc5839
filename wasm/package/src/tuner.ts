// SPDX-License-Identifier: Apache-2.0
// The side module's handle of a loop program that is measured: its code, the buffers that the code
// runs on, and what must be in them afterwards.
import type { Pointer } from './exports.js';
import { kLoopTuneRequest } from './generated/layouts.js';
import type { Memory } from './memory.js';
import type { Description, MeasuredSearch } from './tune_clock.js';
import { hasRelaxedSimd } from './vectors.js';

/** What is measured, and at which sizes. */
export interface TunedProgram {
  sourceName?: string;
  function?: string;
  sizes?: { readonly [name: string]: number };
  maxSteps?: number;
}

/** Of tern_loop_tune_request. */
export interface TuneNumbers {
  trials?: number;
  seed?: number;
  minGain?: number;
}

/** The part that a search and the timing of one program have in common. */
export class Tuner implements MeasuredSearch {
  readonly about: Description;
  private readonly handle: Pointer;

  /** log: what was measured before, as tern_loop_tune_request has it. */
  constructor(
    private readonly memory: Memory,
    source: string,
    program: TunedProgram,
    request: TuneNumbers,
    log = '',
  ) {
    const { sourceName = 'program.tloop', function: name = '', maxSteps = 0 } = program;
    const sizes = Object.entries(program.sizes ?? {}).map(([size, value]) => `${size}=${value}`);
    memory.withText(source, (data, length) =>
      memory.withTexts([sourceName, name, sizes.join(','), log], (texts) => {
        const [sourceText, functionText, sizesText, logText] = texts;
        const fields = {
          ...{ sourceName: sourceText, function: functionText, sizes: sizesText, log: logText },
          ...{ maxSteps, ...request },
        };
        memory.withStruct(kLoopTuneRequest, fields, (struct) =>
          memory.call('tern_loop_tuner_create', data, length, struct, memory.scratch),
        );
      }),
    );
    this.handle = memory.u32(memory.scratch);
    this.about = this.json('tern_loop_tuner_describe');
  }

  emit(which: number): { bytes: Uint8Array<ArrayBuffer>; scratchBytes: number } {
    const { memory } = this;
    const [out, relaxed] = [memory.scratch, hasRelaxedSimd() ? 1 : 0];
    memory.call('tern_loop_tuner_emit_wasm', this.handle, which, relaxed, out, out + 4);
    const scratchBytes = memory.u32(out + 4);
    return { bytes: memory.takeBytes(memory.u32(out)), scratchBytes };
  }

  before(index: number): Uint8Array {
    const { memory } = this;
    const size = memory.scratch;
    const data = memory.raw('tern_loop_tuner_buffer', this.handle, index, size) >>> 0;
    return memory.bytes(data, memory.u32(size));
  }

  check(index: number, bytes: Uint8Array): void {
    const { memory } = this;
    const data = memory.alloc(bytes.length);
    try {
      memory.bytes(data, bytes.length).set(bytes);
      memory.call('tern_loop_tuner_check', this.handle, index, data, bytes.length);
    } finally {
      memory.free(data);
    }
  }

  dispose(): void {
    this.memory.raw('tern_loop_tuner_free', this.handle);
  }

  protected call(name: string, ...args: (number | bigint)[]): void {
    this.memory.call(name, this.handle, ...args);
  }

  protected callWithText(text: string, name: string, ...args: number[]): void {
    this.memory.withText(text, (pointer) => this.call(name, ...args, pointer));
  }

  protected json<T>(name: string, ...args: number[]): T {
    const { memory } = this;
    this.call(name, ...args, memory.scratch);
    return JSON.parse(memory.takeBuffer(memory.u32(memory.scratch))) as T;
  }
}
