// SPDX-License-Identifier: Apache-2.0
// Finds handles that were collected without having been disposed of. It only warns: an engine may
// collect late or never, so nothing may depend on it, and memory is given back by dispose() alone.

interface Made {
  kind: string;
  stack: string;
}

let registry: FinalizationRegistry<Made> | undefined;

function warn({ kind, stack }: Made): void {
  console.warn(
    `tern-runtime: a ${kind} was collected without dispose(): its memory stays taken until its ` +
      `runtime is gone. Declare it with \`using\`, or call dispose(). It was made here:\n${stack}`,
  );
}

/** Whether a bundler or Node says that this is no production build. */
function inDevelopment(): boolean {
  try {
    // Written out, because bundlers replace exactly this.
    return process.env.NODE_ENV === 'development';
  } catch {
    return false; // a page without a bundler
  }
}

/** Watches the handles of one runtime. */
export class LeakWatch {
  /** Undefined where nobody wants warnings: then handles cost nothing more. */
  static make(wanted = inDevelopment()): LeakWatch | undefined {
    if (!wanted || typeof FinalizationRegistry === 'undefined') return undefined;
    registry ??= new FinalizationRegistry(warn);
    return new LeakWatch();
  }

  /** below: how many frames of the stack lie between the one who made it and this call. */
  made(handle: object, kind: string, below = 1): void {
    const stack = (new Error().stack ?? '').split('\n').slice(below + 2).join('\n');
    registry?.register(handle, { kind, stack }, handle);
  }

  disposed(handle: object): void {
    registry?.unregister(handle);
  }
}
