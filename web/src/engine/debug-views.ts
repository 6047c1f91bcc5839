// SPDX-License-Identifier: Apache-2.0
// What is asked of one debugger beside stepping: views of its record, breakpoints that are text.
import { type Debugger, TernError } from 'tern-runtime';
import { defaultView, extentOf } from '../model/tensor-picture.js';
import type {
  RunQuery, RunViewName, RunViews, Thumbnail, Watch, WatchState,
} from './debug-protocol.js';
import { using } from './using.js';

type View = RunViews[RunViewName]['view'];

export function viewOf(debug: Debugger, query: RunQuery): View {
  switch (query.view) {
    case 'timeline': return debug.timeline(query.buckets);
    case 'hits': return debug.hits();
    case 'lifetimes': return debug.lifetimes(query.frame);
    case 'objects': return debug.objects(query.list, query.parts);
    case 'difference': return debug.heapDifference(query.from, query.to);
    case 'shapes': return debug.shapeHeap(query.frame);
    case 'encoding': return debug.encoding();
    case 'thumbnails': return thumbnailsOf(debug, query.registers, query.frame);
  }
}

/** Elements that one answer reads: a page that is stepped through must not wait for pictures. */
const kMostElements = 1 << 18;
const kMostRows = 8;
const kMostColumns = 16;

function thumbnailsOf(debug: Debugger, registers: readonly number[], frame: number): Thumbnail[] {
  let left = kMostElements;
  return registers.flatMap((register) => {
    const tensor = debug.inspect(register, frame);
    if (!tensor) return [];
    return using(tensor, (it) => {
      const { shape } = it.layout();
      const view = defaultView(shape);
      const cells = extentOf(shape, view.rowAxis) * extentOf(shape, view.columnAxis);
      // Of a single element the picture says nothing.
      if (cells < 2 || cells > left) return [];
      left -= cells;
      const picture = it.picture({ ...view, maxRows: kMostRows, maxColumns: kMostColumns });
      return [{ register, picture }];
    });
  });
}

/** Breakpoints that are text, in one debugger. */
export class Watches {
  /** The debugger's number of each, with its text; errors have none. */
  private readonly ids = new Map<number, { text: string; id?: number; error: string }>();

  constructor(private readonly debug: Debugger) {}

  /** Makes the debugger's breakpoints those; texts that it does not understand are told. */
  set(watches: readonly Watch[]): WatchState[] {
    const wanted = new Set(watches.map(({ id }) => id));
    for (const [number, { text, id }] of this.ids) {
      const still = watches.find((watch) => watch.id === number)?.text === text;
      if (wanted.has(number) && still) continue;
      if (id !== undefined) this.debug.removeBreakpoint(id);
      this.ids.delete(number);
    }
    for (const watch of watches) this.add(watch);
    return this.states(watches);
  }

  private add({ id, text, enabled }: Watch): void {
    if (!this.ids.has(id)) {
      try {
        this.ids.set(id, { text, id: this.debug.addBreakpoint(text), error: '' });
      } catch (error) {
        if (!(error instanceof TernError)) throw error;
        this.ids.set(id, { text, error: error.message });
      }
    }
    const known = this.ids.get(id)?.id;
    if (known !== undefined) this.debug.enableBreakpoint(known, enabled);
  }

  private states(watches: readonly Watch[]): WatchState[] {
    const all = this.debug.breakpoints();
    return watches.map(({ id }) => {
      const known = this.ids.get(id);
      const found = all.find((breakpoint) => breakpoint.id === known?.id);
      const { text = '', hits = 0, failures = 0, failure = '' } = found ?? {};
      return { id, text, hits, failures, failure, error: known?.error ?? '' };
    });
  }
}
