// SPDX-License-Identifier: Apache-2.0
// The rows of the instruction grid.
import type { FunctionRow, InstructionRow, OperandPart } from '../../model/instructions.js';
import { toggleBreakpoint } from '../../state/runs.js';

const kColumns = [
  ['break', 'breakpoint'],
  ['pc', 'pc'],
  ['op', 'op'],
  ['callee', 'callee'],
  ['args', 'arguments'],
  ['dst', 'to'],
  ['source', 'made from'],
] as const;

export function Heading() {
  return (
    <div role="row" class="row head" aria-rowindex={1}>
      {kColumns.map(([id, title]) => (
        <span key={id} role="columnheader" class={`c-${id}`}>
          {id === 'break' ? <span class="visually-hidden">{title}</span> : title}
        </span>
      ))}
    </div>
  );
}

export function FunctionHeading({
  row,
  index,
  focused,
}: {
  row: FunctionRow;
  index: number;
  focused: boolean;
}) {
  return (
    <div
      role="row"
      id={`row-${index}`}
      class={focused ? 'row function-row focused' : 'row function-row'}
      aria-rowindex={index + 2}
    >
      <span role="gridcell" aria-colspan={7} title={row.signature}>
        <b>@{row.functionName}</b> <span class="detail">{row.signature}</span>
      </span>
    </div>
  );
}

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

export interface InstructionLineProps {
  row: InstructionRow;
  index: number;
  focused: boolean;
  current: boolean;
  executed: boolean;
  breaks: boolean;
  onFocus: () => void;
}

function Breakpoint({ pc, breaks }: { pc: number; breaks: boolean }) {
  return (
    <button
      type="button"
      tabIndex={-1}
      class={breaks ? 'breakpoint set' : 'breakpoint'}
      aria-pressed={breaks}
      aria-label={`breakpoint at ${pc}`}
      data-testid={`breakpoint-${pc}`}
      onClick={() => toggleBreakpoint(pc)}
    >
      {breaks ? '●' : '○'}
    </button>
  );
}

export function InstructionLine(props: InstructionLineProps) {
  const { row, index, focused, current, executed, breaks, onFocus } = props;
  const classes = ['row', focused && 'focused', current && 'current', executed && 'executed'];
  const mark = current ? '▶' : executed ? '✓' : '';
  return (
    <div
      role="row"
      id={`row-${index}`}
      aria-rowindex={index + 2}
      data-row-id={row.pc}
      aria-current={current ? 'step' : undefined}
      class={classes.filter(Boolean).join(' ')}
      onMouseDown={onFocus}
    >
      <span role="gridcell" class="c-break">
        <Breakpoint pc={row.pc} breaks={breaks} />
      </span>
      <span role="gridcell" class="c-pc">
        <span class="mark">{mark}</span>
        {row.pc}
      </span>
      <span role="gridcell" class={`c-op op-${row.opcode}`} title={row.meaning}>
        {row.opcode}
      </span>
      <span role="gridcell" class="c-callee" title={`${row.callee} ${row.attributes}`}>
        <b>{row.callee}</b> <span class="detail">{row.attributes}</span>
      </span>
      <span role="gridcell" class="c-args" title={row.operands.map(operandText).join(', ')}>
        {row.operands.map((operand, i) => (
          <span key={i} class={kChips[operand.kind]}>
            {operand.label ? <span class="operand-label">{operand.label} </span> : null}
            {operand.text}
          </span>
        ))}
      </span>
      <span role="gridcell" class="c-dst">
        {row.destination ? <span class="chip register-chip">{row.destination}</span> : null}
      </span>
      <span role="gridcell" class="c-source" title={row.source}>
        {row.source}
      </span>
    </div>
  );
}
