// SPDX-License-Identifier: Apache-2.0
// What the compiler says of a model: its graph (core/onnx/graph_json.h) and where its tensors lie
// (core/ir/passes/plan_memory.h).

/** type: "f32[n, 10]"; empty where it is not known. */
export interface GraphValue {
  name: string;
  type: string;
}

export interface GraphNode {
  /** As diagnostics and the `source` of instructions call it. */
  name: string;
  operator: string;
  /** Empty for the standard's own. */
  domain: string;
  /** Names of values; empty where an optional input is left out. */
  inputs: string[];
  outputs: GraphValue[];
  attributes: { name: string; type: string; value: string }[];
}

export interface ModelGraph {
  name: string;
  inputs: GraphValue[];
  outputs: GraphValue[];
  constants: GraphValue[];
  nodes: GraphNode[];
}

/** Where everything lies once all sizes are numbers, in bytes. */
export interface PlacedMemory {
  /** All tensors one after the other. */
  before: number;
  /** Storages, and tensors with memory of their own. */
  planned: number;
  /** The most that is alive at once: no plan can need less. */
  live: number;
  /** What is alive at each binding. */
  liveBy: number[];
  /** In the order of `PlannedFunction.tensors`. */
  tensors: {
    /** The node or place in the source that makes it. */
    origin: string;
    bytes: number;
    /** Where it lies in the plan, and where if nothing is used again. */
    base: number;
    alone: number;
  }[];
}

/** Sizes that are no numbers are texts, such as "4*batch". */
export interface PlannedFunction {
  name: string;
  static: { before: number; after: number; live: number };
  symbolic: { tensors: number };
  /** Tensors with memory of their own. */
  unplanned: number;
  tensors: {
    name: string;
    type: string;
    bytes: number | string;
    /** 0: at `offset` of the arena; 1: in it, where a run finds room; -1: memory of its own. */
    storage: number;
    offset: number;
    /** Bindings: where it is made and where it is read last. */
    first: number;
    last: number;
  }[];
  at?: PlacedMemory;
}

export interface MemoryPlan {
  functions: PlannedFunction[];
}
