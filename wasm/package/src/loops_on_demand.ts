// SPDX-License-Identifier: Apache-2.0
// The loop compiler of a runtime: fetched when it is first wanted, once.
import { wordsOf } from './kernels.js';
import { createLoopCompiler, type LoopCompiler } from './loops.js';
import type { ModuleOptions } from './module.js';

export class LoopsOnDemand {
  private compiler_: LoopCompiler | undefined;
  private fetching: Promise<LoopCompiler> | undefined;
  private why_ = '';

  constructor(private readonly options: ModuleOptions) {}

  /** As far as it has been fetched. */
  get compiler(): LoopCompiler | undefined {
    return this.compiler_;
  }

  /** Why there is none, though it was asked for. */
  get why(): string {
    return this.why_;
  }

  /** Undefined where it cannot be had. */
  async fetch(): Promise<LoopCompiler | undefined> {
    const { loops, assets, inline } = this.options;
    const from = { ...(assets ? { assets } : {}), ...(inline ? { inline } : {}) };
    this.fetching ??= createLoopCompiler(loops && loops !== true ? { wasm: loops } : from);
    try {
      this.compiler_ = await this.fetching;
      this.why_ = '';
    } catch (error) {
      this.fetching = undefined; // to be tried again
      this.why_ = `there is no loop compiler: ${wordsOf(error)}`;
    }
    return this.compiler_;
  }
}
