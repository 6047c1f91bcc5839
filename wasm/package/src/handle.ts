// SPDX-License-Identifier: Apache-2.0
// Handles: what the module holds for JavaScript until dispose() gives it back.
import { TernError } from './errors.js';
import type { Pointer } from './exports.js';
import { kAny } from './generated/layouts.js';
import type { Memory } from './memory.js';

// The frames of a stack between the caller of a handle's constructor and the leak watch.
const kFramesBelow = 2;

/**
 * Something that the module holds until it is disposed of. A class hands what it made to `adopt`
 * and says how it is released; the rest is the same for all of them.
 */
export abstract class Handle implements Disposable {
  private handle: Pointer = 0;

  /** @internal noun: what messages call it. */
  protected constructor(
    protected readonly memory: Memory,
    private readonly noun: string,
  ) {}

  dispose(): void {
    if (this.handle === 0) return;
    this.memory.leaks?.disposed(this);
    const { handle } = this;
    this.handle = 0;
    this.release(handle);
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  /** @internal What the C API knows it by; throws once it has been disposed of. */
  pointer(): Pointer {
    if (this.handle === 0) throw new TernError('E0702', `this ${this.noun} has been disposed of`);
    return this.handle;
  }

  /** @internal The same for a use in some runtime, which must be this one's. */
  pointerIn(memory: Memory): Pointer {
    if (memory === this.memory) return this.pointer();
    throw new TernError('E0701', `this ${this.noun} belongs to another runtime`);
  }

  /** Called once, at the end of the constructor. kind: what a warning of a leak calls it. */
  protected adopt(handle: Pointer, kind: string, framesBelow = kFramesBelow): void {
    this.handle = handle;
    this.memory.leaks?.made(this, kind, framesBelow);
  }

  protected abstract release(handle: Pointer): void;
}

/** A handle of a value: a TernAny that holds a reference to its object. */
export abstract class AnyHandle extends Handle {
  /** Shares the object at `any`. */
  protected share(any: Pointer, kind: string): void {
    const { memory } = this;
    const own = memory.alloc(kAny.size);
    memory.bytes(own, kAny.size).set(memory.bytes(any, kAny.size));
    memory.raw('tern_any_retain', own);
    this.adopt(own, kind, kFramesBelow + 1);
  }

  protected override release(own: Pointer): void {
    this.memory.raw('tern_any_release', own);
    this.memory.free(own);
  }
}
