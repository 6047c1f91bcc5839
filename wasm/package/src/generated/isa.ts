// SPDX-License-Identifier: Apache-2.0
// Written by update_docs, checked by abi_test: the instructions of
// core/vm/isa.def by mnemonic, with what each operand is for.

export const kInstructions: {
  readonly [mnemonic: string]: {
    readonly number: number;
    readonly meaning: string;
    /** By role (a letter of core/vm/isa.def) and how often: '', '?', '*' or '+'. */
    readonly operands: readonly { name: string; role: string; repeat: string }[];
  };
} = {
  ret: {
    number: 1,
    meaning: "Leaves the function; its caller's destination register receives the value.",
    operands: [
      { name: 'ret', role: 'v', repeat: '' },
    ],
  },
  goto: {
    number: 2,
    meaning: "Jumps; an offset counts instructions and is never 0.",
    operands: [
      { name: 'to', role: 'o', repeat: '' },
    ],
  },
  if: {
    number: 3,
    meaning: "Jumps by `true` if the register holds true, a non-zero number or a one-element tensor of such, else by `false`.",
    operands: [
      { name: 'test', role: 'r', repeat: '' },
      { name: 'true', role: 'o', repeat: '' },
      { name: 'false', role: 'o', repeat: '' },
    ],
  },
  if_equal: {
    number: 4,
    meaning: "Jumps by `true` if the two values are equal scalars (or tensors of rank 0), else by `false`.",
    operands: [
      { name: 'test', role: 'r', repeat: '' },
      { name: 'target', role: 'v', repeat: '' },
      { name: 'true', role: 'o', repeat: '' },
      { name: 'false', role: 'o', repeat: '' },
    ],
  },
  phi: {
    number: 5,
    meaning: "Takes whichever of the two registers holds a value; exactly one of them must.",
    operands: [
      { name: 'dst', role: 'w', repeat: '' },
      { name: 'a', role: 'q', repeat: '' },
      { name: 'b', role: 'q', repeat: '' },
    ],
  },
  fatal: {
    number: 6,
    meaning: "Fails the run with the message.",
    operands: [
      { name: 'message', role: 's', repeat: '' },
    ],
  },
  move: {
    number: 32,
    meaning: "Makes dst refer to the same value; data is never copied.",
    operands: [
      { name: 'dst', role: 'w', repeat: '' },
      { name: 'source', role: 'r', repeat: '' },
    ],
  },
  load_const: {
    number: 33,
    meaning: "Makes dst refer to a constant of the pool, without a copy.",
    operands: [
      { name: 'dst', role: 'w', repeat: '' },
      { name: 'constant', role: 'c', repeat: '' },
    ],
  },
  load_consti: {
    number: 34,
    meaning: "Makes a new 0-rank int64 tensor that holds the value.",
    operands: [
      { name: 'dst', role: 'w', repeat: '' },
      { name: 'value', role: 'i', repeat: '' },
    ],
  },
  kill: {
    number: 35,
    meaning: "Empties registers, which frees what only they held. Reading one before it is written again is refused at load.",
    operands: [
      { name: 'registers', role: 'k', repeat: '+' },
    ],
  },
  call: {
    number: 36,
    meaning: "Calls a primitive or a function of this file.",
    operands: [
      { name: 'dst', role: 'w', repeat: '?' },
      { name: 'callee', role: 'a', repeat: '' },
      { name: 'in', role: 'v', repeat: '*' },
    ],
  },
  invoke: {
    number: 37,
    meaning: "Calls a function of this file in a frame of its own.",
    operands: [
      { name: 'dst', role: 'w', repeat: '?' },
      { name: 'callee', role: 'f', repeat: '' },
      { name: 'in', role: 'v', repeat: '*' },
    ],
  },
  invoke_packed: {
    number: 38,
    meaning: "Calls a primitive that writes into its last `outputs` arguments; `in` lists arity + outputs values.",
    operands: [
      { name: 'callee', role: 'p', repeat: '' },
      { name: 'arity', role: 'n', repeat: '' },
      { name: 'outputs', role: 'n', repeat: '' },
      { name: 'in', role: 'v', repeat: '*' },
    ],
  },
  invoke_closure: {
    number: 39,
    meaning: "Calls a closure: first the arguments listed here, then the values it captured.",
    operands: [
      { name: 'dst', role: 'w', repeat: '?' },
      { name: 'closure', role: 'r', repeat: '' },
      { name: 'in', role: 'v', repeat: '*' },
    ],
  },
  tail_invoke: {
    number: 40,
    meaning: "Calls a function of this file in place of this frame, and returns what it returns.",
    operands: [
      { name: 'callee', role: 'f', repeat: '' },
      { name: 'in', role: 'v', repeat: '*' },
    ],
  },
  tail_invoke_closure: {
    number: 41,
    meaning: "Calls a closure in place of this frame, and returns what it returns.",
    operands: [
      { name: 'closure', role: 'r', repeat: '' },
      { name: 'in', role: 'v', repeat: '*' },
    ],
  },
  alloc_storage: {
    number: 64,
    meaning: "Allocates `size` bytes at a multiple of `alignment`, a power of two; dtype is a hint.",
    operands: [
      { name: 'dst', role: 'w', repeat: '' },
      { name: 'size', role: 'v', repeat: '' },
      { name: 'alignment', role: 'n', repeat: '' },
      { name: 'dtype', role: 'd', repeat: '' },
      { name: 'device', role: 'n', repeat: '' },
    ],
  },
  alloc_tensor: {
    number: 65,
    meaning: "Makes a tensor of a fixed shape, at a byte offset of a storage or in memory of its own.",
    operands: [
      { name: 'dst', role: 'w', repeat: '' },
      { name: 'storage', role: 'r', repeat: '?' },
      { name: 'offset', role: 'n', repeat: '' },
      { name: 'dtype', role: 'd', repeat: '' },
      { name: 'shape', role: 'i', repeat: '*' },
    ],
  },
  alloc_tensor_reg: {
    number: 66,
    meaning: "Makes a tensor whose shape is a value: a Shape or an int tensor of rank 1.",
    operands: [
      { name: 'dst', role: 'w', repeat: '' },
      { name: 'storage', role: 'r', repeat: '?' },
      { name: 'offset', role: 'n', repeat: '' },
      { name: 'dtype', role: 'd', repeat: '' },
      { name: 'shape', role: 'v', repeat: '' },
    ],
  },
  alloc_adt: {
    number: 67,
    meaning: "Makes a tagged tuple of the values; tag 0 is the plain tuple.",
    operands: [
      { name: 'dst', role: 'w', repeat: '' },
      { name: 'tag', role: 'n', repeat: '' },
      { name: 'in', role: 'v', repeat: '*' },
    ],
  },
  alloc_closure: {
    number: 68,
    meaning: "Makes a closure of a function and the values captured for its last parameters.",
    operands: [
      { name: 'dst', role: 'w', repeat: '' },
      { name: 'callee', role: 'f', repeat: '' },
      { name: 'in', role: 'v', repeat: '*' },
    ],
  },
  get_field: {
    number: 69,
    meaning: "Takes a field of a tuple, or an element of a list.",
    operands: [
      { name: 'dst', role: 'w', repeat: '' },
      { name: 'object', role: 'r', repeat: '' },
      { name: 'index', role: 'n', repeat: '' },
    ],
  },
  get_tag: {
    number: 70,
    meaning: "Takes the tag of a tagged tuple, an int.",
    operands: [
      { name: 'dst', role: 'w', repeat: '' },
      { name: 'object', role: 'r', repeat: '' },
    ],
  },
  shape_of: {
    number: 71,
    meaning: "Takes the shape of a tensor, a Shape.",
    operands: [
      { name: 'dst', role: 'w', repeat: '' },
      { name: 'tensor', role: 'r', repeat: '' },
    ],
  },
  reshape_tensor: {
    number: 72,
    meaning: "Makes a view of the same elements in another shape; one extent may be -1.",
    operands: [
      { name: 'dst', role: 'w', repeat: '' },
      { name: 'tensor', role: 'r', repeat: '' },
      { name: 'shape', role: 'v', repeat: '' },
    ],
  },
  device_copy: {
    number: 73,
    meaning: "Copies a tensor to a device; on the same device dst refers to the same tensor.",
    operands: [
      { name: 'dst', role: 'w', repeat: '' },
      { name: 'source', role: 'r', repeat: '' },
      { name: 'device', role: 'n', repeat: '' },
    ],
  },
  add: {
    number: 96,
    meaning: "a + b of two ints or two floats.",
    operands: [
      { name: 'dst', role: 'w', repeat: '' },
      { name: 'a', role: 'v', repeat: '' },
      { name: 'b', role: 'v', repeat: '' },
    ],
  },
  sub: {
    number: 97,
    meaning: "a - b of two ints or two floats.",
    operands: [
      { name: 'dst', role: 'w', repeat: '' },
      { name: 'a', role: 'v', repeat: '' },
      { name: 'b', role: 'v', repeat: '' },
    ],
  },
  mul: {
    number: 98,
    meaning: "a * b of two ints or two floats.",
    operands: [
      { name: 'dst', role: 'w', repeat: '' },
      { name: 'a', role: 'v', repeat: '' },
      { name: 'b', role: 'v', repeat: '' },
    ],
  },
  div: {
    number: 99,
    meaning: "a / b; of ints rounded towards zero, where b = 0 fails.",
    operands: [
      { name: 'dst', role: 'w', repeat: '' },
      { name: 'a', role: 'v', repeat: '' },
      { name: 'b', role: 'v', repeat: '' },
    ],
  },
  mod: {
    number: 100,
    meaning: "a - b * trunc(a / b), with the sign of a; of ints, b = 0 fails.",
    operands: [
      { name: 'dst', role: 'w', repeat: '' },
      { name: 'a', role: 'v', repeat: '' },
      { name: 'b', role: 'v', repeat: '' },
    ],
  },
  neg: {
    number: 101,
    meaning: "-a of an int or a float.",
    operands: [
      { name: 'dst', role: 'w', repeat: '' },
      { name: 'a', role: 'v', repeat: '' },
    ],
  },
  lt: {
    number: 102,
    meaning: "a < b of two ints or two floats, a bool.",
    operands: [
      { name: 'dst', role: 'w', repeat: '' },
      { name: 'a', role: 'v', repeat: '' },
      { name: 'b', role: 'v', repeat: '' },
    ],
  },
  le: {
    number: 103,
    meaning: "a <= b of two ints or two floats, a bool.",
    operands: [
      { name: 'dst', role: 'w', repeat: '' },
      { name: 'a', role: 'v', repeat: '' },
      { name: 'b', role: 'v', repeat: '' },
    ],
  },
  gt: {
    number: 104,
    meaning: "a > b of two ints or two floats, a bool.",
    operands: [
      { name: 'dst', role: 'w', repeat: '' },
      { name: 'a', role: 'v', repeat: '' },
      { name: 'b', role: 'v', repeat: '' },
    ],
  },
  ge: {
    number: 105,
    meaning: "a >= b of two ints or two floats, a bool.",
    operands: [
      { name: 'dst', role: 'w', repeat: '' },
      { name: 'a', role: 'v', repeat: '' },
      { name: 'b', role: 'v', repeat: '' },
    ],
  },
  eq: {
    number: 106,
    meaning: "a == b of two ints, floats or bools, a bool.",
    operands: [
      { name: 'dst', role: 'w', repeat: '' },
      { name: 'a', role: 'v', repeat: '' },
      { name: 'b', role: 'v', repeat: '' },
    ],
  },
  ne: {
    number: 107,
    meaning: "a != b of two ints, floats or bools, a bool.",
    operands: [
      { name: 'dst', role: 'w', repeat: '' },
      { name: 'a', role: 'v', repeat: '' },
      { name: 'b', role: 'v', repeat: '' },
    ],
  },
  and: {
    number: 108,
    meaning: "Both, of two bools; bit by bit, of two ints.",
    operands: [
      { name: 'dst', role: 'w', repeat: '' },
      { name: 'a', role: 'v', repeat: '' },
      { name: 'b', role: 'v', repeat: '' },
    ],
  },
  or: {
    number: 109,
    meaning: "Either, of two bools; bit by bit, of two ints.",
    operands: [
      { name: 'dst', role: 'w', repeat: '' },
      { name: 'a', role: 'v', repeat: '' },
      { name: 'b', role: 'v', repeat: '' },
    ],
  },
  not: {
    number: 110,
    meaning: "The other bool; all bits turned, of an int.",
    operands: [
      { name: 'dst', role: 'w', repeat: '' },
      { name: 'a', role: 'v', repeat: '' },
    ],
  },
  to_int: {
    number: 111,
    meaning: "An int from an int, a float (towards zero; out of range fails), a bool or a one-element tensor.",
    operands: [
      { name: 'dst', role: 'w', repeat: '' },
      { name: 'a', role: 'v', repeat: '' },
    ],
  },
  to_float: {
    number: 112,
    meaning: "A float from an int, a float, a bool or a one-element tensor.",
    operands: [
      { name: 'dst', role: 'w', repeat: '' },
      { name: 'a', role: 'v', repeat: '' },
    ],
  },
  to_bool: {
    number: 113,
    meaning: "A bool from a bool, a number (true unless zero) or a one-element tensor.",
    operands: [
      { name: 'dst', role: 'w', repeat: '' },
      { name: 'a', role: 'v', repeat: '' },
    ],
  },
};

/** What an operand may be, in the order of their numbers. */
export const kOperandKinds = [
  'register',
  'immediate',
  'constant',
  'function',
  'primitive',
  'void',
  'vm',
] as const;
