// SPDX-License-Identifier: Apache-2.0
// Starting a runtime: its module fetched and compiled, with what belongs to it.
import { unlessAborted } from './abort.js';
import type { Instance } from './exports.js';
import { HostFunctions } from './functions.js';
import { LeakWatch } from './leaks.js';
import { Memory } from './memory.js';
import { instantiate, type ModuleOptions, toolsModule, toolsSource } from './module.js';
import { OnDemandPart, registerOperators, withTools } from './on_demand.js';
import { ProgressMeter } from './progress.js';
import { Runtime } from './runtime.js';

// What the parts of starting count in the progress of the whole.
const kStartWeights = { module: 4, operators: 1, compiler: 3, tools: 2, loops: 3 };

/** Fetches, compiles and starts the module on this thread. */
export async function startRuntime(options: ModuleOptions): Promise<Runtime> {
  const { operators, compiler, loops, signal, onProgress, threading } = options;
  const tools = toolsSource(options) !== false;
  const compiling = compiler === true || tools;
  const sharing = threading?.sharing;
  // Workers have what they can run from the beginning.
  const operating = operators === true || sharing !== undefined;
  const wanted = {
    module: kStartWeights.module,
    ...(operating ? { operators: kStartWeights.operators } : {}),
    ...(compiling ? { compiler: kStartWeights.compiler } : {}),
    ...(tools ? { tools: kStartWeights.tools } : {}),
    ...(loops === undefined ? {} : { loops: kStartWeights.loops }),
  };
  const meter = new ProgressMeter(onProgress, wanted);
  const host = new HostFunctions();
  const fetchTools = (): Promise<WebAssembly.Module> =>
    toolsModule(options, { signal, tell: meter.part('tools'), sharing });
  const fetchFirst = (): Promise<Instance> =>
    instantiate(options, host, meter.part('module') ?? (() => undefined));
  // The first module makes the memory that others are changed to share.
  const [first, early] = await Promise.all([
    fetchFirst(),
    tools && !sharing ? fetchTools() : undefined,
  ]);
  meter.skip('module');
  const onDemand = OnDemandPart.compilerOf(first, options);
  const further = onDemand?.before;
  host.bringOperators = () => further?.bring() ?? false;
  if (!onDemand) registerOperators(first.exports); // the module is whole
  if (operating) await further?.fetch(signal, meter.part('operators'));
  meter.skip('operators');
  let { exports } = first;
  if (tools) {
    const module = early ?? (await fetchTools());
    meter.skip('tools');
    exports = await withTools(first, onDemand, module, signal, meter.part('compiler'));
  }
  const leaks = LeakWatch.make(options.leakWarnings);
  const memory = new Memory(exports, host, onDemand, leaks, sharing);
  host.attach(memory);
  const platform = await threading?.start?.(first, further?.module, memory);
  const runtime = new Runtime(memory, options, platform);
  if (compiling) await onDemand?.fetch(signal, meter.part('compiler'));
  meter.skip('compiler');
  if (loops !== undefined) await unlessAborted(runtime.loops.fetch(), signal);
  meter.finish();
  return runtime;
}
