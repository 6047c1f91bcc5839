// SPDX-License-Identifier: Apache-2.0
// Prints a loop program with the schedule that is fastest in this engine. Candidates are told of on
// standard error; with a LOG, what was measured is kept there and not measured again.
//
//   tools/node.sh examples/tune.mjs [FILE.tloop [LOG]]
import { appendFileSync, existsSync, readFileSync } from 'node:fs';

import { TernError, tuneLoops } from '../wasm/package/dist/index.js';

const kDot = `te dot<n>(A: float32[n], B: float32[n]) -> (C: float32[]) {
  compute C[] = sum(k < n, A[k] * B[k])
}
`;

const [path, logPath] = process.argv.slice(2);
const source = path ? readFileSync(path, 'utf8') : kDot;
const log = logPath && existsSync(logPath) ? readFileSync(logPath, 'utf8') : '';

try {
  const best = await tuneLoops(source, {
    sourceName: path ?? 'dot.tloop',
    budgetMs: 5000,
    trials: 16,
    log,
    onProgress: ({ choice, cost, error, known, line }) => {
      console.error(`${choice}: ${error ?? `${cost.toPrecision(4)} ns`}${known ? ' (log)' : ''}`);
      if (logPath && !known) appendFileSync(logPath, line);
    },
  });
  console.error(`${best.choice}: ${best.ratio.toFixed(3)} of the time as written`);
  process.stdout.write(best.text);
} catch (error) {
  if (!(error instanceof TernError)) throw error;
  console.error(error.text);
  process.exitCode = 1;
}
