// SPDX-License-Identifier: Apache-2.0
// Backends for the loop kernels of programs: emitted as WebAssembly and put into the main module's
// table, where the machine calls them without a frame of JavaScript between; or interpreted in the
// side module; or left to the operators, with the reason.
import { TernError } from './errors.js';
import type { Pointer } from './exports.js';
import { kKernelBackend, kKernelSpec } from './generated/layouts.js';
import { emittedCode, interpretedCode, type KernelCode } from './kernel_code.js';
import type { EmittedKernel, KernelCallSpec, LoopCompiler, LoopKernel } from './loops.js';
import type { Memory } from './memory.js';
import { hasRelaxedSimd } from './vectors.js';

/**
 * How kernels are to run. 'auto' emits them; what cannot be emitted is left to the operators, and
 * interpreted where there are none.
 */
export type KernelPolicy = 'auto' | 'operators' | 'interpreter' | 'compiled';
const kPolicies: readonly string[] = ['auto', 'operators', 'interpreter', 'compiled'];

/** A kernel of a program, the backend that machines made now would take, and why. */
export interface KernelInfo {
  name: string;
  /** What the file holds of it: "loop", "elf-…". */
  formats: string[];
  /** Of the function that it belongs to; null where the program has none of its name. */
  signature: string | null;
  /** Whether the function can do without its kernel. */
  operators: boolean;
  backend: 'operators' | 'interpreter' | 'compiled' | 'none';
  why: string;
}

/** A kernel and what is to become of it: emitted, else interpreted. */
interface Plan {
  info: KernelInfo;
  kernel: LoopKernel;
  why: string;
  emitted?: EmittedKernel;
}

// Bytes of a module that every engine compiles at once, and sooner than it starts another thread.
const kCompiledAtOnce = 4096;

export function checkPolicy(policy: KernelPolicy): void {
  if (kPolicies.includes(policy)) return;
  throw new TernError(
    'E0003',
    `there is no kernel policy '${policy}'; there are ${kPolicies.join(', ')}`,
  );
}

export function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The kernels of a program, as tern_program_kernels tells of them. */
export function listKernels(memory: Memory, program: Pointer): KernelInfo[] {
  memory.call('tern_program_kernels', program, memory.scratch);
  return JSON.parse(memory.takeBuffer(memory.u32(memory.scratch))) as KernelInfo[];
}

/** Gives the kernels of one program their backends. */
export class KernelBackends {
  constructor(
    private readonly memory: Memory,
    private readonly program: Pointer,
    private readonly policy: KernelPolicy,
  ) {}

  /** The kernels for which a loop compiler is wanted. */
  wanted(): KernelInfo[] {
    if (this.policy === 'operators') return [];
    return listKernels(this.memory, this.program).filter(
      ({ formats, signature }) => formats.includes('loop') && signature !== null,
    );
  }

  /** The bytecode of every function runs, and why. */
  leaveAll(why: string): void {
    for (const info of listKernels(this.memory, this.program)) this.leave(info, why);
  }

  /** All of it without a wait: engines compile small modules at once. */
  prepareNow(compiler: LoopCompiler): void {
    for (const info of this.wanted()) {
      const plan = this.plan(info, compiler);
      if (plan) this.install(plan, () => this.module(plan));
    }
  }

  /**
   * The same, large modules being compiled beside the page's work. `alive` throws where the program
   * has ended meanwhile.
   */
  async prepare(compiler: LoopCompiler, alive: () => void): Promise<void> {
    const plans = this.wanted().flatMap((info) => this.plan(info, compiler) ?? []);
    const modules = await Promise.allSettled(
      plans.map(({ emitted }) =>
        emitted && emitted.bytes.length > kCompiledAtOnce
          ? WebAssembly.compile(this.memory.shaped(emitted.bytes))
          : undefined,
      ),
    );
    try {
      alive();
    } catch (error) {
      for (const { kernel } of plans) kernel.dispose();
      throw error;
    }
    plans.forEach((plan, i) =>
      this.install(plan, () => {
        const made = modules[i]!;
        if (made.status === 'rejected') throw made.reason;
        return made.value ?? this.module(plan);
      }),
    );
  }

  private module({ emitted }: Plan): WebAssembly.Module {
    return new WebAssembly.Module(this.memory.shaped(emitted!.bytes));
  }

  // What runs a kernel by the policy; undefined, with the reason told, where nothing does.
  private plan(info: KernelInfo, compiler: LoopCompiler): Plan | undefined {
    let kernel: LoopKernel | undefined;
    try {
      kernel = compiler.kernel(info.name, this.text(info.name), info.signature ?? '');
      return this.choose(info, kernel);
    } catch (error) {
      kernel?.dispose();
      this.leave(info, wordsOf(error));
      return undefined;
    }
  }

  private choose(info: KernelInfo, kernel: LoopKernel): Plan {
    const { unproven } = kernel.spec;
    if (this.policy === 'interpreter') return { info, kernel, why: 'asked for' };
    if (unproven !== '' && this.interpretsRather(info)) return { info, kernel, why: unproven };
    if (unproven !== '') throw new TernError('E0517', unproven);
    const why = this.policy === 'auto' ? 'emitted as WebAssembly' : 'asked for';
    return { info, kernel, why, emitted: kernel.emitWasm(hasRelaxedSimd()) };
  }

  private interpretsRather(info: KernelInfo): boolean {
    return this.policy === 'auto' && !info.operators;
  }

  // The function keeps the kernel where it interprets it; else the kernel ends here.
  private install(plan: Plan, module: () => WebAssembly.Module): void {
    const { info, kernel, emitted } = plan;
    try {
      const code = emitted
        ? emittedCode(this.memory, module(), emitted.scratchBytes)
        : interpretedCode(this.memory, kernel);
      this.setFunction(plan, code);
      if (emitted) kernel.dispose();
    } catch (error) {
      if (emitted && this.interpretsRather(info)) {
        this.install({ info, kernel, why: wordsOf(error) }, module);
        return;
      }
      kernel.dispose();
      this.leave(info, wordsOf(error));
    }
  }

  private leave(info: KernelInfo, why: string): void {
    this.setBackend(info.name, 0, info.operators ? 'operators' : 'none', why);
  }

  // The text is the program's own, and lives as long as it does.
  private text(name: string): Uint8Array {
    const { memory } = this;
    const out = memory.scratch;
    memory.withText(name, (pointer) =>
      memory.withText('loop', (format) =>
        memory.call('tern_program_kernel_bytes', this.program, pointer, format, out, out + 4),
      ),
    );
    return memory.bytes(memory.u32(out), memory.u32(out + 4));
  }

  private setFunction({ info, kernel, emitted, why }: Plan, code: KernelCode): void {
    const { memory } = this;
    memory.withAnys(1, (any) => {
      this.withSpec(info.name, kernel.spec, code, (spec) =>
        memory.call('tern_kernel_function_create', spec, any),
      );
      this.setBackend(info.name, any, emitted ? 'compiled' : 'interpreter', why);
    });
  }

  private withSpec(
    name: string,
    spec: KernelCallSpec,
    code: KernelCode,
    f: (spec: Pointer) => void,
  ): void {
    const { memory } = this;
    const release = memory.raw('tern_wasm_release_hook');
    const texts = [name, spec.signature, spec.slots.join(',')];
    memory.withTexts(texts, ([nameText, signature, slots]) => {
      const { results, zeroed } = spec;
      const called = { call: code.call, selfCall: code.selfCall, self: code.id, release };
      const fields = { name: nameText, signature, slots, results, zeroed, ...called };
      memory.withStruct(kKernelSpec, fields, f);
    });
  }

  private setBackend(name: string, kernel: Pointer, backend: string, why: string): void {
    const { memory } = this;
    memory.withTexts([name, backend, why], ([pointer, backendText, whyText]) =>
      memory.withStruct(kKernelBackend, { backend: backendText, why: whyText }, (struct) =>
        memory.call('tern_program_set_kernel', this.program, pointer!, kernel, struct),
      ),
    );
  }
}
