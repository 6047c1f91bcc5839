// SPDX-License-Identifier: Apache-2.0
// Progress over several parts of one task, of which some may be skipped and some may run at once.

export interface Progress {
  /** fetch: bytes arrive. compile: WebAssembly or a model is compiled. load: a program is made. */
  phase: 'fetch' | 'compile' | 'load' | 'ready';
  /** Bytes so far, of `total` where the server said how many. */
  loaded: number;
  total?: number;
  /** 0 to 1 over all phases, never falling; 1 with the phase 'ready' only. */
  fraction: number;
  /** What is fetched or compiled: the last part of its address. */
  file?: string;
  /** The bytes come from the cache. */
  fromCache?: boolean;
}

export type ProgressListener = (progress: Progress) => void;

/** What one part of a task reports of itself; `fraction` is of the part. */
export type PartReport = Omit<Progress, 'phase'> & { phase: Exclude<Progress['phase'], 'ready'> };
export type PartListener = (report: PartReport) => void;

// Bytes of a download whose length is unknown that count as half of it.
const kHalfway = 1e6;
// What is left for 'ready'.
const kNearlyAll = 0.99;

/** 0 to 1, growing with the bytes, also where their number is unknown. */
export function fetchedFraction(loaded: number, total: number | undefined): number {
  return total ? Math.min(loaded / total, 1) : loaded / (loaded + kHalfway);
}

/** Puts the parts of a task together. Nothing is computed without a listener. */
export class ProgressMeter {
  private readonly parts = new Map<string, number>();
  private readonly whole: number;
  private reached = 0;

  constructor(
    private readonly listener: ProgressListener | undefined,
    private readonly weights: { readonly [part: string]: number },
  ) {
    this.whole = Object.values(weights).reduce((sum, each) => sum + each, 0);
  }

  /** What a part of this name tells; undefined where nobody listens. */
  part(name: string): PartListener | undefined {
    if (!this.listener) return undefined;
    return (report) => {
      this.setPart(name, report.fraction);
      this.listener?.({ ...report, fraction: this.reached });
    };
  }

  /** The part is over, or was not needed. */
  skip(name: string): void {
    this.setPart(name, 1);
  }

  finish(): void {
    this.reached = 1;
    this.listener?.({ phase: 'ready', loaded: 1, total: 1, fraction: 1 });
  }

  private setPart(name: string, fraction: number): void {
    this.parts.set(name, Math.max(this.parts.get(name) ?? 0, fraction));
    let sum = 0;
    for (const [part, done] of this.parts) sum += (this.weights[part] ?? 0) * done;
    this.reached = Math.max(this.reached, (kNearlyAll * sum) / this.whole);
  }
}
