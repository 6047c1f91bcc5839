// SPDX-License-Identifier: Apache-2.0
// The rows of the instruction grid.
import type { JSX } from 'preact';
import { formatNanoseconds } from '../../model/format.js';
import type { FunctionRow, InstructionRow, OperandPart } from '../../model/instructions.js';
import { meaningOf } from '../../model/meanings.js';
import { toggleBreakpoint } from '../../state/runs.js';
import { Gutter } from './gutter.js';
import type { Arrows } from '../../model/bytecode-view.js';
import { whenChanged } from '../../widgets/when-changed.js';

export const kColumns = [
  ['break', 'breakpoint'],
  ['pc', 'pc'],
  ['bytes', 'bytes'],
  ['arrows', 'jumps'],
  ['op', 'op'],
  ['callee', 'callee'],
  ['args', 'arguments'],
  ['dst', 'to'],
  ['hits', 'hits'],
  ['time', 'time'],
  ['result', 'result'],
  ['source', 'made from'],
] as const;
export type ColumnName = (typeof kColumns)[number][0];

/** Titles that only a reader of the screen needs. */
const kQuiet: ReadonlySet<string> = new Set(['break', 'arrows']);

export function Heading({ columns }: { columns: ReadonlySet<ColumnName> }) {
  return (
    <div role="row" class="row head" aria-rowindex={1}>
      {kColumns.filter(([id]) => columns.has(id)).map(([id, title]) => (
        <span key={id} role="columnheader" class={`c-${id}`}>
          {kQuiet.has(id) ? <span class="visually-hidden">{title}</span> : title}
        </span>
      ))}
    </div>
  );
}

export interface FunctionHeadingProps {
  row: FunctionRow;
  index: number;
  columnCount: number;
  focused: boolean;
  folded: boolean;
  actions: RowActions;
}

export const FunctionHeading = whenChanged((props: FunctionHeadingProps) => {
  const { row, index, columnCount, focused, folded, actions } = props;
  return (
    <div
      role="row" id={`row-${index}`} aria-rowindex={index + 2} aria-level={1}
      aria-expanded={!folded} class={focused ? 'row function-row focused' : 'row function-row'}
      onMouseDown={() => actions.goTo(index)}
    >
      <span role="gridcell" aria-colspan={columnCount} title={row.signature}>
        <span class="fold" aria-hidden="true" data-testid={`fold-${row.functionName}`}
          onClick={() => actions.fold(row.functionName)}>
          {folded ? '▸' : '▾'}
        </span>
        <b>@{row.functionName}</b> <span class="detail">{row.signature}</span>
      </span>
    </div>
  );
});

/** "%3" and "c[1]" look different, and are: registers and constants. */
const kChips: Record<OperandPart['kind'], string> = {
  register: 'chip register-chip',
  vm: 'chip register-chip',
  void: 'chip',
  immediate: 'chip',
  constant: 'chip constant-chip',
  function: 'chip function-chip',
  primitive: 'chip function-chip',
};

const operandText = ({ label, text }: OperandPart): string => (label ? `${label} ${text}` : text);

/** A part of a row that the arrows go to, and what Enter does with it. */
export interface Part {
  id: string;
  register?: number | undefined;
  leadsTo?: number | undefined;
}

/** The parts of a row in their order on the screen. */
export function partsOf(row: InstructionRow): Part[] {
  const parts: Part[] = [];
  // Only functions of the program have code to lead to; primitives have none.
  if (row.calleePc !== undefined) parts.push({ id: `part-${row.pc}-f`, leadsTo: row.calleePc });
  row.operands.forEach(({ register, leadsTo }, i) => {
    parts.push({ id: `part-${row.pc}-${i}`, register, leadsTo });
  });
  if (row.destination) {
    parts.push({ id: `part-${row.pc}-d`, register: row.destinationRegister });
  }
  return parts;
}

/** What rows know beside the program. */
export interface RowExtras {
  bytes: string | undefined;
  hits: number | undefined;
  nanoseconds: number | undefined;
  /** Of the slowest instruction. */
  mostNanoseconds: number;
  result: string | undefined;
}

/** What rows do; the same object for as long as the grid is there. */
export interface RowActions {
  goTo: (index: number) => void;
  follow: (part: Part) => void;
  fold: (functionName: string) => void;
}

export interface InstructionLineProps extends RowExtras {
  row: InstructionRow;
  index: number;
  columns: ReadonlySet<ColumnName>;
  arrows: Arrows;
  focused: boolean;
  /** The part at hand. */
  part: string | undefined;
  /** The register that is highlighted. */
  register: number | undefined;
  selected: boolean;
  current: boolean;
  executed: boolean;
  breaks: boolean;
  actions: RowActions;
}

function Breakpoint({ pc, breaks }: { pc: number; breaks: boolean }) {
  return (
    <button
      type="button" tabIndex={-1} class={breaks ? 'breakpoint set' : 'breakpoint'}
      aria-pressed={breaks} aria-label={`breakpoint at ${pc}`} data-testid={`breakpoint-${pc}`}
      onClick={() => toggleBreakpoint(pc)}
    >
      {breaks ? '●' : '○'}
    </button>
  );
}

interface ChipProps {
  of: Part;
  kind: OperandPart['kind'];
  text: string;
  label?: string;
  props: InstructionLineProps;
}

function Chip({ of: it, kind, text, label = '', props }: ChipProps) {
  const { part, register, actions } = props;
  const classes = [
    kChips[kind], it.id === part && 'at-hand',
    it.register !== undefined && it.register === register && 'highlighted',
  ];
  return (
    <span id={it.id} class={classes.filter(Boolean).join(' ')} onClick={() => actions.follow(it)}>
      {label ? <span class="operand-label">{label} </span> : null}
      {text}
    </span>
  );
}

function calleeOf(props: InstructionLineProps) {
  const { row, part, actions } = props;
  // The callee comes first among the parts, where it is one.
  const leads = row.calleePc === undefined ? undefined : partsOf(row)[0];
  return (
    <span role="gridcell" class="c-callee" title={`${row.callee} ${row.attributes}`}>
      {leads ? (
        <b id={leads.id} class={leads.id === part ? 'leads at-hand' : 'leads'}
          onClick={() => actions.follow(leads)}>
          {row.callee}
        </b>
      ) : <b>{row.callee}</b>}{' '}
      <span class="detail">{row.attributes}</span>
    </span>
  );
}

function argumentsOf(props: InstructionLineProps) {
  const { row } = props;
  return (
    <span role="gridcell" class="c-args" title={row.operands.map(operandText).join(', ')}>
      {row.operands.map(({ kind, text, label, register, leadsTo }, i) => (
        <Chip
          key={i} of={{ id: `part-${row.pc}-${i}`, register, leadsTo }} kind={kind} text={text}
          label={label} props={props}
        />
      ))}
    </span>
  );
}

function timeOf({ nanoseconds, mostNanoseconds }: InstructionLineProps) {
  if (nanoseconds === undefined) return null;
  // Relative to the slowest: a bar says where to look, the number how much.
  const part = mostNanoseconds > 0 ? nanoseconds / mostNanoseconds : 0;
  return (
    <>
      <i class="time-bar" style={{ width: `${(100 * part).toFixed(1)}%` }} />
      {formatNanoseconds(nanoseconds)}
    </>
  );
}

/** What the bytes are, in the order in which they stand. */
const kBytesMeaning =
  'opcode, number of operands, three operands in short form (2 bits of kind, 14 of value), ' +
  'then further words: four short forms each, or one operand of 8 bits of kind and 56 of value';

type Cell = (props: InstructionLineProps) => JSX.Element;

// One cell for each column, so that a column without one does not compile.
const kCells: Record<ColumnName, Cell> = {
  break: ({ row, breaks }) => (
    <span role="gridcell" class="c-break"><Breakpoint pc={row.pc} breaks={breaks} /></span>
  ),
  pc: ({ row, current, executed }) => (
    <span role="gridcell" class="c-pc">
      <span class="mark">{current ? '▶' : executed ? '✓' : ''}</span>{row.pc}
    </span>
  ),
  bytes: ({ bytes }) => (
    <span role="gridcell" class="c-bytes" title={kBytesMeaning}>{bytes ?? ''}</span>
  ),
  arrows: ({ row, arrows }) => (
    <span role="gridcell" class="c-arrows">
      <Gutter pc={row.pc} arrows={arrows.at(row.pc)} />
    </span>
  ),
  op: ({ row }) => (
    <span role="gridcell" class={`c-op op-${row.opcode}`} title={meaningOf(row.opcode)}>
      {row.opcode}
    </span>
  ),
  callee: calleeOf,
  args: argumentsOf,
  dst: (props) => {
    const { pc, destination, destinationRegister: register } = props.row;
    const it = { id: `part-${pc}-d`, register };
    return (
      <span role="gridcell" class="c-dst">
        {destination ? <Chip of={it} kind="register" text={destination} props={props} /> : null}
      </span>
    );
  },
  hits: ({ hits }) => <span role="gridcell" class="c-hits">{hits ? hits : ''}</span>,
  time: (props) => <span role="gridcell" class="c-time">{timeOf(props)}</span>,
  result: ({ result }) => (
    <span role="gridcell" class="c-result" title={result}>{result ?? ''}</span>
  ),
  source: ({ row }) => (
    <span role="gridcell" class="c-source" title={row.source}>{row.source}</span>
  ),
};

export const InstructionLine = whenChanged((props: InstructionLineProps) => {
  const { row, index, columns, focused, current, executed, selected, actions } = props;
  const classes = [
    'row', focused && 'focused', current && 'current', executed && 'executed',
    selected && 'selected',
  ];
  return (
    <div
      role="row" id={`row-${index}`} aria-rowindex={index + 2} aria-level={2}
      data-row-id={row.pc} aria-current={current ? 'step' : undefined}
      class={classes.filter(Boolean).join(' ')} onMouseDown={() => actions.goTo(index)}
    >
      {kColumns.filter(([id]) => columns.has(id)).map(([id]) => kCells[id](props))}
    </div>
  );
});
