// SPDX-License-Identifier: Apache-2.0
// Written by update_docs, checked by abi_test: where the fields of the structs
// of core/abi/abi.h, core/api/c_api.h, core/api/loop_api.h are in a WebAssembly
// module. Members of unions are fields of the struct.

/** TernAny */
export const kAny = {
  size: 16,
  fields: {
    typeCode: { at: 0, type: 'i32' },
    smallLen: { at: 4, type: 'i32' },
    i: { at: 8, type: 'i64' },
    f: { at: 8, type: 'f64' },
    p: { at: 8, type: 'u32' },
    object: { at: 8, type: 'u32' },
    bytes: { at: 8, type: 'i8' },
    char32: { at: 8, type: 'u32' },
  },
} as const;

/** tern_runtime_options */
export const kRuntimeOptions = {
  size: 20,
  fields: {
    structSize: { at: 0, type: 'u32' },
    target: { at: 4, type: 'u32' },
    platform: { at: 8, type: 'u32' },
    cpuFeatures: { at: 12, type: 'u32' },
    sveBytes: { at: 16, type: 'u32' },
  },
} as const;

/** tern_compile_options */
export const kCompileOptions = {
  size: 48,
  fields: {
    structSize: { at: 0, type: 'u32' },
    sourceName: { at: 4, type: 'u32' },
    disabledPasses: { at: 8, type: 'u32' },
    externalData: { at: 12, type: 'u32' },
    externalDataContext: { at: 16, type: 'u32' },
    printAfter: { at: 20, type: 'u32' },
    relaxedMath: { at: 24, type: 'i32' },
    sizes: { at: 28, type: 'u32' },
    maxBytes: { at: 32, type: 'u64' },
    exactConvolutions: { at: 40, type: 'i32' },
  },
} as const;

/** tern_file_source */
export const kFileSource = {
  size: 24,
  fields: {
    structSize: { at: 0, type: 'u32' },
    context: { at: 4, type: 'u32' },
    bytes: { at: 8, type: 'u64' },
    read: { at: 16, type: 'u32' },
    release: { at: 20, type: 'u32' },
  },
} as const;

/** tern_kernel_spec */
export const kKernelSpec = {
  size: 40,
  fields: {
    structSize: { at: 0, type: 'u32' },
    name: { at: 4, type: 'u32' },
    signature: { at: 8, type: 'u32' },
    slots: { at: 12, type: 'u32' },
    results: { at: 16, type: 'u32' },
    zeroed: { at: 20, type: 'u32' },
    call: { at: 24, type: 'u32' },
    selfCall: { at: 28, type: 'u32' },
    self: { at: 32, type: 'u32' },
    release: { at: 36, type: 'u32' },
  },
} as const;

/** tern_kernel_backend */
export const kKernelBackend = {
  size: 24,
  fields: {
    structSize: { at: 0, type: 'u32' },
    backend: { at: 4, type: 'u32' },
    why: { at: 8, type: 'u32' },
    ready: { at: 12, type: 'u32' },
    describe: { at: 16, type: 'u32' },
    context: { at: 20, type: 'u32' },
  },
} as const;

/** tern_kernel */
export const kKernel = {
  size: 16,
  fields: {
    name: { at: 0, type: 'u32' },
    format: { at: 4, type: 'u32' },
    bytes: { at: 8, type: 'u32' },
    size: { at: 12, type: 'u32' },
  },
} as const;

/** tern_operand */
export const kOperand = {
  size: 16,
  fields: {
    kind: { at: 0, type: 'i32' },
    reserved: { at: 4, type: 'i32' },
    value: { at: 8, type: 'i64' },
  },
} as const;

/** tern_vm_options */
export const kVmOptions = {
  size: 40,
  fields: {
    structSize: { at: 0, type: 'u32' },
    maxInstructions: { at: 8, type: 'u64' },
    maxBytes: { at: 16, type: 'u64' },
    maxDepth: { at: 24, type: 'u32' },
    reserved: { at: 28, type: 'u32' },
    maxTimeMs: { at: 32, type: 'u64' },
  },
} as const;

/** tern_debug_options */
export const kDebugOptions = {
  size: 56,
  fields: {
    structSize: { at: 0, type: 'u32' },
    maxSteps: { at: 8, type: 'u64' },
    maxBytes: { at: 16, type: 'u64' },
    maxTimeMs: { at: 24, type: 'u64' },
    maxDepth: { at: 32, type: 'u32' },
    reserved: { at: 36, type: 'u32' },
    traceBytes: { at: 40, type: 'u64' },
    traceSteps: { at: 48, type: 'u64' },
  },
} as const;

/** tern_print_options */
export const kPrintOptions = {
  size: 24,
  fields: {
    structSize: { at: 0, type: 'u32' },
    maxElements: { at: 8, type: 'u64' },
    maxDepth: { at: 16, type: 'u32' },
    reserved: { at: 20, type: 'u32' },
  },
} as const;

/** tern_loop_request */
export const kLoopRequest = {
  size: 48,
  fields: {
    structSize: { at: 0, type: 'u32' },
    sourceName: { at: 4, type: 'u32' },
    strategies: { at: 8, type: 'u32' },
    stages: { at: 12, type: 'u32' },
    target: { at: 16, type: 'u32' },
    vlForm: { at: 20, type: 'i32' },
    function: { at: 24, type: 'u32' },
    vscales: { at: 28, type: 'u32' },
    sizes: { at: 32, type: 'u32' },
    maxSteps: { at: 40, type: 'i64' },
  },
} as const;

/** tern_loop_lanes_options */
export const kLoopLanesOptions = {
  size: 48,
  fields: {
    structSize: { at: 0, type: 'u32' },
    head: { at: 4, type: 'i32' },
    tail: { at: 8, type: 'i32' },
    first: { at: 16, type: 'i64' },
    count: { at: 24, type: 'i64' },
    n: { at: 32, type: 'i64' },
    checkLanes: { at: 40, type: 'i64' },
  },
} as const;

/** tern_loop_tune_request */
export const kLoopTuneRequest = {
  size: 48,
  fields: {
    structSize: { at: 0, type: 'u32' },
    sourceName: { at: 4, type: 'u32' },
    function: { at: 8, type: 'u32' },
    sizes: { at: 12, type: 'u32' },
    log: { at: 16, type: 'u32' },
    trials: { at: 20, type: 'i32' },
    maxSteps: { at: 24, type: 'i64' },
    seed: { at: 32, type: 'u64' },
    minGain: { at: 40, type: 'f64' },
  },
} as const;
