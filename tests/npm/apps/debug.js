// SPDX-License-Identifier: Apache-2.0
// The page of a consumer with the debugger and the language, which are in a package of their own.
import { createRuntime } from 'tern-runtime';
import { debugWasm } from 'tern-runtime-debug';
import { publish } from './digit.js';

async function main() {
  const runtime = await createRuntime({ debugger: debugWasm });
  const program = runtime.load(runtime.compileSource('fn main(x: int) -> int { x * 2 }').bytes);
  const debug = program.debugger();
  debug.begin('main', [21]);
  return { reason: debug.run('continue').reason, value: program.run('main', [21]).output0 };
}

publish(main());
