// SPDX-License-Identifier: Apache-2.0
// Starting a runtime: its module fetched and compiled, with what belongs to it.
import { unlessAborted } from './abort.js';
import { HostFunctions } from './functions.js';
import { LeakWatch } from './leaks.js';
import { Memory } from './memory.js';
import { instantiate, type ModuleOptions } from './module.js';
import { OnDemandPart } from './on_demand.js';
import { ProgressMeter } from './progress.js';
import { Runtime } from './runtime.js';

// What the parts of starting count in the progress of the whole.
const kStartWeights = { module: 4, compiler: 3, loops: 3 };

/** Fetches, compiles and starts the module on this thread. */
export async function startRuntime(options: ModuleOptions): Promise<Runtime> {
  const { compiler, loops, signal, onProgress } = options;
  const wanted = {
    module: kStartWeights.module,
    ...(compiler === true ? { compiler: kStartWeights.compiler } : {}),
    ...(loops === undefined ? {} : { loops: kStartWeights.loops }),
  };
  const meter = new ProgressMeter(onProgress, wanted);
  const host = new HostFunctions();
  const first = await instantiate(options, host, meter.part('module') ?? (() => undefined));
  meter.skip('module');
  const onDemand = OnDemandPart.of(first, options);
  const leaks = LeakWatch.make(options.leakWarnings);
  const { threading } = options;
  const memory = new Memory(first.exports, host, onDemand, leaks, threading?.sharing);
  host.attach(memory);
  const runtime = new Runtime(memory, options, await threading?.start?.(first, memory));
  if (compiler === true) await onDemand?.fetch(signal, meter.part('compiler'));
  meter.skip('compiler');
  if (loops !== undefined) await unlessAborted(runtime.loops.fetch(), signal);
  meter.finish();
  return runtime;
}
