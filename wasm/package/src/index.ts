// SPDX-License-Identifier: Apache-2.0
/// <reference lib="esnext.disposable" preserve="true" />
/**
 * What tern-runtime exports.
 * @module tern-runtime
 */
import './dispose.js';

export {
  type AsyncLoadOptions,
  AsyncProgram,
  AsyncRuntime,
  type Placement,
  type RunOptions,
} from './async_runtime.js';
export { type BuilderArg, type BuilderValue, ExecBuilder, type Operand } from './builder.js';
export type { Arguments, FunctionInfo, Parameter, RegisterState } from './calls.js';
export { createRuntime, type RuntimeOptions } from './create.js';
export {
  type Breakpoint,
  type DebugCommand,
  Debugger,
  type DebuggerOptions,
  type DebugState,
  type DebugStop,
  type HeapState,
  type TraceState,
} from './debugger.js';
export type {
  HeapDifference,
  LifetimesView,
  ObjectKind,
  ObjectView,
  ObjectsView,
  ShapeHeapView,
  TimelineView,
  TraceComparison,
  TraceContents,
  TraceDivergence,
  VersionEnd,
} from './debugger_views.js';
export {
  kTypedArrays,
  type TypedArray,
  type TypedArrayConstructor,
  type TypedArrays,
} from './dtypes.js';
export {
  type Diagnostic,
  type DiagnosticFix,
  type DiagnosticSpan,
  TernError,
} from './errors.js';
export { clearCache, type FetchOptions, type RemoteSource } from './fetch.js';
export type { Assets } from './files.js';
export {
  type Histogram,
  type HistogramOptions,
  InspectedTensor,
  type PictureOptions,
  type TensorComparison,
  type TensorLayout,
  type TensorPicture,
  type TensorStatistics,
  type WorstElement,
} from './inspect.js';
export type { KernelInfo, KernelPolicy } from './kernels.js';
export type {
  GraphNode,
  GraphValue,
  MemoryPlan,
  ModelGraph,
  PlacedMemory,
  PlannedFunction,
} from './model_report.js';
export type {
  Completion,
  Definition,
  FixedSource,
  Hover,
  SourceAnswers,
  SourceSymbol,
  SourceToken,
  TextRange,
  TokenKind,
} from './language.js';
export type {
  CompiledModel,
  CompiledStage,
  CompileOptions,
  LoadOptions,
  RemoteLoadOptions,
} from './load_options.js';
export {
  type CountOptions,
  createLoopCompiler,
  type LoopCompiler,
  type LoopCounts,
  type LoopOptions,
  type LoopStage,
  type StageOptions,
  tuneLoops,
  type TuneLoopsOptions,
} from './loops.js';
export type { Threads, ThreadUse } from './exports.js';
export { kInstructions } from './generated/isa.js';
export type { ModuleOptions, WasmSource } from './module.js';
export type { Instruction, InstructionOperand } from './instructions.js';
export {
  type Listing,
  Machine,
  type MachineOptions,
  type MachineState,
  Program,
  type ProgramInfo,
  type StopReason,
  type Timing,
  readProgramInfo,
} from './program.js';
export {
  Profile,
  type ProfileEvent,
  type ProfileEvents,
  type ProfileFormat,
  type ProfileOperator,
  type ProfileOptions,
  type ProfileRow,
} from './profile.js';
export type { Progress, ProgressListener } from './progress.js';
export type { MemoryUse } from './protocol.js';
export { ResidentTensor } from './resident.js';
export { Runtime, type RuntimeInfo } from './runtime.js';
export { looksLikeExecutable } from './sources.js';
export type { TuneCandidate, TuneOptions, TuneResult } from './tune.js';
export {
  type HostFunction,
  isTensor,
  makeTensor,
  type Tensor,
  TernFunction,
  Tuple,
  type Value,
} from './values.js';
export { hasRelaxedSimd } from './vectors.js';
export type { WorkerLike } from './workers.js';
