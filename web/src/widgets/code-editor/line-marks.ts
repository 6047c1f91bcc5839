// SPDX-License-Identifier: Apache-2.0
// What is known of lines: where the run is, what is linked with the selection, breakpoints and how
// often a line ran. Signs differ in shape, not only in colour.
import {
  type EditorState, type Extension, type Range, RangeSet, type RangeValue, StateEffect, StateField,
} from '@codemirror/state';
import {
  Decoration, type DecorationSet, EditorView, gutter, GutterMarker,
} from '@codemirror/view';

export type BreakpointKind = 'enabled' | 'disabled' | 'conditional' | 'hit';

/** By line, counted from 1. */
export interface LineMarks {
  readonly now: number | undefined;
  readonly linked: readonly number[];
  readonly breakpoints: ReadonlyMap<number, BreakpointKind>;
  readonly hits: ReadonlyMap<number, number>;
}

export const kNoMarks: LineMarks = {
  now: undefined, linked: [], breakpoints: new Map(), hits: new Map(),
};

export const setMarks = StateEffect.define<LineMarks>();

const kSigns: Readonly<Record<BreakpointKind, string>> = {
  enabled: '●', disabled: '○', conditional: '◆', hit: '▶',
};
const kHeatSteps = 5;

class Dot extends GutterMarker {
  constructor(private readonly kind: BreakpointKind) {
    super();
  }

  override eq(other: GutterMarker): boolean {
    return other instanceof Dot && other.kind === this.kind;
  }

  override toDOM(): Node {
    const dot = document.createElement('span');
    dot.className = 'cm-break-dot';
    dot.textContent = kSigns[this.kind];
    dot.title = `breakpoint, ${this.kind}`;
    return dot;
  }
}

class Heat extends GutterMarker {
  override readonly elementClass: string;

  constructor(private readonly count: number, most: number) {
    super();
    // By the logarithm: a loop's body would leave all other lines one colour.
    const step = Math.ceil(kHeatSteps * Math.log1p(count) / Math.log1p(most));
    this.elementClass = `cm-heat-${Math.max(1, step)}`;
  }

  override eq(other: GutterMarker): boolean {
    return other instanceof Heat && other.count === this.count &&
      other.elementClass === this.elementClass;
  }

  override toDOM(): Node {
    const text = document.createElement('span');
    text.textContent = String(this.count);
    text.title = this.count === 1 ? 'ran once' : `ran ${this.count} times`;
    return text;
  }
}

interface Marked {
  readonly marks: LineMarks;
  readonly lines: DecorationSet;
  readonly dots: RangeSet<GutterMarker>;
  readonly heat: RangeSet<GutterMarker>;
}

function place<T extends RangeValue>(
  state: EditorState, marks: Iterable<readonly [line: number, mark: T]>,
): Range<T>[] {
  // Marks may be of a text that was longer a moment ago.
  return [...marks].filter(([line]) => line >= 1 && line <= state.doc.lines)
    .map(([line, mark]) => mark.range(state.doc.line(line).from) as Range<T>);
}

const kNow = Decoration.line({ class: 'cm-now' });
const kLinked = Decoration.line({ class: 'cm-linked' });

function markedBy(state: EditorState, marks: LineMarks): Marked {
  const { now, linked, breakpoints, hits } = marks;
  const lines = linked.map((line) => [line, kLinked] as const);
  const most = Math.max(1, ...hits.values());
  const dots = [...breakpoints].map(([line, kind]) => [line, new Dot(kind)] as const);
  const heat = [...hits].map(([line, count]) => [line, new Heat(count, most)] as const);
  const current = now === undefined ? [] : [[now, kNow] as const];
  return {
    marks,
    // `true` has them sorted, which sets of ranges must be.
    lines: RangeSet.of(place(state, [...lines, ...current]), true),
    dots: RangeSet.of(place<GutterMarker>(state, dots), true),
    heat: RangeSet.of(place<GutterMarker>(state, heat), true),
  };
}

const kNothing: Marked =
  { marks: kNoMarks, lines: Decoration.none, dots: RangeSet.empty, heat: RangeSet.empty };

const kField = StateField.define<Marked>({
  create: () => kNothing,
  update: (marked, { state, effects, docChanged, changes }) => {
    for (const effect of effects) if (effect.is(setMarks)) return markedBy(state, effect.value);
    if (!docChanged) return marked;
    // While somebody types, marks move along with their lines until new ones come.
    const { marks, lines, dots, heat } = marked;
    return { marks, lines: lines.map(changes), dots: dots.map(changes), heat: heat.map(changes) };
  },
  provide: (field) => EditorView.decorations.from(field, ({ lines }) => lines),
});

/** Gutters for breakpoints, which a click sets and clears, and for how often lines ran. */
export function lineMarks(onBreakpoint: ((line: number) => void) | undefined): Extension {
  if (!onBreakpoint) return kField;
  return [
    kField,
    gutter({
      class: 'cm-break-gutter',
      renderEmptyElements: true, // to be clicked
      markers: (view) => view.state.field(kField).dots,
      // Keeps the width, so that the text does not move with the first breakpoint.
      initialSpacer: () => new Dot('enabled'),
      domEventHandlers: {
        mousedown: (view, block) => {
          onBreakpoint(view.state.doc.lineAt(block.from).number);
          return true;
        },
      },
    }),
    gutter({ class: 'cm-hit-gutter', markers: (view) => view.state.field(kField).heat }),
  ];
}
