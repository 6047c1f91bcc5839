// SPDX-License-Identifier: Apache-2.0
// ExecBuilder: an executable made instruction by instruction.
//
//   const ib = runtime.builder();
//   ib.function('main', 2, () => {
//     ib.emitCall('add', [ib.r(0), ib.r(1)], ib.r(2));
//     ib.emitRet(ib.r(2));
//   });
//   const bytes = ib.finish();
//
// The first registers of a function are its inputs; the others may have any number, since they are
// renamed densely in order of use. Mistakes throw where the function ends.
import { type Diagnostic, TernError } from './errors.js';
import type { Pointer } from './exports.js';
import {
  kCalleeAny,
  kCalleeFunction,
  kCalleePrimitive,
  kOperandConstant,
  kOperandImmediate,
  kOperandRegister,
  kOperandVm,
  kOperandVoid,
} from './generated/abi.js';
import { kAny, kOperand } from './generated/layouts.js';
import { Handle } from './handle.js';
import type { Memory } from './memory.js';
import { writeFields } from './structs.js';
import { isTensor, type Tensor, writeValue } from './values.js';

/** Made by the methods of ExecBuilder. */
export interface Operand {
  readonly kind: number;
  readonly value: bigint;
}

/**
 * An operand, or a value that becomes one: integers immediates, anything else a constant, of which
 * equal ones are kept once. Arrays are tuples.
 */
export type BuilderValue = number | bigint | boolean | null | string | Tensor | BuilderValue[];
export type BuilderArg = Operand | BuilderValue;

function isOperand(arg: BuilderArg): arg is Operand {
  return typeof arg === 'object' && arg !== null && 'kind' in arg && 'value' in arg;
}

export class ExecBuilder extends Handle {
  /** @internal */
  constructor(
    memory: Memory,
    private readonly runtime: Pointer,
  ) {
    super(memory, 'builder');
    memory.call('tern_builder_create', runtime, memory.scratch);
    this.adopt(memory.u32(memory.scratch), 'ExecBuilder');
  }

  /**
   * A function: `inputs` nameless ones, or a signature such as "(x: f32[n]) -> f32[n]". The body
   * emits; when it is done the function is checked. Returns the warnings.
   */
  function(name: string, inputs: number | string, body: () => void): Diagnostic[] {
    const memory = this.memory;
    memory.withText(name, (text) => {
      if (typeof inputs === 'number') {
        memory.call('tern_builder_begin_function', this.pointer(), text, 0, inputs);
      } else {
        memory.withText(inputs, (signature) =>
          memory.call('tern_builder_begin_function', this.pointer(), text, signature, 0),
        );
      }
    });
    let finished = false;
    try {
      body();
      finished = true;
    } finally {
      // What the body threw says more than what is missing now.
      if (!finished) this.endQuietly();
    }
    memory.call('tern_builder_end_function', this.pointer(), memory.scratch);
    return JSON.parse(memory.takeBuffer(memory.u32(memory.scratch))) as Diagnostic[];
  }

  r(index: number | bigint): Operand {
    return { kind: kOperandRegister, value: BigInt(index) };
  }

  imm(value: number | bigint): Operand {
    return { kind: kOperandImmediate, value: BigInt(value) };
  }

  /** A constant of the pool by its number. */
  c(index: number): Operand {
    return { kind: kOperandConstant, value: BigInt(index) };
  }

  /** No register. */
  void(): Operand {
    return { kind: kOperandVoid, value: 0n };
  }

  /** The machine's state, for builtins that ask for it. */
  vmState(): Operand {
    return { kind: kOperandVm, value: 0n };
  }

  /** The function of that name, which may be defined later; else the primitive. */
  f(name: string): Operand {
    return this.callee(name, kCalleeAny);
  }

  primitive(name: string): Operand {
    return this.callee(name, kCalleePrimitive);
  }

  functionNamed(name: string): Operand {
    return this.callee(name, kCalleeFunction);
  }

  dtype(name: string): Operand {
    return this.sharedText(`dtype ${name}`);
  }

  shape(extents: readonly (number | bigint)[]): Operand {
    return this.sharedText(`shape [${extents.join(', ')}]`);
  }

  /** A value as a constant; equal ones share an entry. */
  constant(value: BuilderValue): Operand {
    if (typeof value === 'string') return this.sharedText(`string ${JSON.stringify(value)}`);
    if (Array.isArray(value)) {
      const fields = value.map((field) => `c[${this.constant(field).value}]`);
      return this.sharedText(`tuple (${fields.join(', ')})`);
    }
    const memory = this.memory;
    const any = memory.alloc(kAny.size + kOperand.size);
    try {
      if (!isTensor(value) && !['number', 'bigint', 'boolean'].includes(typeof value) && value)
        throw new TernError('E0205', 'this value cannot be a constant of an executable');
      writeValue(memory, this.runtime, value, any);
      try {
        memory.call('tern_builder_constant', this.pointer(), any, any + kAny.size);
      } finally {
        memory.raw('tern_any_release', any);
      }
      return this.readOperand(any + kAny.size);
    } finally {
      memory.free(any);
    }
  }

  /** A constant as assembly text has it, "f32[2] [1, 2]"; always a new entry of the pool. */
  constantText(text: string): Operand {
    return this.text(text, 0);
  }

  emitCall(callee: string, args: readonly BuilderArg[] = [], dst?: Operand): void {
    this.emit('call', [dst ?? this.void(), this.f(callee), ...args]);
  }

  emitRet(value: BuilderArg): void {
    this.emit('ret', [value]);
  }

  emitGoto(label: string): void {
    this.emit('goto', [this.label(label)]);
  }

  emitIf(test: Operand, ifTrue: string, ifFalse: string): void {
    this.emit('if', [test, this.label(ifTrue), this.label(ifFalse)]);
  }

  emitIfEqual(test: Operand, target: BuilderArg, ifTrue: string, ifFalse: string): void {
    this.emit('if_equal', [test, target, this.label(ifTrue), this.label(ifFalse)]);
  }

  /** Any instruction by its mnemonic, operands in the order of docs/isa.md. */
  emit(mnemonic: string, operands: readonly BuilderArg[]): void {
    const memory = this.memory;
    const resolved = operands.map((arg) => this.operand(arg));
    const array = memory.alloc(kOperand.size * resolved.length);
    try {
      const view = memory.view();
      resolved.forEach(({ kind, value }, i) => {
        writeFields(view, array + kOperand.size * i, kOperand, { kind, reserved: 0, value });
      });
      memory.withText(mnemonic, (text) =>
        memory.call('tern_builder_emit', this.pointer(), text, array, resolved.length),
      );
    } finally {
      memory.free(array);
    }
  }

  /** A place of this function to jump to, as an operand of `emit`. */
  label(name: string): Operand {
    const out = this.memory.scratch;
    this.memory.withText(name, (text) =>
      this.memory.raw('tern_builder_label', this.pointer(), text, out),
    );
    return this.readOperand(out);
  }

  /** The next instruction is where the label points. */
  bind(name: string): void {
    this.memory.withText(name, (text) =>
      this.memory.raw('tern_builder_bind', this.pointer(), text),
    );
  }

  /** What the following instructions were made from; nothing at all ends it. */
  setSource(text: string, line = 0, column = 0): void {
    this.memory.withText(text, (pointer, size) =>
      this.memory.raw('tern_builder_set_source', this.pointer(), pointer, size, line, column),
    );
  }

  nameRegister(register: Operand, name: string): void {
    this.memory.withText(name, (text) =>
      this.memory.raw('tern_builder_name_register', this.pointer(), register.value, text),
    );
  }

  setMetadata(key: string, value: string): void {
    const memory = this.memory;
    memory.withText(key, (k, keySize) =>
      memory.withText(value, (v, valueSize) =>
        memory.raw('tern_builder_set_metadata', this.pointer(), k, keySize, v, valueSize),
      ),
    );
  }

  declarePrimitive(name: string): void {
    this.memory.withText(name, (text) =>
      this.memory.raw('tern_builder_declare_primitive', this.pointer(), text),
    );
  }

  /** A loop program or compiled object that travels with the code. */
  addKernel(name: string, format: string, bytes: ArrayLike<number>): void {
    const memory = this.memory;
    const data = memory.alloc(bytes.length);
    try {
      memory.bytes(data, bytes.length).set(bytes);
      memory.withText(name, (n) =>
        memory.withText(format, (f) =>
          memory.raw('tern_builder_add_kernel', this.pointer(), n, f, data, bytes.length),
        ),
      );
    } finally {
      memory.free(data);
    }
  }

  /** Registers that are dense already keep their numbers. */
  keepDenseRegisters(keep: boolean): void {
    this.memory.raw('tern_builder_keep_dense_registers', this.pointer(), keep ? 1 : 0);
  }

  /** The executable's bytes. Throws all mistakes at once. The builder is disposed of. */
  finish(): Uint8Array<ArrayBuffer> {
    try {
      this.memory.call('tern_builder_finish', this.pointer(), this.memory.scratch);
      return this.memory.takeBytes(this.memory.u32(this.memory.scratch));
    } finally {
      this.dispose();
    }
  }

  protected override release(handle: Pointer): void {
    this.memory.raw('tern_builder_free', handle);
  }

  private operand(arg: BuilderArg): Operand {
    if (isOperand(arg)) return arg;
    if (typeof arg === 'bigint' || Number.isSafeInteger(arg)) return this.imm(arg as number);
    return this.constant(arg);
  }

  private callee(name: string, kind: number): Operand {
    const out = this.memory.scratch;
    this.memory.withText(name, (text) =>
      this.memory.raw('tern_builder_callee', this.pointer(), text, kind, out),
    );
    return this.readOperand(out);
  }

  private sharedText(text: string): Operand {
    return this.text(text, 1);
  }

  private text(text: string, share: number): Operand {
    const out = this.memory.scratch;
    this.memory.withText(text, (pointer) =>
      this.memory.call('tern_builder_constant_text', this.pointer(), pointer, share, out),
    );
    return this.readOperand(out);
  }

  private readOperand(pointer: Pointer): Operand {
    const view = this.memory.view();
    const { kind, value } = kOperand.fields;
    return {
      kind: view.getInt32(pointer + kind.at, true),
      value: view.getBigInt64(pointer + value.at, true),
    };
  }

  private endQuietly(): void {
    const status = this.memory.raw('tern_builder_end_function', this.pointer(), 0);
    if (status !== 0) this.memory.raw('tern_status_free', status);
  }
}
