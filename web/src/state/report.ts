// SPDX-License-Identifier: Apache-2.0
// The session as plain JSON, for window.ternPlayground.state(); docs/playground.md has the schema.
import { isTensor, type Value } from 'tern-runtime';
import { registerRows } from '../model/registers.js';
import { elementAt } from '../model/elements.js';
import { currentPc, isStale, lastPc, type Session, visibleState } from './session.js';

/** Elements of a tensor that are told; `count` says how many there are. */
const kMaxValues = 4096;

export function valueReport(value: Value): unknown {
  if (Array.isArray(value)) return value.map(valueReport);
  if (!isTensor(value)) return typeof value === 'bigint' ? String(value) : value;
  const count = value.data.length;
  const values = Array.from({ length: Math.min(count, kMaxValues) }, (_, i) => elementAt(value, i));
  return { dtype: value.dtype, shape: value.shape, count, values };
}

function programReport({ program }: Session): unknown {
  if (!program) return null;
  const { name, fileKind, info } = program;
  return {
    name, kind: fileKind, functions: info.functions.map((f) => f.name),
    instructions: info.instructions.length, constants: info.constants.length,
  };
}

export function sessionReport(session: Session): Record<string, unknown> {
  const { outputs, classification } = session;
  const values = Object.entries(outputs ?? {}).map(([name, v]) => [name, valueReport(v)]);
  return {
    version: 1,
    state: visibleState(session),
    program: programReport(session),
    function: session.functionName,
    step: session.steps,
    pc: currentPc(session) ?? null,
    lastPc: lastPc(session) ?? null,
    trace: session.trace ?? null,
    stale: isStale(session),
    stopReason: session.stopReason,
    depth: session.machine?.frames.length ?? 0,
    registers: registerRows(session.machine),
    breakpoints: [...session.breakpoints].sort((a, b) => a - b),
    outputs: outputs ? Object.fromEntries(values) : null,
    problems: session.problems.map(({ code, message, text }) => ({ code, message, text })),
    classification: classification && {
      digit: classification.digit, probabilities: classification.probabilities,
    },
  };
}
