// SPDX-License-Identifier: Apache-2.0
// Cases whose steps depend on what the model says: a transducer reads `src` and, at place t, either
// gives the next token of `tgt` or, by kNext, goes on to the next place. docs/models.md has the
// loop.

const kStart = 2; // the first token of every result
const kNext = 2;
const kMostTokens = 48;

const i32 = (values) => ({
  dtype: 'i32',
  shape: [1, values.length],
  data: Int32Array.from(values),
});

function inputsAt(src, tgt, t) {
  return { src: i32(src), tgt: i32(tgt), t: { dtype: 'i32', shape: [1], data: Int32Array.of(t) } };
}

/** Whether the case is one; a loop of another kind is an error, and so is a case of nothing. */
export function isTransducer(inputCase) {
  if (inputCase.loop?.startsWith('host transducer loop:')) return true;
  if (inputCase.loop !== undefined) throw new Error(`unknown loop '${inputCase.loop}'`);
  if (inputCase.steps.length === 0) throw new Error(`case '${inputCase.name}' has no steps`);
  return false;
}

/** The inputs of the first step, which stand for all where time is measured. */
export function firstInputs(inputCase) {
  return inputsAt(inputCase.src, [kStart], 0);
}

/** run(inputs) gives the outputs by name. {error, problem} against the trace of another runtime. */
export function runTransducer(inputCase, want, run) {
  const { src } = inputCase;
  const tgt = [kStart];
  const trace = [];
  for (let t = 0; t < src.length && tgt.length < kMostTokens; ) {
    const token = Number(run(inputsAt(src, tgt, t)).pred.data[0]);
    trace.push(token);
    if (token === kNext) t++;
    else tgt.push(token);
  }
  const same = String(trace) === String(want.pred_trace) && String(tgt) === String(want.tgt);
  const problem = `tokens ${trace.join(' ')}, expected ${want.pred_trace.join(' ')}`;
  return same ? { error: 0 } : { error: Infinity, problem };
}
